//! One-bit sketches: per dimension, the side of the segment's mean on which a vector lies. Comparing two
//! takes a few instructions, which makes them suitable for preselection.

use super::kernel::{hamming, hamming_of_six};
use crate::bitmap::Bitmap;

/// The sketches of all rows of a segment.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Sketches {
    /// The mean per dimension.
    pub(super) mean: Vec<f32>,
    /// Concatenated sketches, of [`words`] each.
    pub(super) bits: Vec<u64>,
}

/// Returns the number of 64-bit words of a sketch.
pub(super) fn words(dimensions: usize) -> usize {
    dimensions.div_ceil(64)
}

/// Number of distances compared at a time.
const BLOCK: usize = 32;

impl Sketches {
    /// Sketches all rows. Rows that are not `present` get a sketch that is never used.
    pub(super) fn of(dimensions: usize, rows: &[i8], scales: &[f32], present: &Bitmap) -> Self {
        let mut sums = vec![0f64; dimensions];
        for (row, scale) in rows.chunks_exact(dimensions.max(1)).zip(scales) {
            sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += f64::from(*scale * f32::from(*value)));
        }
        let count = present.count().max(1) as f64;
        let mean: Vec<f32> = sums.iter().map(|sum| (sum / count) as f32).collect();
        let mut bits = Vec::with_capacity(scales.len() * words(dimensions));
        for (row, scale) in rows.chunks_exact(dimensions.max(1)).zip(scales) {
            sketch(row.iter().zip(&mean).map(|(value, mean)| *scale * f32::from(*value) > *mean), &mut bits);
        }
        Self { mean, bits }
    }

    /// Returns the `count` rows of `wanted` with the nearest sketches, ascending; more in case of ties.
    pub(super) fn nearest(
        &self,
        question: &[f32],
        wanted: Option<&Bitmap>,
        present: &Bitmap,
        count: usize,
    ) -> Vec<u32> {
        let mut query = Vec::new();
        sketch(question.iter().zip(&self.mean).map(|(value, mean)| value > mean), &mut query);
        let far = question.len() as u16 + 1;
        let mut histogram = vec![0u32; usize::from(far) + 1];
        let mut distances: Vec<u16> = Vec::with_capacity(present.len());
        // Counts in the same loop: a loop that only computes distances is vectorised to code three times as
        // slow.
        let mut counted = |distance: u32| {
            if let Some(bin) = histogram.get_mut(distance as usize) {
                *bin += 1;
            }
            distance as u16
        };
        // Computes all distances: skipping a row costs more than comparing it.
        match (words(question.len()), <&[u64; 6]>::try_from(query.as_slice())) {
            // Specialised for 384 dimensions, the most common size.
            (6, Ok(query)) => {
                let rows = self.bits.as_chunks::<6>().0;
                distances.extend(rows.iter().map(|row| counted(hamming_of_six(row, query))));
            }
            (width, _) => {
                let rows = self.bits.chunks_exact(width.max(1));
                distances.extend(rows.map(|row| counted(hamming(row, &query))));
            }
        }
        if wanted.is_some() || present.count() < distances.len() {
            for (at, distance) in distances.iter_mut().enumerate() {
                if !wanted.unwrap_or(present).contains(at) || !present.contains(at) {
                    if let Some(bin) = histogram.get_mut(usize::from(*distance)) {
                        *bin -= 1;
                    }
                    *distance = far;
                }
            }
        }
        let mut below = 0;
        let limit = histogram.iter().take(usize::from(far)).position(|bin| {
            below += *bin as usize;
            below >= count
        });
        let limit = limit.map_or(far - 1, |limit| limit as u16);
        let mut found = Vec::with_capacity(below);
        for (block, distances) in distances.chunks(BLOCK).enumerate() {
            // Most blocks contain no near row; their minimum tells without a branch per row.
            if distances.iter().fold(far, |least, distance| least.min(*distance)) <= limit {
                let near = distances.iter().enumerate().filter(|(_, distance)| **distance <= limit);
                found.extend(near.map(|(at, _)| (block * BLOCK + at) as u32));
            }
        }
        found
    }
}

fn sketch(sides: impl Iterator<Item = bool>, bits: &mut Vec<u64>) {
    let mut word = 0u64;
    let mut filled = 0;
    for side in sides {
        word |= u64::from(side) << filled;
        filled += 1;
        if filled == 64 {
            bits.push(word);
            (word, filled) = (0, 0);
        }
    }
    if filled > 0 {
        bits.push(word);
    }
}
