//! Vectors of texts, as an embedder returns them, and their scaling to unit length.

use vademecum_protocol::error::{Error, Result};

/// Vectors of several texts, as a row-major matrix.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Embeddings {
    /// Length of each row.
    pub dimensions: usize,
    /// `dimensions` values per text, in the order of the texts.
    pub values: Vec<f32>,
    /// Per text: whether it was longer than the model's input, so that only its beginning was embedded.
    pub truncated: Vec<bool>,
}

impl Embeddings {
    /// Returns the rows, scaled to unit length, with their truncation flags.
    ///
    /// # Errors
    /// [`Error::VectorShape`] if there are not exactly `texts` rows, or a value is not finite.
    pub fn into_rows(self, texts: usize) -> Result<Vec<(Vec<f32>, bool)>> {
        let shape = |got: String| {
            let expected =
                if texts == 1 { "1 vector".into() } else { format!("{texts} vectors of one length") };
            Error::VectorShape { expected, got }
        };
        if self.dimensions == 0
            || self.values.len() != texts * self.dimensions
            || self.truncated.len() != texts
        {
            return Err(shape(format!("{} numbers in rows of {}", self.values.len(), self.dimensions)));
        }
        if self.values.iter().any(|value| !value.is_finite()) {
            return Err(shape("a number that is not finite".into()));
        }
        let rows = self.values.chunks_exact(self.dimensions).zip(&self.truncated);
        Ok(rows.map(|(row, truncated)| (normalised(row), *truncated)).collect())
    }
}

/// Scales `vector` to unit length; a zero vector is unchanged.
pub fn normalised(vector: &[f32]) -> Vec<f32> {
    // Scaled by the largest value first: the squares of very large or small values would overflow or
    // underflow.
    let largest = vector.iter().fold(0f32, |largest, value| largest.max(value.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return vector.to_vec();
    }
    let length = vector.iter().map(|value| (value * largest.recip()).powi(2)).sum::<f32>().sqrt();
    let (first, second) = (largest.recip(), length.recip());
    vector.iter().map(|value| value * first * second).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_any_size_are_scaled_to_length_one() {
        for scale in [1e-30f32, 1.0, 1e30] {
            let unit = normalised(&[3.0 * scale, 4.0 * scale]);
            assert!((unit[0] - 0.6).abs() < 1e-6 && (unit[1] - 0.8).abs() < 1e-6, "{scale}: {unit:?}");
        }
        assert_eq!(normalised(&[0.0, 0.0]), [0.0, 0.0]);
    }
}
