//! Codes of vectors. A vector is its cell's centroid and a difference d, of which a *sketch* keeps the signs and a *row* eight bits a
//! dimension. A code u of d estimates the product with a query by ⟨q, d⟩ ≈ ⟨q, u⟩ · ⟨d, d⟩ / ⟨u, d⟩, which is right on average for a random
//! rotation (Gao and Long, "RaBitQ", SIGMOD 2024; with more bits, Gao et al., SIGMOD 2025); the factor is stored with the code.

use crate::block::{BlockRef, take_refs};
use crate::bytes::Bytes;
use vademecum_vectors::coded::{RoundedQuery, SignTable};

/// Number of vectors per block of rows: the best candidates of a cell lie in few blocks of it.
pub(crate) const ROWS_PER_BLOCK: usize = 4;

/// Centroids. Two bits a dimension are enough: which cells are nearest hardly depends on more, and differences are taken from what is
/// stored. So there can be many small cells.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Centroids {
    dimensions: usize,
    /// -3, -1, 1 or 3 per dimension.
    rows: Vec<i8>,
    scales: Vec<f32>,
    /// Lengths of the centroids.
    lengths: Vec<f32>,
}

/// The length of a stored centroid in bytes.
#[cfg(any(feature = "write", test))]
pub(crate) fn centroid_length(dimensions: usize) -> usize {
    4 + dimensions.div_ceil(4)
}

impl Centroids {
    /// Creates a list without centroids.
    pub(crate) fn new(dimensions: usize) -> Self {
        Self { dimensions, ..Self::default() }
    }

    /// Returns the number of centroids.
    pub(crate) fn len(&self) -> usize {
        self.scales.len()
    }

    /// Appends the centroids of a block; `None` if it is not sound.
    pub(crate) fn extend(&mut self, block: &[u8]) -> Option<()> {
        let mut bytes = Bytes(block);
        while !bytes.is_empty() {
            self.scales.push(bytes.float()?);
            let packed = bytes.take(self.dimensions.div_ceil(4))?;
            let level = |at: usize| Some((packed.get(at / 4)? >> (at % 4 * 2) & 3) as i8 * 2 - 3);
            for at in 0..self.dimensions {
                self.rows.push(level(at)?);
            }
            self.measure();
        }
        Some(())
    }

    /// Notes the length of the last centroid.
    fn measure(&mut self) {
        let last = self.scales.len().saturating_sub(1);
        let Some((row, scale)) = self.row(last) else { return };
        let squares: i32 = row.iter().map(|level| i32::from(*level) * i32::from(*level)).sum();
        self.lengths.push((squares as f32).sqrt() * scale);
    }

    fn row(&self, cell: usize) -> Option<(&[i8], f32)> {
        let start = cell.checked_mul(self.dimensions)?;
        Some((self.rows.get(start..start + self.dimensions)?, *self.scales.get(cell)?))
    }

    /// Returns per cell the cosine of a query with the centroid, nearly, times the query's length. By angle, because a cell whose vectors differ has a
    /// short centroid, and near vectors among the others.
    pub(crate) fn angles(&self, query: &[f32]) -> impl Iterator<Item = f32> {
        let products = RoundedQuery::of(query).products(&self.rows, self.dimensions);
        let cells = products.into_iter().zip(&self.scales).zip(&self.lengths);
        cells.map(|((product, scale), length)| product * scale / length.max(f32::MIN_POSITIVE))
    }

    /// Returns the product of a query with a centroid.
    pub(crate) fn product(&self, query: &[f32], cell: usize) -> f32 {
        self.row(cell).map_or(0.0, |(row, scale)| dot(query, row) * scale)
    }
}

