//! k-means, on all cores and with the same result on any number of them.

use std::num::NonZero;
use std::thread;

/// Number of passes over the sample.
const PASSES: usize = 8;
/// Number of sampled vectors per cell.
const SAMPLE: usize = 40;

/// Vectors, one after the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) dimensions: usize,
    pub(crate) values: &'a [f32],
}

impl<'a> Rows<'a> {
    fn iter(&self) -> impl ExactSizeIterator<Item = &'a [f32]> {
        self.values.chunks_exact(self.dimensions.max(1))
    }

    fn len(&self) -> usize {
        self.values.len() / self.dimensions.max(1)
    }
}

/// Returns the centroids of cells, one after the other.
pub(crate) fn centroids(rows: Rows<'_>, cells: usize) -> Vec<f32> {
    let dimensions = rows.dimensions;
    let step = (rows.len() / (cells * SAMPLE).max(1)).max(1);
    let sample: Vec<f32> = rows.iter().step_by(step).flatten().copied().collect();
    let sample = Rows { dimensions, values: &sample };
    let spread = (sample.len() / cells.max(1)).max(1);
    let mut centroids: Vec<f32> = sample.iter().step_by(spread).take(cells).flatten().copied().collect();
    for _ in 0..PASSES {
        let assigned = assign(sample, &centroids);
        let mut sums = vec![0f64; centroids.len()];
        let mut counts = vec![0usize; cells];
        for (row, cell) in sample.iter().zip(&assigned) {
            let start = *cell as usize * dimensions;
            if let Some(sum) = sums.get_mut(start..start + dimensions) {
                sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += f64::from(*value));
            }
            if let Some(count) = counts.get_mut(*cell as usize) {
                *count += 1;
            }
        }
        // An empty cell keeps its centroid.
        let updated = centroids.chunks_exact_mut(dimensions).zip(sums.chunks_exact(dimensions)).zip(counts);
        for ((centroid, sum), count) in updated.filter(|(_, count)| *count > 0) {
            centroid.iter_mut().zip(sum).for_each(|(value, sum)| *value = (sum / count as f64) as f32);
        }
    }
    centroids
}

/// Returns the nearest cell of each row.
pub(crate) fn assign(rows: Rows<'_>, centroids: &[f32]) -> Vec<u32> {
    let dimensions = rows.dimensions.max(1);
    // The distance is |x|² − 2xc + |c|², of which the first is the same for all cells.
    let halves: Vec<f32> = centroids.chunks_exact(dimensions).map(|centroid| dot(centroid, centroid) / 2.0).collect();
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let share = rows.len().div_ceil(threads).max(1) * dimensions;
    let nearest = |row: &[f32]| {
        let mut best = (f32::NEG_INFINITY, 0);
        for (cell, (centroid, half)) in centroids.chunks_exact(dimensions).zip(&halves).enumerate() {
            let score = dot(row, centroid) - half;
            if score > best.0 {
                best = (score, cell as u32);
            }
        }
        best.1
    };
    let work = |some: &[f32]| some.chunks_exact(dimensions).map(&nearest).collect::<Vec<u32>>();
    let work = &work;
    thread::scope(|scope| {
        let running: Vec<_> =
            rows.values.chunks(share).map(|some| scope.spawn(move || work(some))).collect();
        running.into_iter().flat_map(|one| one.join().unwrap_or_default()).collect()
    })
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; 16];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    for (a, b) in a.iter().zip(b) {
        for ((sum, x), y) in sums.iter_mut().zip(a).zip(b) {
            *sum += x * y;
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f32>() + rest
}
