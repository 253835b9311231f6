//! Sentence encoders in ONNX form: tokenise, batch, run, pool, normalise.
//!
//! [`Tokens`] and [`mean_pool`] are plain Rust and run anywhere; `OnnxEmbedder`, which joins them to the ONNX
//! runtime, exists where that runtime does: in a browser, and with the feature `native` wherever there is a shared
//! library of it.

mod pool;
mod tokens;

#[cfg(any(target_arch = "wasm32", feature = "native"))]
mod embedder;
#[cfg(any(target_arch = "wasm32", feature = "native"))]
mod session;

#[cfg(any(target_arch = "wasm32", feature = "native"))]
pub use embedder::OnnxEmbedder;
pub use pool::mean_pool;
pub use tokens::{Encoded, TokenBatch, Tokens};

use serde::{Deserialize, Serialize};

/// How a model wants its texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct OnnxOptions {
    /// Longer texts are cut to so many tokens, special tokens included, and flagged.
    pub max_tokens: usize,
    /// Put before every query, as E5 and BGE models want it.
    pub query_prefix: String,
    /// Put before every document.
    pub document_prefix: String,
    /// Padded tokens computed at once. Between two batches a call can be cancelled.
    pub batch_tokens: usize,
}

impl Default for OnnxOptions {
    fn default() -> Self {
        Self {
            max_tokens: 128,
            query_prefix: String::new(),
            document_prefix: String::new(),
            batch_tokens: 512,
        }
    }
}
