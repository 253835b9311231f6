//! The wasm module of the engine: [`engine::Engine`], embedders, storage, and what the agent's module asks of it.

#![cfg(target_arch = "wasm32")]

pub mod bridge;
#[cfg(feature = "onnx")]
mod counter;
pub mod directory;
mod documents;
pub mod embedder;
pub mod engine;
#[cfg(feature = "onnx")]
pub mod onnx_embedder;
pub mod use_html;
