//! The [`Functions`] port over a JavaScript function `(name, input) => Promise<any>`, which calls the user's own.

use super::convert::to_js;
use super::error::message_of;
use crate::agent::ports::Functions;
use crate::error::{Error, Result};
use futures_util::future::LocalBoxFuture;
use js_sys::{Function, Promise};
use serde_json::Value;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

pub(super) struct JsFunctions(pub(super) Function);

impl Functions for JsFunctions {
    fn call<'a>(&'a self, name: &'a str, input: &'a Value) -> LocalBoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            let failed = |thrown: &JsValue| Error::FunctionFailed {
                what: name.to_owned(),
                reason: message_of(thrown),
            };
            let input = to_js(input).map_err(|thrown| failed(&thrown))?;
            let call =
                self.0.call2(&JsValue::NULL, &name.into(), &input).map_err(|thrown| failed(&thrown))?;
            let output = JsFuture::from(Promise::resolve(&call)).await.map_err(|thrown| failed(&thrown))?;
            if output.is_undefined() || output.is_null() {
                return Ok(Value::Null);
            }
            serde_wasm_bindgen::from_value(output).map_err(|error| Error::FunctionResult {
                what: name.to_owned(),
                expected: "plain data",
                got: error.to_string(),
            })
        })
    }
}
