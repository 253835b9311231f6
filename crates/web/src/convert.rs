//! Values across the boundary, in JSON-compatible form.

use js_sys::{JSON, Object};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use vademecum_protocol::error::{Error, Result};
use wasm_bindgen::JsValue;

/// A Rust value as a JavaScript one: maps become objects, `None` becomes `null`.
///
/// It goes by way of text, which the browser reads faster than an object is put together from here, call by call, and by
/// code that is in the module anyway.
pub fn to_js(value: &impl Serialize) -> Result<JsValue, JsValue> {
    let text = serde_json::to_string(value).map_err(|error| JsValue::from_str(&error.to_string()))?;
    JSON::parse(&text)
}

/// A JavaScript value as a Rust one; `name` is what the caller calls it. Nothing, and a field of nothing, mean the
/// default.
///
/// It goes by way of JSON's own types: read straight from an object, a misspelt field would be passed over in silence.
pub fn from_js<T: DeserializeOwned>(name: &str, value: JsValue) -> Result<T> {
    let value = if value.is_undefined() || value.is_null() { Object::new().into() } else { value };
    let mut value: Value =
        serde_wasm_bindgen::from_value(value).map_err(|error| mismatch(name, &error.to_string()))?;
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, field| !field.is_null());
    }
    serde_json::from_value(value).map_err(|error| mismatch(name, &error.to_string()))
}

/// An error for a value that does not match its type. The package checks options before they come here, by name; this
/// message serves callers of `vademecum/wasm`, in JavaScript's words.
fn mismatch(name: &str, error: &str) -> Error {
    let mut error = error.to_owned();
    for number in ["usize", "u64", "u32", "f64", "f32"] {
        error = error.replace(&format!("expected {number}"), "expected a number");
    }
    Error::invalid(name, "a value of its declared type", format!("another: {error}"))
}
