//! `AbortSignal`s both ways: the caller's as a [`Cancel`], and one for each function of theirs that is called.

use crate::cancel::Cancel;
use js_sys::Promise;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, AbortSignal};

/// Cancels with the signal for as long as it lives.
pub(super) struct Linked {
    pub(super) cancel: Cancel,
    signal: Option<AbortSignal>,
    listener: Closure<dyn FnMut()>,
}

impl Linked {
    pub(super) fn to(signal: Option<AbortSignal>) -> Self {
        let cancel = Cancel::default();
        let listener = {
            let cancel = cancel.clone();
            Closure::<dyn FnMut()>::new(move || cancel.cancel())
        };
        if let Some(signal) = &signal {
            if signal.aborted() {
                cancel.cancel();
            }
            // Adding a listener to a live target cannot fail.
            let _ = signal.add_event_listener_with_callback("abort", listener.as_ref().unchecked_ref());
        }
        Self { cancel, signal, listener }
    }
}

impl Drop for Linked {
    fn drop(&mut self) {
        if let Some(signal) = &self.signal {
            let _ =
                signal.remove_event_listener_with_callback("abort", self.listener.as_ref().unchecked_ref());
        }
    }
}

/// A call of a function of the page's. If it is dropped before it has ended, because its run was aborted or out of time, or
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
