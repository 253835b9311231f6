//! Kinds of files, by their names.

use vademecum_files::Kind;
use wasm_bindgen::prelude::*;

/// Returns the kind of a file by its name; nothing for names of images, archives, programs and anything unknown. With `isSite`, also for
/// what a site's output folder has besides its pages.
#[wasm_bindgen(js_name = kindOf)]
pub fn kind_of(name: &str, is_site: bool) -> Option<String> {
    let kind = Kind::of_name(name).filter(|kind| !(is_site && kind.is_part_of_pages()))?;
    Some(kind.name().to_owned())
}

/// Returns the extension of a file's name in lower case; empty where there is none.
#[wasm_bindgen]
pub fn extension(name: &str) -> String {
    vademecum_files::extension(name)
}

/// Returns the maximum size of a file of a kind, in bytes.
///
/// # Errors
/// If there is no such kind.
#[wasm_bindgen(js_name = maxBytes)]
pub fn max_bytes(kind: &str) -> Result<f64, JsValue> {
    named(kind).map(|kind| kind.max_bytes() as f64)
}

/// Returns the XXH3 hash of 128 bits, in hexadecimal, by which the program `vademecum` tells whether a file has changed.
#[wasm_bindgen]
pub fn hash(bytes: &[u8]) -> String {
    format!("{:032x}", xxhash_rust::xxh3::xxh3_128(bytes))
}

/// Returns the kind of a name.
pub(crate) fn named(kind: &str) -> Result<Kind, JsValue> {
    Kind::ALL
        .into_iter()
        .find(|one| one.name() == kind)
        .ok_or_else(|| JsValue::from_str(&format!("There is no kind of file `{kind}`.")))
}
