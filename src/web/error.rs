//! Errors across the boundary: a JavaScript `Error` with `code` and `retryable`.

use crate::error::{Error, excerpt};
use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue};

pub(super) fn to_js(error: &Error) -> JsValue {
    let value = js_sys::Error::new(&error.to_string());
    value.set_name("VademecumError");
    // Setting a property of a fresh object cannot fail.
    let _ = Reflect::set(&value, &"code".into(), &error.code().into());
    let _ = Reflect::set(&value, &"retryable".into(), &error.retryable().into());
    value.into()
}

/// What a user's function threw, in words.
pub(super) fn message_of(thrown: &JsValue) -> String {
    let message = match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => thrown.as_string().unwrap_or_else(|| format!("{thrown:?}")),
    };
    excerpt(&message, 300)
}

/// The code of an error that was thrown, where it has one.
pub(super) fn code_of(thrown: &JsValue) -> Option<String> {
    Reflect::get(thrown, &"code".into()).ok()?.as_string()
}
