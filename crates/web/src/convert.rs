//! Converts values between Rust and JavaScript, by way of JSON.

use js_sys::{JSON, Object};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use vademecum_protocol::error::{Error, Result};
use wasm_bindgen::JsValue;

/// Converts a Rust value to JavaScript: maps become objects, `None` becomes `null`.
///
/// Goes through JSON text, which the browser parses faster than an object can be built call by call, and
/// whose code is in the module anyway.
pub fn to_js(value: &impl Serialize) -> Result<JsValue, JsValue> {
    let text = serde_json::to_string(value).map_err(|error| JsValue::from_str(&error.to_string()))?;
    JSON::parse(&text)
}

/// Converts a JavaScript value to Rust; `name` is the argument's name for error messages. `undefined` and
/// `null`, also of fields, mean the default.
///
/// Goes through `serde_json::Value`: deserialising directly from an object would silently ignore misspelt
/// fields.
pub fn from_js<T: DeserializeOwned>(name: &str, value: JsValue) -> Result<T> {
    let value = if value.is_undefined() || value.is_null() { Object::new().into() } else { value };
    let mut value: Value =
        serde_wasm_bindgen::from_value(value).map_err(|error| mismatch(name, &error.to_string()))?;
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, field| !field.is_null());
    }
    serde_json::from_value(value).map_err(|error| mismatch(name, &error.to_string()))
}

/// Returns the error for a value that does not match its type. The package validates options by name before;
/// this message is for callers of `vademecum/wasm`, and uses JavaScript's terms.
fn mismatch(name: &str, error: &str) -> Error {
    let mut error = error.to_owned();
    for number in ["usize", "u64", "u32", "f64", "f32"] {
        error = error.replace(&format!("expected {number}"), "expected a number");
    }
    Error::invalid(name, "a value of its declared type", format!("another: {error}"))
}
