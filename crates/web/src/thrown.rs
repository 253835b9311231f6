//! Reads values thrown by JavaScript.

use js_sys::Reflect;
use vademecum_protocol::error::excerpt;
use wasm_bindgen::{JsCast, JsValue};

/// Returns the message of a thrown value.
pub fn message_of(thrown: &JsValue) -> String {
    let message = match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => thrown.as_string().unwrap_or_else(|| format!("{thrown:?}")),
    };
    excerpt(&message, 300)
}

/// Returns the code of a thrown error, if it has one.
pub fn code_of(thrown: &JsValue) -> Option<String> {
    text_of(thrown, "code")
}

/// Returns whether a thrown error is marked as retryable.
pub fn is_retryable(thrown: &JsValue) -> bool {
    Reflect::get(thrown, &"retryable".into()).is_ok_and(|retryable| retryable.is_truthy())
}

/// Returns the property `name`, if it is a string.
pub fn text_of(object: &JsValue, name: &str) -> Option<String> {
    Reflect::get(object, &name.into()).ok()?.as_string()
}
