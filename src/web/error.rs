//! Errors across the boundary: a JavaScript `Error` with `code` and `retryable`.

use crate::error::{Error, Thrown, excerpt};
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
    text_of(thrown, "code")
}

/// The most letters of what was thrown that are kept.
const LONGEST: usize = 10_000;

/// What was thrown, as plain data. What is not an error of this package has become one on its way here, with a `cause`
/// that describes it.
pub(super) fn described(thrown: &JsValue) -> Thrown {
    let cause = Reflect::get(thrown, &"cause".into()).ok().filter(JsValue::is_object);
    let thrown = cause.as_ref().unwrap_or(thrown);
    Thrown {
        name: text_of(thrown, "name"),
        message: excerpt(&text_of(thrown, "message").unwrap_or_else(|| message_of(thrown)), LONGEST),
        code: code_of(thrown),
    }
}

fn text_of(object: &JsValue, name: &str) -> Option<String> {
    Reflect::get(object, &name.into()).ok()?.as_string()
}
