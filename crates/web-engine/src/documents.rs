//! Reads documents passed by JavaScript.

use js_sys::{Array, JsString, Object, Reflect, Uint8Array};
use vademecum_protocol::document::Document;
use vademecum_protocol::error::{Error, Result};
use vademecum_text::decode;
use vademecum_web::convert::from_js;
use wasm_bindgen::{JsCast, JsValue};

/// Reads documents, whose text may be a string or the bytes of a file. Rejects one over `limit` bytes before
/// copying it, because the copy might exceed the memory.
pub(super) fn documents(value: &JsValue, limit: usize) -> Result<Vec<Document>> {
    let not_a_list = || Error::invalid("documents", "an array", type_of(value));
    let list: &Array = value.dyn_ref().ok_or_else(not_a_list)?;
    list.iter().map(|item| document(&item, limit)).collect()
}

fn document(value: &JsValue, limit: usize) -> Result<Document> {
    let object: &Object = value
        .dyn_ref()
        .ok_or_else(|| Error::invalid("document", "an object with id and text", type_of(value)))?;
    let field = |name: &str| Reflect::get(object, &name.into()).unwrap_or_default();
    let id = field("id").as_string().unwrap_or_default();
    let within = |bytes: usize| {
        if bytes > limit { Err(Error::DocumentTooLarge { id: id.clone(), bytes, limit }) } else { Ok(()) }
    };
    // A string has at least as many UTF-8 bytes as UTF-16 units.
    within(field("text").dyn_ref::<JsString>().map_or(0, |text| text.length() as usize))?;
    let bytes = field("bytes");
    if bytes.is_undefined() {
        return from_js("document", value.clone());
    }
    let bytes: Uint8Array =
        bytes.dyn_into().map_err(|other| Error::invalid("bytes", "a Uint8Array", type_of(&other)))?;
    within(bytes.length() as usize)?;
    let text = decode::utf8(&id, &bytes.to_vec())?;
    let rest = Object::assign(&Object::new(), object);
    let failed = |_| Error::invalid("document", "a plain object", "one that cannot be changed");
    Reflect::delete_property(&rest, &"bytes".into()).map_err(failed)?;
    Reflect::set(&rest, &"text".into(), &"".into()).map_err(failed)?;
    Ok(Document { text, ..from_js("document", rest.into())? })
}

pub(super) fn type_of(value: &JsValue) -> String {
    value.js_typeof().as_string().unwrap_or_default()
}
