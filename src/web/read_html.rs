//! HTML, for the engine's module, which goes without its tokenizer.

use crate::text::html::extract;
use wasm_bindgen::prelude::*;

/// The structure of an HTML source.
#[wasm_bindgen(js_name = readHtml)]
pub fn read_html(source: &str) -> Vec<u8> {
    postcard::to_allocvec(&extract(source)).unwrap_or_default()
}
