//! What the modules leave to the browser's own `String.prototype.normalize`.

use crate::text::forms::{self, Form};
use js_sys::JsString;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(start)]
fn start() {
    forms::use_host(normalised);
}

fn normalised(text: &str, form: Form) -> String {
    JsString::from(text).normalize(form.name()).into()
}