#[cfg(any(feature = "write", test))]
impl Centroids {
    /// Rounds centroids, one after the other, to what is stored.
    pub(crate) fn of(exact: &[f32], dimensions: usize) -> Self {
        let mut centroids = Self::new(dimensions);
        for centroid in exact.chunks_exact(dimensions.max(1)) {
            let most = centroid.iter().fold(0f32, |most, value| most.max(value.abs()));
            // Of several thresholds between small and large values, the one whose code points closest to the centroid.
            let mut best = (f32::NEG_INFINITY, 0.0, vec![-1; centroid.len()]);
            for twentieths in 1..=16 {
                let threshold = most * twentieths as f32 / 20.0;
                let level = |value: &f32| match (*value >= 0.0, value.abs() >= threshold) {
                    (true, true) => 3,
                    (true, false) => 1,
                    (false, false) => -1,
                    (false, true) => -3,
                };
                let levels: Vec<i8> = centroid.iter().map(level).collect();
                let along: f32 =
                    centroid.iter().zip(&levels).map(|(value, level)| value * f32::from(*level)).sum();
                let squares: f32 = levels.iter().map(|level| f32::from(*level).powi(2)).sum();
                if along / squares.sqrt() > best.0 {
                    best = (along / squares.sqrt(), along / squares, levels);
                }
            }
            centroids.scales.push(best.1);
            centroids.rows.extend(best.2);
            centroids.measure();
        }
        centroids
    }

    /// Returns all centroids, one after the other.
    pub(crate) fn exact(&self) -> Vec<f32> {
        let rows = (0..self.len()).filter_map(|cell| self.row(cell));
        rows.flat_map(|(row, scale)| row.iter().map(move |level| f32::from(*level) * scale)).collect()
    }

    /// Encodes all centroids, one after the other.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (row, scale) in (0..self.len()).filter_map(|cell| self.row(cell)) {
            bytes.extend_from_slice(&scale.to_le_bytes());
            let pack = |four: &[i8]| {
                four.iter()
                    .enumerate()
                    .fold(0u8, |byte, (at, level)| byte | ((level + 3) as u8 / 2) << (at * 2))
            };
            bytes.extend(row.chunks(4).map(pack));
        }
        bytes
    }
}

fn dot(query: &[f32], row: &[i8]) -> f32 {
    let mut sums = [0f32; 8];
    let ((query, query_rest), (row, row_rest)) = (query.as_chunks::<8>(), row.as_chunks::<8>());
    for (query, row) in query.iter().zip(row) {
        for ((sum, x), y) in sums.iter_mut().zip(query).zip(row) {
            *sum += x * f32::from(*y);
        }
    }
    let rest: f32 = query_rest.iter().zip(row_rest).map(|(x, y)| x * f32::from(*y)).sum();
    sums.iter().sum::<f32>() + rest
}

/// The sketches of a cell, by the keys of their chunks.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Sketches<'a> {
    pub(crate) keys: Vec<u32>,
    factors: Vec<f32>,
    bits: &'a [u8],
    /// The blocks of the cell's rows.
    pub(crate) rows: Vec<BlockRef>,
}

impl<'a> Sketches<'a> {
    /// Decodes a block; `None` if it is not sound.
    pub(crate) fn decode(block: &'a [u8], dimensions: usize) -> Option<Self> {
        let mut bytes = Bytes(block);
        let count = bytes.count()?;
        let mut keys: Vec<u32> = Vec::new();
        for _ in 0..count {
            let step = bytes.number()?;
            keys.push(match keys.last() {
                Some(before) => before.checked_add(step).filter(|_| step > 0)?,
                None => step,
            });
        }
        let mut factors = Vec::new();
        for _ in 0..count {
            let half = u16::from_le_bytes(bytes.array()?);
            factors.push(Some(f32::from_bits(u32::from(half) << 16)).filter(|factor| factor.is_finite())?);
        }
        let width = dimensions.div_ceil(8);
        let bits = bytes.take(count.checked_mul(width)?)?;
        let rows = take_refs(&mut bytes)?;
        let sound = bytes.is_empty() && rows.len() == count.div_ceil(ROWS_PER_BLOCK);
        sound.then_some(Self { keys, factors, bits, rows })
    }

