//! A model that only a general runtime can run.

use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::*;

/// Returns `{reason}`: why the kernel does not run the model.
pub(crate) fn to_js(reason: &str) -> JsValue {
    let other = Object::new();
    // Setting a property of a fresh object cannot fail.
    let _ = Reflect::set(&other, &"reason".into(), &reason.into());
    other.into()
}
