//! Addresses of a site's pages.

use js_sys::Function;
use serde_json::json;
use std::collections::HashSet;
use vademecum_files::sitemap;
use wasm_bindgen::prelude::*;

/// Returns the pages of a site by the ids of its files, as JSON: `{ pages: { id: { url, modified } }, notes: [[file, note]] }`.
/// `textOf` returns the text of a file from its name, and `undefined` if it cannot be read or has more bytes than a sitemap may have.
#[wasm_bindgen(js_name = pagesOfSite)]
pub fn pages(ids: Vec<String>, text_of: &Function) -> String {
    let known: HashSet<&str> = ids.iter().map(String::as_str).collect();
    let (pages, notes) = sitemap::pages_of(&known, |name| {
        text_of.call1(&JsValue::NULL, &name.into()).ok().and_then(|text| text.as_string())
    });
    json!({ "pages": pages, "notes": notes }).to_string()
}

/// Returns the name of a site's sitemap.
#[wasm_bindgen(js_name = sitemapName)]
pub fn sitemap_name() -> String {
    sitemap::FILE.to_owned()
}

/// Returns the maximum size of a sitemap, in bytes.
#[wasm_bindgen(js_name = sitemapBytes)]
pub fn sitemap_bytes() -> f64 {
    sitemap::MAX_BYTES as f64
}

/// Returns the address of a file below that of its folder.
#[wasm_bindgen(js_name = addressBelow)]
pub fn address_below(base: &str, file: &str) -> String {
    vademecum_files::address_below(base, file)
}
