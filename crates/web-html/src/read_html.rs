//! Reads HTML for the engine's module, which does not contain the tokenizer.

use vademecum_text::html::extract;
use wasm_bindgen::prelude::*;

/// Returns the serialised structure of an HTML source; empty on failure, as no valid structure is.
#[wasm_bindgen(js_name = readHtml)]
pub fn read_html(source: &str) -> Vec<u8> {
    extract(source).ok().and_then(|found| postcard::to_allocvec(&found).ok()).unwrap_or_default()
}
