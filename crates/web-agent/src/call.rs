//! Calls of functions of the page's, and what they throw.

use js_sys::{Promise, Reflect};
use vademecum_protocol::error::{Thrown, excerpt};
use vademecum_web::thrown::{code_of, message_of, text_of};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortController;

/// A call, with a signal of its own. If it is dropped before it has ended, because its run was aborted or out of time, or
/// its reply of no use, its signal is aborted: no stream is read that nobody listens to.
pub(super) struct Call {
    controller: Option<AbortController>,
    ended: bool,
}

impl Call {
    pub(super) fn new() -> Self {
        Self { controller: AbortController::new().ok(), ended: false }
    }

    pub(super) fn signal(&self) -> JsValue {
        self.controller.as_ref().map_or(JsValue::UNDEFINED, |controller| controller.signal().into())
    }

    /// Waits for what the function returned.
    pub(super) async fn outcome(&mut self, returned: &JsValue) -> Result<JsValue, JsValue> {
        let outcome = JsFuture::from(Promise::resolve(returned)).await;
        self.ended = true;
        outcome
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if let Some(controller) = self.controller.as_ref().filter(|_| !self.ended) {
            controller.abort();
        }
    }
}

/// The most letters of what was thrown that are kept.
const LONGEST: usize = 10_000;

/// What was thrown, as plain data. What is not an error of this package has become one on its way here, with a `cause`
/// that describes it.
pub(super) fn described(thrown: &JsValue) -> Thrown {
    let cause = Reflect::get(thrown, &"cause".into()).ok().filter(JsValue::is_object);
    let thrown = cause.as_ref().unwrap_or(thrown);
    Thrown {
        name: text_of(thrown, "name"),
        message: excerpt(&text_of(thrown, "message").unwrap_or_else(|| message_of(thrown)), LONGEST),
        code: code_of(thrown),
    }
}
