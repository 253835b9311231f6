//! Matrices of weights, as a file stores them.

/// Weights with a row per output.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Number of outputs; of a table, of its entries.
    pub rows: usize,
    /// Number of inputs; of a table, the length of an entry.
    pub columns: usize,
    /// The weights, row-major.
    pub numbers: Numbers,
}

/// How weights are stored.
#[derive(Debug, Clone, PartialEq)]
pub enum Numbers {
    /// Full precision.
    F32(Vec<f32>),
    /// `values × scales[row]`, with values from -127 to 127.
    I8 {
        /// The whole numbers, row-major.
        values: Vec<i8>,
        /// A scale per row.
        scales: Vec<f32>,
    },
    /// `values × scales[row]`, of bytes whose zero point leaves values beyond those of `I8`. For tables, whose entries are
    /// only looked up; a linear map would be computed in full precision.
    I16 {
        /// The whole numbers, row-major.
        values: Vec<i16>,
        /// A scale per row.
        scales: Vec<f32>,
    },
}

impl Matrix {
    /// Returns whether the weights are int8.
    pub const fn is_quantised(&self) -> bool {
        matches!(self.numbers, Numbers::I8 { .. })
    }

    /// Returns whether every weight is a finite number.
    pub fn is_finite(&self) -> bool {
        match &self.numbers {
            Numbers::F32(values) => values.iter().all(|value| value.is_finite()),
            Numbers::I8 { scales, .. } | Numbers::I16 { scales, .. } => {
                scales.iter().all(|scale| scale.is_finite())
            }
        }
    }

    /// Returns the weights in full precision.
    pub fn floats(&self) -> Vec<f32> {
        match &self.numbers {
            Numbers::F32(values) => values.clone(),
            Numbers::I8 { values, scales } => self.multiplied(values, scales),
            Numbers::I16 { values, scales } => self.multiplied(values, scales),
        }
    }

    fn multiplied<T: Copy + Into<f32>>(&self, values: &[T], scales: &[f32]) -> Vec<f32> {
        let rows = values.chunks_exact(self.columns.max(1)).zip(scales);
        rows.flat_map(|(row, scale)| row.iter().map(move |value| (*value).into() * scale)).collect()
    }

    /// Rounds weights in full precision to int8, with a scale per row; the others stay as they are.
    #[must_use]
    pub fn rounded(self) -> Self {
        match &self.numbers {
            Numbers::F32(values) => quantised(values, self.rows, self.columns),
            Numbers::I8 { .. } | Numbers::I16 { .. } => self,
        }
    }

    /// Writes a row to `into`, in full precision. A row that is not there is zero.
    pub fn copy_row(&self, row: usize, into: &mut [f32]) {
        let range = row * self.columns..(row + 1) * self.columns;
        match &self.numbers {
            Numbers::F32(values) => match values.get(range) {
                Some(values) => into.copy_from_slice(values),
                None => into.fill(0.0),
            },
            Numbers::I8 { values, scales } => copy_scaled(values.get(range), scales.get(row), into),
            Numbers::I16 { values, scales } => copy_scaled(values.get(range), scales.get(row), into),
        }
    }
}

fn copy_scaled<T: Copy + Into<f32>>(values: Option<&[T]>, scale: Option<&f32>, into: &mut [f32]) {
    let (Some(values), Some(scale)) = (values, scale) else { return into.fill(0.0) };
    for (into, value) in into.iter_mut().zip(values) {
        *into = (*value).into() * scale;
    }
}

/// Rounds weights to int8, with a scale per row.
pub fn quantised(floats: &[f32], rows: usize, columns: usize) -> Matrix {
    let mut values = Vec::with_capacity(floats.len());
    let mut scales = Vec::with_capacity(rows);
    for row in floats.chunks_exact(columns.max(1)) {
        let largest = row.iter().fold(0f32, |largest, value| largest.max(value.abs()));
        let scale = (largest / 127.0).max(f32::MIN_POSITIVE);
        values.extend(row.iter().map(|value| (value / scale).round_ties_even() as i8));
        // A weight that is not a number would be rounded to 0, and the damage would not show.
        scales.push(if row.iter().all(|value| value.is_finite()) { scale } else { f32::NAN });
    }
    Matrix { rows, columns, numbers: Numbers::I8 { values, scales } }
}

/// Returns weights with a row per output, of those with a row per input.
pub fn transposed(floats: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    by_tiles(floats, rows, columns)
}

/// Returns bytes with a row per output, of those with a row per input.
pub fn transposed_bytes(bytes: &[u8], rows: usize, columns: usize) -> Vec<u8> {
    by_tiles(bytes, rows, columns)
}

/// Rows and columns of the tiles in which a matrix is transposed: what a tile reads and writes stays in the cache.
const TILE: usize = 32;

