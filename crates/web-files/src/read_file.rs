//! Reads one file.

use crate::kinds::named;
use serde_json::json;
use vademecum_files::sitemap::Page;
use vademecum_files::{File, pdf};
use wasm_bindgen::prelude::*;

/// Returns the documents of a file as JSON: `{ documents, notes }`, or `{ refusal: { code, message } }`. `page` is the JSON of a page of
/// [`crate::site::pages`].
///
/// # Errors
/// If there is no such kind, or the page is none.
#[wasm_bindgen(js_name = readFile)]
pub fn read_file(id: &str, kind: &str, bytes: Vec<u8>, page: Option<String>) -> Result<String, JsValue> {
    let page: Option<Page> = page
        .map(|json| serde_json::from_str(&json))
        .transpose()
        .map_err(|error| JsValue::from_str(&error.to_string()))?;
    let file = File { id, kind: named(kind)?, page: page.as_ref() };
    let read = vademecum_files::read_file(file, bytes, &pdf::pages);
    let json = match read {
        Ok(read) => json!({ "documents": read.documents, "notes": read.notes }),
        Err(refusal) => json!({ "refusal": refusal }),
    };
    Ok(json.to_string())
}
