//! Converts errors to a JavaScript `Error` with `code` and `retryable`.

use js_sys::Reflect;
use vademecum_protocol::error::Error;
use wasm_bindgen::JsValue;

/// Converts an error to a JavaScript `Error` with its code.
pub fn to_js(error: &Error) -> JsValue {
    let value = js_sys::Error::new(&error.to_string());
    value.set_name("VademecumError");
    // Setting a property of a fresh object cannot fail.
    let _ = Reflect::set(&value, &"code".into(), &error.code().into());
    let _ = Reflect::set(&value, &"retryable".into(), &error.retryable().into());
    value.into()
}
