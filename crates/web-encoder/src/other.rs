//! A model that only a general runtime can run.

use js_sys::{Object, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;

/// Returns `{reason, model}`: why the kernel does not run the model, and the contents of its file.
pub(crate) fn to_js(reason: &str, model: &Uint8Array) -> JsValue {
    let other = Object::new();
    // Setting a property of a fresh object cannot fail.
    let _ = Reflect::set(&other, &"reason".into(), &reason.into());
    let _ = Reflect::set(&other, &"model".into(), model);
    other.into()
}
