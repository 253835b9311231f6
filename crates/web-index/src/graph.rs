//! `buildGraph`, which a worker calls.

use vademecum_index::standalone;
use vademecum_web::error;
use wasm_bindgen::prelude::*;

/// Builds the HNSW graph of vectors returned by `nextGraph`. Takes minutes for tens of thousands; run it in a
/// worker of its own.
#[wasm_bindgen(js_name = buildGraph)]
pub fn build_graph(vectors: &[u8]) -> Result<Option<Vec<u8>>, JsValue> {
    let vectors = standalone::load_vectors(vectors).map_err(|error| error::to_js(&error))?;
    vectors.build_graph().map(|graph| graph.to_bytes()).transpose().map_err(|error| error::to_js(&error))
}
