//! Sentence encoders in ONNX form: tokenise, batch, run, pool, normalise.
//!
//! [`Tokens`] and [`mean_pool`] are plain Rust and run anywhere. `OnnxEmbedder` needs the ONNX runtime: it
//! exists in a browser and, with the feature `native`, where a shared library of the runtime is installed.

mod pool;
mod tokens;

#[cfg(any(target_arch = "wasm32", feature = "native"))]
mod embedder;
#[cfg(any(target_arch = "wasm32", feature = "native"))]
mod session;

pub use crate::onnx_options::{Backend, Expected, MAX_TOKENS, OnnxOptions, Pooling};
#[cfg(any(target_arch = "wasm32", feature = "native"))]
pub use embedder::OnnxEmbedder;
pub use pool::{mean_pool, pool};
pub use tokens::{TokenBatch, Tokens};
