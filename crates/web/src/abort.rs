//! Connects an `AbortSignal` to a [`Cancel`], and aborts calls that nobody waits for.

use js_sys::Promise;
use vademecum_protocol::cancel::Cancel;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, AbortSignal};

/// Cancels when the signal aborts, until dropped.
#[derive(Debug)]
pub struct Linked {
    /// Cancelled when the signal aborts.
    pub cancel: Cancel,
    signal: Option<AbortSignal>,
    listener: Closure<dyn FnMut()>,
}

impl Linked {
    /// Listens to `signal`, if there is one.
    pub fn to(signal: Option<AbortSignal>) -> Self {
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

/// Aborts a call of JavaScript if the future that waits for it is dropped before the call has settled.
#[derive(Debug)]
pub struct AbortOnDrop {
    controller: AbortController,
    is_settled: bool,
}

impl AbortOnDrop {
    /// Creates a signal.
    ///
    /// # Errors
    /// What the browser throws.
    pub fn new() -> Result<Self, JsValue> {
        AbortController::new().map(|controller| Self { controller, is_settled: false })
    }

    /// Returns the signal for the call.
    pub fn signal(&self) -> AbortSignal {
        self.controller.signal()
    }

    /// Waits for the call, which takes the signal.
    ///
    /// # Errors
    /// What the promise is rejected with.
    pub async fn settled(mut self, call: Promise) -> Result<JsValue, JsValue> {
        let outcome = JsFuture::from(call).await;
        // An abort now would change nothing, and make an exception and an event for every call.
        self.is_settled = true;
        outcome
    }
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        if !self.is_settled {
            self.controller.abort();
        }
    }
}