    /// Returns per row the estimated product of the query with the difference from the centroid.
    pub(crate) fn estimates(&self, query: &SignTable) -> impl Iterator<Item = f32> {
        let mut products = Vec::with_capacity(self.keys.len());
        query.products(self.bits, &mut products);
        products.into_iter().zip(&self.factors).map(|(product, factor)| product * factor)
    }
}

/// Returns the product of a query with the difference that a row encodes; `None` if the block is too short.
pub(crate) fn product(query: &[f32], block: &[u8], row: usize) -> Option<f32> {
    let length = query.len().checked_add(4)?;
    let mut bytes = Bytes(block.get(row.checked_mul(length)?..row.checked_add(1)?.checked_mul(length)?)?);
    let factor = bytes.float()?;
    let levels = query.iter().zip(bytes.0);
    Some(levels.map(|(x, level)| x * f32::from(*level as i8)).sum::<f32>() * factor)
}

/// The code of a difference.
#[cfg(any(feature = "write", test))]
#[derive(Debug, Clone)]
pub(crate) struct Code {
    signs: Vec<u8>,
    sketch_factor: u16,
    row: Vec<u8>,
}

#[cfg(any(feature = "write", test))]
impl Code {
    /// Encodes a rotated difference.
    pub(crate) fn of(difference: &[f32]) -> Self {
        let norm: f32 = difference.iter().map(|value| value * value).sum();
        let mut signs = vec![0u8; difference.len().div_ceil(8)];
        for (at, value) in difference.iter().enumerate() {
            if let Some(byte) = signs.get_mut(at / 8)
                && *value >= 0.0
            {
                *byte |= 1 << (at % 8);
            }
        }
        let absolute: f32 = difference.iter().map(|value| value.abs()).sum();
        let sketch_factor = if absolute > 0.0 { norm / absolute } else { 0.0 };
        let most = difference.iter().fold(0f32, |most, value| most.max(value.abs()));
        let level = |value: &f32| if most > 0.0 { (value / most * 127.0).round() } else { 0.0 };
        let along: f32 = difference.iter().map(|value| value * level(value)).sum();
        let factor = if along > 0.0 { norm / along } else { 0.0 };
        let mut row = f32::to_le_bytes(factor).to_vec();
        row.extend(difference.iter().map(|value| level(value) as i8 as u8));
        // Rounded to the nearest of 16 bits.
        let sketch_factor = (sketch_factor.to_bits().saturating_add(1 << 15) >> 16) as u16;
        Self { signs, sketch_factor, row }
    }

    /// Returns the row, for blocks of rows.
    pub(crate) fn row(&self) -> &[u8] {
        &self.row
    }
}

