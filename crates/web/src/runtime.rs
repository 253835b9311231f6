//! The loader of the ONNX runtime, implemented in JavaScript.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/src/runtime.js")]
extern "C" {
    /// Loads the runtime's files from the folder `base`.
    #[wasm_bindgen(catch, js_name = prepareRuntime)]
    pub async fn prepare_runtime(base: &str, timeout: Option<f64>) -> Result<JsValue, JsValue>;

    /// Removes the globals that replaced the page while the runtime was loading.
    #[wasm_bindgen(js_name = finishRuntime)]
    pub fn finish_runtime();
}
