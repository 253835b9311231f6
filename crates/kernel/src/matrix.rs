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
    let mut values = Vec::with_capacity(floats.len());
    for row in 0..rows {
        values.extend(floats.iter().skip(row).step_by(rows.max(1)).take(columns));
    }
    values
}

/// Returns whole numbers from -127 to 127 with a row per output, of those with a row per output (`by_output`) or per input;
/// `None` if one is beyond.
pub fn narrowed(numbers: &[i16], rows: usize, columns: usize, by_output: bool) -> Option<Vec<i8>> {
    if !numbers.iter().all(|number| (-127..=127).contains(number)) {
        return None;
    }
    if by_output {
        return Some(numbers.iter().map(|number| *number as i8).collect());
    }
    let mut values = Vec::with_capacity(numbers.len());
    for row in 0..rows {
        values
            .extend(numbers.iter().skip(row).step_by(rows.max(1)).take(columns).map(|number| *number as i8));
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_per_input_become_rows_per_output() {
        assert_eq!(transposed(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3), [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
        assert_eq!(narrowed(&[1, 2, 3, 4, 5, 6], 2, 3, false).unwrap(), [1, 3, 5, 2, 4, 6]);
        assert_eq!(narrowed(&[1, -127, 127, 4, 5, 6], 2, 3, true).unwrap(), [1, -127, 127, 4, 5, 6]);
        assert_eq!(narrowed(&[1, -128], 1, 2, true), None);
    }
}
