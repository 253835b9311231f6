//! The wasm module of the standalone indexes and the graph builder.

#![cfg(target_arch = "wasm32")]

pub mod raw;
