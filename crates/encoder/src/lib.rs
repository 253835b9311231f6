//! Sentence encoders: texts to unit vectors.
//!
//! ```
//! use futures_util::FutureExt;
//! use vademecum_encoder::hashing::HashingEmbedder;
//! use vademecum_encoder::{Embedder, Kind};
//!
//! let texts = ["The moon pulls the sea.".to_owned(), "Seas and moons.".to_owned()];
//! let embeddings = HashingEmbedder.embed(&texts, Kind::Document).now_or_never().unwrap()?;
//! let rows = embeddings.into_rows(texts.len())?;
//! let cosine: f32 = rows[0].0.iter().zip(&rows[1].0).map(|(a, b)| a * b).sum();
//! assert!(cosine > 0.5);
//! # Ok::<(), vademecum_protocol::error::Error>(())
//! ```
//!
//! [`Embedder`] is the port: it embeds texts, counts tokens and identifies its model. Implementations are
//! `kernel::KernelEmbedder` (feature `kernel`), which runs encoders of the BERT kind; `onnx::OnnxEmbedder` (feature `onnx`),
//! which runs any encoder by an ONNX runtime; and [`hashing::HashingEmbedder`], which needs no model.
//! [`Embeddings::into_rows`] validates and normalises what an embedder returns; [`batch`] groups texts by
//! length.
//!
//! **Data flow in `kernel` and `onnx`.** Texts → token ids (`wordpiece`, `onnx/tokens.rs`) → batches ([`batch`]) → token vectors
//! (`vademecum_kernel`, `onnx/session`) → one unit vector per text (`pool.rs` of each). Start reading at `kernel/mod.rs`.

pub mod alignment;
pub mod batch;
#[cfg(any(feature = "kernel", feature = "onnx"))]
mod checks;
#[cfg(any(feature = "onnx", feature = "wordpiece"))]
pub mod encoded;
#[cfg(any(feature = "kernel", feature = "onnx"))]
mod finish;
pub mod hashing;
#[cfg(feature = "kernel")]
pub mod kernel;
#[cfg(any(feature = "kernel", feature = "onnx"))]
pub mod model_files;
#[cfg(all(feature = "native", not(target_arch = "wasm32")))]
pub mod native;
#[cfg(feature = "onnx")]
pub mod onnx;
#[cfg(any(feature = "kernel", feature = "onnx", feature = "schema"))]
pub mod onnx_options;
#[cfg(any(feature = "kernel", feature = "onnx"))]
pub mod output;
#[cfg(any(feature = "kernel", feature = "onnx", feature = "schema"))]
pub mod pair_options;
#[cfg(any(feature = "kernel", feature = "onnx"))]
pub mod pairs;
#[cfg(feature = "wordpiece")]
pub mod wordpiece;

use alignment::{Aligned, Sought};
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use vademecum_protocol::error::{Error, Result};

/// The role of a text: some models expect a different prefix for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A query.
    Query,
    /// A document to be found.
    Document,
}

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

/// Counts the tokens of a text, without special tokens.
pub type Counter = std::rc::Rc<dyn Fn(&str) -> usize>;

/// Prefix of the part of an id that names the pooling, if that is not the mean.
pub const POOLING: &str = " pooling=";
/// Suffix of the id of a model that is not loaded yet, so that its pooling is unknown.
pub const UNSETTLED: &str = " pooling=?";

/// Returns whether vectors of the embedder `found` are comparable with those of `own`.
pub fn is_same(own: &str, found: &str) -> bool {
    let rest = own.strip_suffix(UNSETTLED).and_then(|base| found.strip_prefix(base));
    own == found || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(POOLING))
}

/// Computes vectors of texts.
pub trait Embedder {
    /// Embeds texts, in order.
    fn embed<'a>(&'a self, texts: &'a [String], kind: Kind) -> LocalBoxFuture<'a, Result<Embeddings>>;

    /// Embeds texts as documents, and compares their tokens with those of a question's words; `None` if the embedder has no
    /// vectors of tokens.
    fn align<'a>(&'a self, _: &'a [String], _: &'a Sought) -> LocalBoxFuture<'a, Result<Option<Aligned>>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Returns whether a call would start immediately: false while a model is being downloaded. Hybrid search
    /// does not wait for it.
    fn is_ready(&self) -> bool {
        true
    }

    /// Returns the cosine below which chunks are considered irrelevant. It depends on the model; default:
    /// none.
    fn threshold(&self) -> Option<f32> {
        None
    }

    /// Returns the id of the model, if known; vectors of different models are not comparable. Ends in
    /// [`UNSETTLED`] until the model is loaded, because the model determines the pooling.
    fn id(&self) -> Option<String> {
        None
    }

    /// Returns a counter of the model's tokens, without special tokens; `None` if they can only be estimated.
    fn counter(&self) -> LocalBoxFuture<'_, Option<Counter>> {
        Box::pin(std::future::ready(None))
    }

    /// Returns the maximum number of concurrent calls.
    fn concurrency(&self) -> usize {
        1
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
