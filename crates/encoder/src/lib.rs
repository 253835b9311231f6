//! Text to vectors. [`Embedder`] is the port; `onnx` runs a sentence encoder, [`hashing`] needs no model.

pub mod batch;
pub mod hashing;
#[cfg(feature = "onnx")]
pub mod onnx;
#[cfg(any(feature = "onnx", feature = "schema"))]
pub mod onnx_options;

use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use vademecum_protocol::error::{Error, Result};

/// What a text is to the search: some models want a different prefix for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Something asked.
    Query,
    /// Something to be found.
    Document,
}

/// One unit vector a text, row after row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Embeddings {
    /// Length of each row.
    pub dimensions: usize,
    /// `dimensions` values a text, in the order of the texts.
    pub values: Vec<f32>,
    /// For each text, whether only its beginning was embedded.
    pub truncated: Vec<bool>,
}

impl Embeddings {
    /// The rows with their flags, after checking that there are `texts` of them and that they are unit vectors;
    /// vectors of another length are scaled.
    ///
    /// # Errors
    /// [`Error::VectorShape`].
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

/// Counts the tokens of a text.
pub type Counter = std::rc::Rc<dyn Fn(&str) -> usize>;

/// Begins the part of an id that names the pooling, where that is not the mean.
pub const POOLING: &str = " pooling=";
/// Ends the id of a model that is not loaded yet.
pub const UNSETTLED: &str = " pooling=?";

/// Whether vectors by `found` may be compared with those of an embedder whose id is `own`.
pub fn is_same(own: &str, found: &str) -> bool {
    let rest = own.strip_suffix(UNSETTLED).and_then(|base| found.strip_prefix(base));
    own == found || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(POOLING))
}

/// Makes vectors of texts.
pub trait Embedder {
    /// Embeds every text, in order.
    fn embed<'a>(&'a self, texts: &'a [String], kind: Kind) -> LocalBoxFuture<'a, Result<Embeddings>>;

    /// Whether a call would begin at once: false while a model is being fetched. Search does not wait for it.
    fn is_ready(&self) -> bool {
        true
    }

    /// The cosine below which a chunk has hardly anything to do with a question. It differs between models, so there is none
    /// unless whoever chose the model names one.
    fn threshold(&self) -> Option<f32> {
        None
    }

    /// What identifies the model, so that its vectors are not compared with another's. None where that is not known. Ends in
    /// [`UNSETTLED`] as long as it is not known how vectors are pooled: the model decides that, once it is loaded.
    fn id(&self) -> Option<String> {
        None
    }

    /// Counts tokens as the model does, special tokens left out; none where only a guess is possible.
    fn counter(&self) -> LocalBoxFuture<'_, Option<Counter>> {
        Box::pin(std::future::ready(None))
    }

    /// How many calls it can work on at the same time.
    fn concurrency(&self) -> usize {
        1
    }
}

/// `vector` scaled to length 1; a zero vector stays as it is.
pub fn normalised(vector: &[f32]) -> Vec<f32> {
    // By the largest number first: the squares of very large or very small ones would not fit.
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
