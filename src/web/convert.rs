//! Values across the boundary, in JSON-compatible form.

use crate::document::Document;
use crate::error::{Error, Result};
use crate::text::decode;
use js_sys::{Array, Object, Reflect, Uint8Array};
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

/// Documents, whose text may come as a string or as the bytes of a file.
pub(super) fn documents(value: &JsValue) -> Result<Vec<Document>> {
    let not_a_list = || Error::invalid("documents", "an array", type_of(value));
    let list: &Array = value.dyn_ref().ok_or_else(not_a_list)?;
    list.iter().map(|item| document(&item)).collect()
}

fn document(value: &JsValue) -> Result<Document> {
    let object: &Object = value
        .dyn_ref()
        .ok_or_else(|| Error::invalid("document", "an object with id and text", type_of(value)))?;
    let bytes = Reflect::get(object, &"bytes".into()).unwrap_or_default();
    if bytes.is_undefined() {
        return from_js("document", value.clone());
    }
    let id = Reflect::get(object, &"id".into()).ok().and_then(|id| id.as_string()).unwrap_or_default();
    let bytes: Uint8Array =
        bytes.dyn_into().map_err(|other| Error::invalid("bytes", "a Uint8Array", type_of(&other)))?;
    let text = decode::utf8(&id, &bytes.to_vec())?;
    let copy = Object::assign(&Object::new(), object);
    let failed = |_| Error::invalid("document", "a plain object", "one that cannot be changed");
    Reflect::delete_property(&copy, &"bytes".into()).map_err(failed)?;
    Reflect::set(&copy, &"text".into(), &text.into()).map_err(failed)?;
    from_js("document", copy.into())
}

pub(super) fn type_of(value: &JsValue) -> String {
    value.js_typeof().as_string().unwrap_or_default()
}
