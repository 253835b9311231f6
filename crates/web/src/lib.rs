//! What the wasm modules share: values and errors across the boundary, abort signals, downloads, and the host's part.
//! `js` beside it is the npm package's JavaScript, which calls the modules.
//!
//! Exported methods take `&self`, take what they need at once and return a `Promise`, so that no borrow is held while
//! JavaScript runs. Values cross as plain JSON-like objects, vectors as flat typed arrays.

#![cfg(target_arch = "wasm32")]

pub mod abort;
pub mod convert;
pub mod error;
#[cfg(feature = "onnx")]
pub mod fetch;
mod host;
pub mod platform;
#[cfg(feature = "onnx")]
pub mod runtime;
pub mod thrown;
