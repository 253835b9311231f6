//! Implements the [`Functions`] port over a JavaScript function `(name, input, signal) => Promise<any>`, which calls the
//! caller's.

use super::call::{Call, described};
use futures_util::future::LocalBoxFuture;
use js_sys::Function;
use serde_json::Value;
use vademecum_agent::errors::function_result;
use vademecum_agent::ports::{Functions, ToolUse};
use vademecum_protocol::error::{Error, Result};
use vademecum_web::convert::to_js;
use vademecum_web::thrown::{code_of, is_retryable, message_of};
use wasm_bindgen::JsValue;

pub(super) struct JsFunctions(pub(super) Function);

impl Functions for JsFunctions {
    fn call<'a>(&'a self, name: &'a str, input: &'a Value) -> LocalBoxFuture<'a, Result<Value>> {
        self.called(name, to_js(input))
    }

    fn call_tool<'a>(&'a self, name: &'a str, tool: &'a ToolUse) -> LocalBoxFuture<'a, Result<Value>> {
        self.called(name, to_js(tool))
    }
}

impl JsFunctions {
    fn called<'a>(
        &'a self,
        name: &'a str,
        input: std::result::Result<JsValue, JsValue>,
    ) -> LocalBoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            let failed = |thrown: &JsValue| {
                let (what, message) = (name.to_owned(), message_of(thrown));
                let code = code_of(thrown);
                // The page checks a result before it sends it here.
                if code.as_deref() == Some("function_result") {
                    return function_result(&what, "plain data", &message);
                }
                let known = code.filter(|code| code == "tool_denied" || code.starts_with("remote_"));
                let retryable = is_retryable(thrown);
                let known =
                    known.and_then(|code| Error::relayed_by_remote(&code, message.clone(), retryable));
                known.unwrap_or_else(|| Error::FunctionFailed {
                    what,
                    reason: message,
                    cause: Some(Box::new(described(thrown))),
                })
            };
            let input = input.map_err(|thrown| failed(&thrown))?;
            let mut call = Call::new();
            let returned = self.0.call3(&JsValue::NULL, &name.into(), &input, &call.signal());
            let output = call
                .outcome(&returned.map_err(|thrown| failed(&thrown))?)
                .await
                .map_err(|thrown| failed(&thrown))?;
            if output.is_undefined() || output.is_null() {
                return Ok(Value::Null);
            }
            serde_wasm_bindgen::from_value(output)
                .map_err(|error| function_result(name, "plain data", &error.to_string()))
        })
    }
}
