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
mod embeddings;
#[cfg(any(feature = "onnx", feature = "wordpiece"))]
pub mod encoded;
#[cfg(any(feature = "kernel", feature = "onnx", feature = "wordpiece"))]
pub mod errors;
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
pub use embeddings::{Embeddings, normalised};
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use vademecum_protocol::error::Result;

/// The role of a text: some models expect a different prefix for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A query.
    Query,
    /// A document to be found.
    Document,
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