fn by_tiles<T: Copy + Default>(values: &[T], rows: usize, columns: usize) -> Vec<T> {
    assert_eq!(values.len(), rows * columns, "numbers are not as many as their shape says");
    let mut into = vec![T::default(); values.len()];
    let (height, width) = (rows.max(1), columns.max(1));
    for (first, results) in (0..rows).step_by(TILE).zip(into.chunks_mut(TILE * width)) {
        for (column, sources) in (0..columns).step_by(TILE).zip(values.chunks(TILE * height)) {
            for (row, result) in (first..rows).zip(results.chunks_exact_mut(width)) {
                let from = sources.iter().skip(row).step_by(height);
                result.iter_mut().skip(column).zip(from).for_each(|(into, from)| *into = *from);
            }
        }
    }
    into
}

/// How a file stores whole numbers of 8 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// From -128 to 127.
    Signed,
    /// From 0 to 255.
    Unsigned,
}

impl Sign {
    /// Returns the number that a byte is.
    pub const fn number(self, byte: u8) -> i16 {
        match self {
            Self::Signed => byte as i8 as i16,
            Self::Unsigned => byte as i16,
        }
    }
}

/// Returns the numbers of bytes with a row per output, less the zero point of their row: of `zeros`, which are one per row, one
/// for all, or none; `None` if a result is not from -127 to 127.
pub fn narrowed(bytes: &[u8], sign: Sign, columns: usize, zeros: &[i16]) -> Option<Vec<i8>> {
    let mut values = Vec::with_capacity(bytes.len());
    for (at, row) in bytes.chunks_exact(columns.max(1)).enumerate() {
        let zero = zeros.get(at).or(zeros.first()).copied().unwrap_or(0);
        let is_within = match sign {
            Sign::Signed if zero == 0 => {
                values.extend(row.iter().map(|byte| *byte as i8));
                row.iter().fold(true, |is_within, byte| is_within & (*byte as i8 != i8::MIN))
            }
            _ => {
                let number = |byte: &u8| sign.number(*byte).wrapping_sub(zero);
                values.extend(row.iter().map(|byte| number(byte) as i8));
                row.iter().fold(true, |is_within, byte| is_within & (-127..=127).contains(&number(byte)))
            }
        };
        if !is_within {
            return None;
        }
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_rounded_to_half_a_step_of_their_row_and_whole_numbers_are_kept() {
        let floats = vec![0.5, -2.54, 1.0, 0.011, -0.004, 0.0, 0.0, 0.0, 0.0];
        let matrix = Matrix { rows: 3, columns: 3, numbers: Numbers::F32(floats.clone()) };
        let rounded = matrix.rounded();
        assert!(rounded.is_quantised() && rounded.is_finite());
        for (row, (found, given)) in rounded.floats().chunks(3).zip(floats.chunks(3)).enumerate() {
            let step = given.iter().fold(0f32, |most, value| most.max(value.abs())) / 127.0;
            let is_near = |(a, b): (&f32, &f32)| (a - b).abs() <= step * 0.501;
            assert!(found.iter().zip(given).all(is_near), "row {row}: {found:?}");
        }
        assert_eq!(rounded.clone().rounded(), rounded);
        let numbers = Numbers::I16 { values: vec![200], scales: vec![0.1] };
        let wide = Matrix { rows: 1, columns: 1, numbers };
        assert_eq!(wide.clone().rounded(), wide);
        let broken = Matrix { rows: 1, columns: 2, numbers: Numbers::F32(vec![f32::NAN, 1.0]) };
        assert!(!broken.rounded().is_finite());
    }

    #[test]
    fn rows_per_input_become_rows_per_output() {
        assert_eq!(transposed(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3), [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
        assert_eq!(transposed_bytes(&[1, 2, 3, 4, 5, 6], 2, 3), [1, 3, 5, 2, 4, 6]);
        let (rows, columns) = (2 * TILE + 3, TILE + 5);
        let bytes: Vec<u8> = (0..rows * columns).map(|at| (at % 251) as u8).collect();
        let turned = transposed_bytes(&bytes, rows, columns);
        let is_there = |at: usize| turned[at % rows * columns + at / rows] == bytes[at];
        assert!((0..bytes.len()).all(is_there));
        assert_eq!(transposed_bytes(&turned, columns, rows), bytes);
    }

    #[test]
    fn bytes_become_numbers_around_zero_where_they_are_within_127() {
        use Sign::{Signed, Unsigned};
        assert_eq!(narrowed(&[1, 129, 127, 4], Signed, 2, &[]).unwrap(), [1, -127, 127, 4]);
        assert_eq!(narrowed(&[1, 128], Signed, 2, &[]), None);
        assert_eq!(narrowed(&[1, 128], Signed, 2, &[-1]).unwrap(), [2, -127]);
        assert_eq!(narrowed(&[127, 0], Signed, 2, &[-1]), None);
        assert_eq!(narrowed(&[1, 255, 129, 4], Unsigned, 2, &[128]).unwrap(), [-127, 127, 1, -124]);
        assert_eq!(narrowed(&[1, 255, 129, 4], Unsigned, 2, &[128, 5]).unwrap(), [-127, 127, 124, -1]);
        assert_eq!(narrowed(&[0, 255], Unsigned, 2, &[128]), None);
    }
}
