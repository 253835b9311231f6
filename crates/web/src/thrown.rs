//! What JavaScript threw.

use js_sys::Reflect;
use vademecum_protocol::error::excerpt;
use wasm_bindgen::{JsCast, JsValue};

/// In words.
pub fn message_of(thrown: &JsValue) -> String {
    let message = match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => thrown.as_string().unwrap_or_else(|| format!("{thrown:?}")),
    };
    excerpt(&message, 300)
}

/// The code of an error that was thrown, where it has one.
pub fn code_of(thrown: &JsValue) -> Option<String> {
    text_of(thrown, "code")
}

/// Whether an error that was thrown says that the same may succeed later.
pub fn is_retryable(thrown: &JsValue) -> bool {
    Reflect::get(thrown, &"retryable".into()).is_ok_and(|retryable| retryable.is_truthy())
}

/// Returns the property `name`, where it is a string.
pub fn text_of(object: &JsValue, name: &str) -> Option<String> {
    Reflect::get(object, &name.into()).ok()?.as_string()
}
