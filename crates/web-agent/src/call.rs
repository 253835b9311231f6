//! Calls functions of the page, and describes what they throw.

use js_sys::{Promise, Reflect};
use vademecum_protocol::error::{Thrown, excerpt};
use vademecum_web::thrown::{code_of, message_of, text_of};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortController;

/// A call with its own abort signal. Dropping it before it has ended aborts the signal, so that no stream is read in vain: the
/// run was aborted, is out of time, or cannot use the reply.
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

    /// Waits for the promise that the function returned.
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

/// Maximum length of a stored message in characters.
const MAX_MESSAGE: usize = 10_000;

/// Describes a thrown value as plain data. An error of another library has been wrapped on its way here and is described in
/// `cause`.
pub(super) fn described(thrown: &JsValue) -> Thrown {
    let cause = Reflect::get(thrown, &"cause".into()).ok().filter(JsValue::is_object);
    let thrown = cause.as_ref().unwrap_or(thrown);
    Thrown {
        name: text_of(thrown, "name"),
        message: excerpt(&text_of(thrown, "message").unwrap_or_else(|| message_of(thrown)), MAX_MESSAGE),
        code: code_of(thrown),
    }
}
