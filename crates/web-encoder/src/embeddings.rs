//! Vectors as JavaScript has them.

use js_sys::{Array, Float32Array, Object, Reflect};
use vademecum_encoder::Embeddings;
use wasm_bindgen::prelude::*;

/// Returns `{dimensions, values: Float32Array, truncated: boolean[]}`.
pub(crate) fn to_js(embeddings: &Embeddings) -> JsValue {
    let object = Object::new();
    let truncated: Array = embeddings.truncated.iter().map(|flag| JsValue::from_bool(*flag)).collect();
    // Setting a property of a fresh object cannot fail.
    let _ = Reflect::set(&object, &"dimensions".into(), &embeddings.dimensions.into());
    let _ = Reflect::set(&object, &"values".into(), &Float32Array::from(embeddings.values.as_slice()));
    let _ = Reflect::set(&object, &"truncated".into(), &truncated);
    object.into()
}
