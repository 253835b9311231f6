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

    type MessageChannel;

    #[wasm_bindgen(constructor)]
    fn new() -> MessageChannel;

    #[wasm_bindgen(method, getter)]
    fn port1(this: &MessageChannel) -> Port;

    #[wasm_bindgen(method, getter)]
    fn port2(this: &MessageChannel) -> Port;

    type Port;

    #[wasm_bindgen(method, setter)]
    fn set_onmessage(this: &Port, callback: &Function);

    #[wasm_bindgen(method, js_name = postMessage)]
    fn post(this: &Port, message: &JsValue);

    #[wasm_bindgen(method)]
    fn close(this: &Port);
}

/// The event loop of a page or a worker.
#[derive(Debug)]
pub struct Browser;

impl Platform for Browser {
    fn now(&self) -> f64 {
        performance_now()
    }

    fn pause(&self) -> LocalBoxFuture<'static, ()> {
        Box::pin(turn())
    }

    fn sleep(&self, milliseconds: f64) -> LocalBoxFuture<'static, ()> {
        Box::pin(wait(milliseconds as u32))
    }
}

/// Lets other tasks run, by a message: browsers delay timers that are set in each other's callbacks by four milliseconds.
async fn turn() {
    let channel = MessageChannel::new();
    let arrival = Promise::new(&mut |resolve, _| {
        channel.port1().set_onmessage(&resolve);
        channel.port2().post(&JsValue::NULL);
    });
    let _ = JsFuture::from(arrival).await;
    // An open port would keep a process of Node alive.
    channel.port1().close();
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
