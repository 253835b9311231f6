//! Search results: ids and scores, best first.

use js_sys::{Float32Array, Object, Uint32Array};
use vademecum_protocol::error::{Error, Result};
use vademecum_web::error;
use wasm_bindgen::prelude::*;

pub(crate) fn js<T>(result: Result<T, impl Into<Error>>) -> Result<T, JsValue> {
    result.map_err(|error| error::to_js(&error.into()))
}

#[wasm_bindgen]
extern "C" {
    /// Search results, best first.
    #[derive(Debug)]
    #[wasm_bindgen(
        typescript_type = "{ ids: Uint32Array; scores: Float32Array; method?: \"exact\" | \"sketch\" | \"hnsw\" }"
    )]
    pub type Found;

    #[wasm_bindgen(method, setter, structural)]
    fn set_ids(this: &Found, ids: Uint32Array);
    #[wasm_bindgen(method, setter, structural)]
    fn set_scores(this: &Found, scores: Float32Array);
    #[wasm_bindgen(method, setter, structural)]
    pub(crate) fn set_method(this: &Found, method: JsValue);
}

pub(crate) fn found(rows: &[(u32, f32)]) -> Found {
    let ids: Vec<u32> = rows.iter().map(|row| row.0).collect();
    let scores: Vec<f32> = rows.iter().map(|row| row.1).collect();
    let found: Found = Object::new().unchecked_into();
    found.set_ids(Uint32Array::from(ids.as_slice()));
    found.set_scores(Float32Array::from(scores.as_slice()));
    found
}
