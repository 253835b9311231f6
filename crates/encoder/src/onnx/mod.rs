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
pub use pool::{Pooling, mean_pool, pool};
pub use tokens::{Encoded, TokenBatch, Tokens};

use serde::{Deserialize, Serialize};

/// How a model wants its texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// How token vectors are pooled. Where absent, the model's own head is used if it has one, else `published`.
    pub pooling: Option<Pooling>,
    /// What the model was published with, by its `1_Pooling/config.json`; the mean where absent.
    pub published: Option<Pooling>,
    /// A text and the vector it must get, for checking a model when it is loaded.
    pub expected: Option<Expected>,
}

/// A text, embedded without a prefix, and its vector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// The text.
    pub text: String,
    /// Its vector, of any length.
    pub vector: Vec<f32>,
}

impl Default for OnnxOptions {
    fn default() -> Self {
        Self {
            max_tokens: 128,
            query_prefix: String::new(),
            document_prefix: String::new(),
            batch_tokens: 512,
            pooling: None,
            published: None,
            expected: None,
        }
    }
}