/// Encodes the sketches of a cell, ascending by key, with the blocks of its rows.
#[cfg(any(feature = "write", test))]
pub(crate) fn encode_sketches(keys: &[u32], codes: &[Code], rows: &[BlockRef]) -> Vec<u8> {
    use crate::bytes::Put;
    let mut block = Vec::new();
    block.number(keys.len() as u32);
    let mut before = 0;
    for key in keys {
        block.number(key - before);
        before = *key;
    }
    codes.iter().for_each(|code| block.extend_from_slice(&code.sketch_factor.to_le_bytes()));
    codes.iter().for_each(|code| block.extend_from_slice(&code.signs));
    crate::block::put_refs(rows, &mut block);
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::PartName;
    use proptest::prelude::*;

    const ROW: BlockRef =
        BlockRef { part: PartName([7; 16]), size: 900, offset: 5, length: 80, hash: [9; 8] };

    #[test]
    fn estimates_scatter_as_little_as_the_theory_says() {
        let mut state = 1u64;
        let mut normal = || {
            let mut unit = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as f32 / (1u64 << 24) as f32
            };
            (0..12).map(|_| unit()).sum::<f32>() - 6.0
        };
        let dimensions = 384;
        let rotation = crate::cells::rotation::Rotation::new(dimensions);
        let mut draw = |decay: f32| {
            let mut values: Vec<f32> =
                (0..dimensions).map(|at| normal() * (1.0 + at as f32).powf(-decay)).collect();
            let norm = values.iter().map(|value| value * value).sum::<f32>().sqrt();
            values.iter_mut().for_each(|value| *value /= norm);
            rotation.apply(&mut values);
            values
        };
        // Also where a few dimensions vary more than the others.
        for decay in [0.0, 0.5] {
            let (mut by_sketch, mut by_row, rounds) = (0.0, 0.0, 300);
            for _ in 0..rounds {
                let (query, difference) = (draw(decay), draw(decay));
                let exact: f32 = query.iter().zip(&difference).map(|(x, y)| x * y).sum();
                let code = Code::of(&difference);
                let block = encode_sketches(&[1], std::slice::from_ref(&code), &[ROW]);
                let sketches = Sketches::decode(&block, dimensions).unwrap();
                by_sketch += (sketches.estimates(&SignTable::of(&query)).next().unwrap() - exact).powi(2);
                by_row += (product(&query, code.row(), 0).unwrap() - exact).powi(2);
            }
            let (sketch, row) = ((by_sketch / rounds as f32).sqrt(), (by_row / rounds as f32).sqrt());
            assert!(sketch < 0.045 && row < 0.001, "{decay}: {sketch} {row}");
        }
    }

    proptest! {
        #[test]
        fn a_row_is_close_to_the_product_and_a_sketch_near_it(
            pairs in prop::collection::vec((-1f32..1.0, -1f32..1.0), 64..200), key in 0u32..1000,
        ) {
            let (query, difference): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
            let exact: f32 = pairs.iter().map(|(x, y)| x * y).sum();
            let norm = |values: &[f32]| values.iter().map(|value| value * value).sum::<f32>().sqrt();
            let most = norm(&query) * norm(&difference);
            let code = Code::of(&difference);
            let block = encode_sketches(&[key], std::slice::from_ref(&code), &[ROW]);
            let sketches = Sketches::decode(&block, query.len()).unwrap();
            prop_assert_eq!(&sketches.keys, &[key]);
            let estimate = sketches.estimates(&SignTable::of(&query)).next().unwrap();
            prop_assert!((estimate - exact).abs() < 0.4 * most, "{} {}", estimate, exact);
            let row = product(&query, code.row(), 0).unwrap();
            prop_assert!((row - exact).abs() < 0.005 * most, "{} {} {}", row, exact, most);
        }

        #[test]
        fn centroids_are_read_as_they_were_rounded(values in prop::collection::vec(-1f32..1.0, 30..40)) {
            let centroids = Centroids::of(&values, values.len());
            let mut read = Centroids::new(values.len());
            read.extend(&centroids.encode()).unwrap();
            prop_assert_eq!(&read, &centroids);
            let angle = read.angles(&values).next().unwrap();
            let norm = values.iter().map(|value| value * value).sum::<f32>().sqrt();
            prop_assert!(angle > 0.85 * norm, "{} {}", angle, norm);
            let exact: f32 = values.iter().zip(read.exact()).map(|(x, y)| x * y).sum();
            prop_assert!((read.product(&values, 0) - exact).abs() < 1e-4 * norm * norm);
        }

        #[test]
        fn any_bytes_are_sketches_or_none(bytes in prop::collection::vec(any::<u8>(), 0..80), dimensions in 0usize..40) {
            if let Some(sketches) = Sketches::decode(&bytes, dimensions) {
                let _ = sketches.estimates(&SignTable::of(&vec![0.5; dimensions])).count();
                let _ = product(&vec![0.5; dimensions], &bytes, 1);
            }
            let _ = Centroids::new(dimensions).extend(&bytes);
        }
    }
}
