//! HTML, for the engine's module, which goes without its tokenizer.

use vademecum_text::html::extract;
use wasm_bindgen::prelude::*;

/// The structure of an HTML source. Nothing at all is a failure: every structure takes some bytes.
#[wasm_bindgen(js_name = readHtml)]
pub fn read_html(source: &str) -> Vec<u8> {
    extract(source).ok().and_then(|found| postcard::to_allocvec(&found).ok()).unwrap_or_default()
}
