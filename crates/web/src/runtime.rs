//! The loader of the ONNX runtime, implemented in JavaScript.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/src/runtime.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = prepareRuntime)]
    async fn prepare(base: &str, timeout: f64) -> Result<JsValue, JsValue>;

    /// Removes the globals that replaced the page while the runtime was loading.
    #[wasm_bindgen(js_name = finishRuntime)]
    pub fn finish_runtime();
}

#[wasm_bindgen(module = "/js/download.js")]
extern "C" {
    /// The default timeout. Its import also puts this file where `runtime.js` finds it.
    #[wasm_bindgen(thread_local_v2)]
    static STALLED: f64;
}

/// Loads the runtime's files from the folder `base`; fails if no byte arrives for `timeout` milliseconds.
pub async fn prepare_runtime(base: &str, timeout: Option<f64>) -> Result<JsValue, JsValue> {
    prepare(base, timeout.unwrap_or_else(|| STALLED.with(|default| *default))).await
}
