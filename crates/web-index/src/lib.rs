//! The wasm module of the standalone indexes and of the graph builder, compiled for wasm only.
//!
//! ```js
//! const index = new VectorIndex(2);
//! index.add(new Float32Array([1, 0, 0, 1]));
//! index.build();
//! const { ids, scores } = index.search(new Float32Array([0, 1]), 1);
//! ```
//!
//! [`vector_index::VectorIndex`] and [`keyword_index::KeywordIndex`] search vectors and texts without
//! documents; [`graph::build_graph`] builds the HNSW graph of a segment in a worker. All are thin layers over
//! [`vademecum_index::standalone`].

#![cfg(target_arch = "wasm32")]

mod found;
pub mod graph;
pub mod keyword_index;
pub mod vector_index;
