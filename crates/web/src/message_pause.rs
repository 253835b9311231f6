//! Pauses that take a message instead of a timer: browsers delay timers that are set in each other's callbacks by four
//! milliseconds, which an encoder would wait for with every batch.

use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
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

/// Lets other tasks run.
pub(crate) async fn pause() {
    let channel = MessageChannel::new();
    let arrival = Promise::new(&mut |resolve, _| {
        channel.port1().set_onmessage(&resolve);
        channel.port2().post(&JsValue::NULL);
    });
    let _ = JsFuture::from(arrival).await;
    // An open port would keep a process of Node alive.
    channel.port1().close();
}
