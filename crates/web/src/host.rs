//! Registers the functions that the browser provides: Unicode normalisation and number parsing.

use js_sys::JsString;
use vademecum_text::normal_forms::{self, Form};
use vademecum_text::number;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(start)]
fn start() {
    normal_forms::use_host(|text, form: Form| JsString::from(text).normalize(form.name()).into());
    number::use_host(|text| JsValue::from_str(text).unchecked_into_f64());
}
