//! The wasm boundary: what the npm package's JavaScript calls. One file an exported class or an implemented port.
//!
//! Every method takes `&self`, takes what it needs at once and returns a `Promise`, so that no borrow is held while
//! JavaScript runs. Values cross as plain JSON-like objects, vectors as flat typed arrays.

mod abort;
mod convert;
#[cfg(feature = "onnx")]
mod counter;
pub mod directory;
pub mod embedder;
pub mod engine;
mod error;
pub mod evaluation;
#[cfg(feature = "onnx")]
mod fetch;
mod functions;
mod llm;
#[cfg(feature = "onnx")]
pub mod onnx_embedder;
mod platform;
pub mod raw;
