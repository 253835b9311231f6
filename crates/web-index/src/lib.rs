//! The wasm module of the standalone indexes and the graph builder.

#![cfg(target_arch = "wasm32")]

mod found;
pub mod graph;
pub mod keyword_index;
pub mod vector_index;
