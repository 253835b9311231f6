//! Implements [`Platform`] with the browser's clock and event loop.

use futures_util::future::LocalBoxFuture;
use js_sys::{Function, Promise};
use vademecum_protocol::platform::Platform;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;

    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(callback: &Function, milliseconds: u32) -> JsValue;

    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(timer: &JsValue);
}

/// The event loop of a page or a worker.
#[derive(Debug)]
pub struct Browser;

impl Platform for Browser {
    fn now(&self) -> f64 {
        performance_now()
    }

    fn pause(&self) -> LocalBoxFuture<'static, ()> {
        #[cfg(feature = "message-pauses")]
        return Box::pin(super::message_pause::pause());
        #[cfg(not(feature = "message-pauses"))]
        Box::pin(wait(0))
    }

    fn sleep(&self, milliseconds: f64) -> LocalBoxFuture<'static, ()> {
        Box::pin(wait(milliseconds as u32))
    }
}

/// Maximum delay of `setTimeout`; browsers treat longer ones as 0.
const MAX_DELAY: u32 = i32::MAX as u32;

async fn wait(milliseconds: u32) {
    let mut timer = None;
    let turn = Promise::new(&mut |resolve, _| {
        timer = Some(Timer(set_timeout(&resolve, milliseconds.min(MAX_DELAY))));
    });
    let _ = JsFuture::from(turn).await;
    drop(timer);
}

/// A timer that is cleared on drop: in Node, a pending timer would keep the process alive.
struct Timer(JsValue);

impl Drop for Timer {
    fn drop(&mut self) {
        clear_timeout(&self.0);
    }
}
