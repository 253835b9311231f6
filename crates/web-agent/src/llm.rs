//! Implements the [`Llm`] port over a JavaScript function `([step, llm, sources], request, onPart, signal) => Promise<void>`,
//! which calls the caller's function and passes on its reply part by part.

use super::call::{Call, described};
use futures_util::future::{Either, LocalBoxFuture, select};
use futures_util::{StreamExt, pin_mut};
use js_sys::{Function, Reflect, Uint8Array};
use vademecum_agent::ports::{Caller, ChatRequest, Llm};
use vademecum_agent::reply::{Assembler, Completion, FunctionCall, Part};
use vademecum_protocol::error::{Error, Result};
use vademecum_web::convert::to_js;
use vademecum_web::thrown::message_of;
use wasm_bindgen::prelude::*;

/// The LLM functions of the page, referenced by name.
pub(super) struct JsLlm {
    /// Calls one of them.
    pub(super) call: Function,
    /// Whether the run has a default LLM.
    pub(super) has_default: bool,
}

impl Llm for JsLlm {
    fn has(&self, name: Option<&str>) -> bool {
        name.is_some() || self.has_default
    }

    fn complete<'a>(
        &'a self,
        caller: Caller<'a>,
        request: &'a ChatRequest,
        on_token: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        self.complete_with_calls(caller, request, on_token, &|_| {})
    }

    fn complete_with_calls<'a>(
        &'a self,
        caller: Caller<'a>,
        request: &'a ChatRequest,
        on_token: &'a dyn Fn(&str),
        on_call: &'a dyn Fn(&FunctionCall),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        Box::pin(async move {
            let (sender, mut parts) = futures_channel::mpsc::unbounded();
            // Owned by JavaScript: a part that arrives after cancellation is dropped.
            let on_part = Closure::<dyn FnMut(JsValue)>::new(move |part: JsValue| {
                let _ = sender.unbounded_send(part);
            });
            let max_bytes = request.max_reply_bytes;
            let caller = to_js(&(caller.step, caller.llm, &request.sources));
            let caller = caller.map_err(|thrown| failed(&thrown))?;
            let request = to_js(request).map_err(|thrown| failed(&thrown))?;
            let mut awaited = Call::new();
            let on_part = on_part.into_js_value();
            let returned = self.call.call4(&JsValue::NULL, &caller, &request, &on_part, &awaited.signal());
            let returned = returned.map_err(|thrown| failed(&thrown))?;
            let call = awaited.outcome(&returned);
            let mut assembler = max_bytes.map_or_else(Assembler::default, Assembler::limited);
            let mut pass_on = |part: JsValue| {
                let text = assembler.take(part_of(&part)?)?;
                assembler.first_call().into_iter().for_each(on_call);
                if !text.is_empty() {
                    on_token(&text);
                }
                Ok::<(), Error>(())
            };
            pin_mut!(call);
            loop {
                match select(parts.next(), &mut call).await {
                    Either::Left((Some(part), _)) => pass_on(part)?,
                    Either::Left((None, _)) => {
                        (&mut call).await.map_err(|thrown| failed(&thrown))?;
                        break;
                    }
                    Either::Right((outcome, _)) => {
                        outcome.map_err(|thrown| failed(&thrown))?;
                        while let Ok(part) = parts.try_recv() {
                            pass_on(part)?;
                        }
                        break;
                    }
                }
            }
            let (completion, rest) = assembler.finish()?;
            completion.tool_calls.first().into_iter().for_each(on_call);
            if !rest.is_empty() {
                on_token(&rest);
            }
            Ok(completion)
        })
    }
}

/// Converts `{status, retryAfter}`, `{bytes}`, `{text}` or `{value}`, or `{denied}`, which comes before any of these.
fn part_of(part: &JsValue) -> Result<Part> {
    let field =
        |name: &str| Some(Reflect::get(part, &name.into()).unwrap_or_default()).filter(|v| !v.is_undefined());
    if let Some(denied) = field("denied") {
        let get = |name: &str| Reflect::get(&denied, &name.into()).unwrap_or_default();
        let cause = Some(get("cause")).filter(JsValue::is_object);
        return Err(Error::SendDenied {
            reason: get("reason").as_string().unwrap_or_default(),
            cause: cause.map(|cause| Box::new(described(&cause))),
        });
    }
    if let Some(status) = field("status") {
        let retry_after = field("retryAfter").and_then(|seconds| seconds.as_f64());
        return Ok(Part::Head { status: status.as_f64().unwrap_or_default() as u16, retry_after });
    }
    if let Some(bytes) = field("bytes") {
        return Ok(Part::Bytes(Uint8Array::new(&bytes).to_vec()));
    }
    if let Some(text) = field("text").and_then(|text| text.as_string()) {
        return Ok(Part::Text(text));
    }
    let value = serde_wasm_bindgen::from_value(field("value").unwrap_or_default());
    let value =
        value.map_err(|error| Error::LlmReply { expected: "a chat completion", got: error.to_string() })?;
    Ok(Part::Value(value))
}

fn failed(thrown: &JsValue) -> Error {
    Error::LlmFailed { reason: message_of(thrown) }
}
