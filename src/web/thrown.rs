//! What JavaScript threw.

use crate::error::excerpt;
use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue};

/// In words.
pub(super) fn message_of(thrown: &JsValue) -> String {
    let message = match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => thrown.as_string().unwrap_or_else(|| format!("{thrown:?}")),
    };
    excerpt(&message, 300)
}

/// The code of an error that was thrown, where it has one.
pub(super) fn code_of(thrown: &JsValue) -> Option<String> {
    text_of(thrown, "code")
}

/// Whether an error that was thrown says that the same may succeed later.
pub(super) fn is_retryable(thrown: &JsValue) -> bool {
    Reflect::get(thrown, &"retryable".into()).is_ok_and(|retryable| retryable.is_truthy())
}

pub(super) fn text_of(object: &JsValue, name: &str) -> Option<String> {
    Reflect::get(object, &name.into()).ok()?.as_string()
}
