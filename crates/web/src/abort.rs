//! Connects an `AbortSignal` to a [`Cancel`].

use vademecum_protocol::cancel::Cancel;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::AbortSignal;

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
