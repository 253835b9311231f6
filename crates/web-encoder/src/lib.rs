//! The wasm modules of sentence encoders, compiled for wasm only.
//!
//! One module runs encoders of the BERT kind by our own kernel (feature `kernel`), and is built a second time for browsers
//! with relaxed SIMD; another runs any other encoder by an ONNX runtime (feature `onnx`), and has the general tokenizer:
//!
//! ```js
//! let embedder = KernelEmbedder.load(files, contents);
//! if (embedder.reason) embedder = await OnnxEmbedder.load(files, contents);
//! const { dimensions, values, truncated } = await embedder.embed(["A tide."], "document");
//! ```
//!
//! Start reading at `kernel_embedder.rs`.

#![cfg(target_arch = "wasm32")]

mod answers;
mod embeddings;
mod files;
#[cfg(feature = "kernel")]
pub mod kernel_embedder;
#[cfg(feature = "kernel")]
pub mod kernel_pair_encoder;
#[cfg(feature = "onnx")]
pub mod onnx_embedder;
#[cfg(feature = "onnx")]
pub mod onnx_pair_encoder;
#[cfg(feature = "onnx")]
mod onnx_runtime;
#[cfg(feature = "kernel")]
mod other;
#[cfg(feature = "onnx")]
pub mod token_counter;
