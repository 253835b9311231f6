//! Why files are not added, where JavaScript finds the reason.

use crate::kinds::named;
use serde_json::json;
use vademecum_files::Refusal;
use wasm_bindgen::prelude::*;

fn text(refusal: &Refusal) -> String {
    json!(refusal).to_string()
}

/// Returns the refusal of a file that the system does not give, as JSON `{ code, message }`.
#[wasm_bindgen]
pub fn unreadable(reason: &str) -> String {
    text(&Refusal::unreadable(reason))
}

/// Returns the refusal of a file that was written to each time it was read.
#[wasm_bindgen]
pub fn changed() -> String {
    text(&Refusal::changed())
}

/// Returns the refusal of a symbolic link to a folder around it.
#[wasm_bindgen]
pub fn looped(ancestor: &str) -> String {
    text(&Refusal::looped(ancestor))
}

/// Returns the refusal of a file with the id of another one.
#[wasm_bindgen(js_name = sameId)]
pub fn same_id(path: &str, twin: &str) -> String {
    text(&Refusal::same_id(path, twin))
}

/// Returns the refusal of a file with more bytes than one of its kind may have.
///
/// # Errors
/// If there is no such kind.
#[wasm_bindgen(js_name = tooLarge)]
pub fn too_large(bytes: f64, kind: &str) -> Result<String, JsValue> {
    Ok(text(&Refusal::too_large(bytes as u64, named(kind)?)))
}

/// Returns the refusal of a file whose reader was ended, for the reason given.
#[wasm_bindgen]
pub fn unfinished(what: &str) -> String {
    text(&Refusal::unfinished(what))
}

/// Returns the refusal of a file that makes its reader crash.
#[wasm_bindgen]
pub fn crashed() -> String {
    text(&Refusal::crashed())
}

/// Returns the refusal of a document that the engine refuses, for the reason given.
#[wasm_bindgen]
pub fn refused(reason: &str) -> String {
    text(&Refusal::new(vademecum_files::Code::DocumentRefused, reason))
}

/// Returns whether a refusal holds as long as the contents of the file stay the same.
#[wasm_bindgen(js_name = isOfContents)]
pub fn is_of_contents(code: &str) -> bool {
    vademecum_files::Code::ALL.into_iter().any(|one| one.as_str() == code && one.is_of_contents())
}
