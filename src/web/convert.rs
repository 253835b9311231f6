//! Values across the boundary, in JSON-compatible form.

use crate::document::Document;
use crate::error::{Error, Result};
use crate::text::decode;
use js_sys::{Array, JsString, Object, Reflect, Uint8Array};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};

/// A Rust value as a JavaScript one: maps become objects, `None` becomes `null`.
pub(super) fn to_js(value: &impl Serialize) -> Result<JsValue, JsValue> {
    value
        .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .map_err(|error| JsValue::from_str(&error.to_string()))
}

/// A JavaScript value as a Rust one; `name` is what the caller calls it. Nothing, and a field of nothing, mean the
/// default.
///
/// It goes by way of JSON's own types: read straight from an object, a misspelt field would be passed over in silence.
pub(super) fn from_js<T: DeserializeOwned>(name: &str, value: JsValue) -> Result<T> {
    let wrong = |error: String| Error::invalid(name, "as its type says", format!("different: {error}"));
    let value = if value.is_undefined() || value.is_null() { Object::new().into() } else { value };
    let mut value: Value = serde_wasm_bindgen::from_value(value).map_err(|error| wrong(error.to_string()))?;
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, field| !field.is_null());
    }
    serde_json::from_value(value).map_err(|error| wrong(error.to_string()))
}

/// Documents, whose text may come as a string or as the bytes of a file. One over `limit` bytes is refused before
/// it is copied: a copy too many could be what the memory has no room for.
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
    // A string has at least as many bytes as UTF-16 units.
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
