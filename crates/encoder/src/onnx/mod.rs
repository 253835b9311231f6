//! Models in ONNX form by a general runtime: tokenise, batch, run, and make a vector, a rating or an answer of the output.
//!
//! [`Tokens`] and [`TokenBatch`] are plain Rust and run anywhere. `OnnxEmbedder` and `OnnxPairEncoder` need the ONNX runtime:
//! they exist in a browser and, with the feature `native`, where a shared library of the runtime is installed.

mod tokens;

#[cfg(any(target_arch = "wasm32", feature = "native"))]
mod embedder;
#[cfg(any(target_arch = "wasm32", feature = "native"))]
mod pair_encoder;
#[cfg(any(target_arch = "wasm32", feature = "native"))]
mod session;

pub use crate::onnx_options::{Backend, Expected, MAX_TOKENS, OnnxOptions, Pooling};
#[cfg(any(target_arch = "wasm32", feature = "native"))]
pub use embedder::OnnxEmbedder;
#[cfg(any(target_arch = "wasm32", feature = "native"))]
pub use pair_encoder::OnnxPairEncoder;
pub use tokens::{PairTokens, TokenBatch, Tokens};
