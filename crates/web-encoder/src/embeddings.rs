//! Vectors as JavaScript has them.

use js_sys::{Array, Float32Array, Object, Reflect};
use vademecum_encoder::Embeddings;
#[cfg(feature = "kernel")]
use vademecum_encoder::alignment::Aligned;
use wasm_bindgen::prelude::*;

/// Returns `{dimensions, values: Float32Array, truncated: boolean[]}`.
pub(crate) fn to_js(embeddings: &Embeddings) -> JsValue {
    object_of(embeddings).into()
}

/// Returns `{dimensions, values, truncated, matches: Float32Array}`.
#[cfg(feature = "kernel")]
pub(crate) fn aligned_to_js(aligned: &Aligned) -> JsValue {
    let object = object_of(&aligned.embeddings);
    let _ = Reflect::set(&object, &"matches".into(), &Float32Array::from(aligned.matches.as_slice()));
    object.into()
}

fn object_of(embeddings: &Embeddings) -> Object {
    let object = Object::new();
    let truncated: Array = embeddings.truncated.iter().map(|flag| JsValue::from_bool(*flag)).collect();
    // Setting a property of a fresh object cannot fail.
    let _ = Reflect::set(&object, &"dimensions".into(), &embeddings.dimensions.into());
    let _ = Reflect::set(&object, &"values".into(), &Float32Array::from(embeddings.values.as_slice()));
    let _ = Reflect::set(&object, &"truncated".into(), &truncated);
    object
}
