//! HTML, for the engine's module, which goes without its tokenizer.

use super::error;
use crate::error::Error;
use crate::text::html::extract;
use wasm_bindgen::prelude::*;

/// The structure of an HTML source.
#[wasm_bindgen(js_name = readHtml)]
pub fn read_html(source: &str) -> Result<Vec<u8>, JsValue> {
    let bytes = extract(source)
        .and_then(|found| postcard::to_allocvec(&found).map_err(|error| Error::internal(error.to_string())));
    bytes.map_err(|error| error::to_js(&error))
}
