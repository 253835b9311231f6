//! The files of a model.

use js_sys::Uint8Array;
use serde::Deserialize;
use vademecum_encoder::model_files::{Activation, ModelFiles};
use wasm_bindgen::prelude::*;

/// Absolute URLs of the files, and settings of the model. JavaScript downloads the files and passes their contents.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Files<Options> {
    #[cfg(feature = "onnx")]
    #[serde(default)]
    pub(crate) runtime: String,
    pub(crate) model: String,
    pub(crate) tokenizer: String,
    /// Maximum number of milliseconds without a byte of the runtime.
    #[cfg(feature = "onnx")]
    #[serde(default)]
    pub(crate) timeout: Option<f64>,
    /// The functions of the linear maps that follow the pooling; their weights are among the contents.
    #[serde(default)]
    pub(crate) dense: Vec<Activation>,
    #[serde(default)]
    pub(crate) options: Options,
}

#[wasm_bindgen]
extern "C" {
    /// Contents of the files.
    pub type Contents;

    #[wasm_bindgen(method, getter, structural)]
    fn tokenizer(this: &Contents) -> Uint8Array;

    #[wasm_bindgen(method, getter, structural)]
    fn model(this: &Contents) -> Uint8Array;

    /// The `config.json` of a model in the form of safetensors.
    #[wasm_bindgen(method, getter, structural)]
    fn config(this: &Contents) -> Option<Uint8Array>;

    /// The weights of the linear maps that follow the pooling.
    #[wasm_bindgen(method, getter, structural)]
    fn dense(this: &Contents) -> Option<Vec<Uint8Array>>;
}

impl<Options> Files<Options> {
    /// Copies the model's contents, and those of its tokenizer, into the memory of this module.
    pub(crate) fn copied(&self, contents: &Contents) -> (ModelFiles, Vec<u8>) {
        let weights = contents.dense().unwrap_or_default();
        let model = ModelFiles {
            url: self.model.clone(),
            model: contents.model().to_vec(),
            config: contents.config().map(|bytes| bytes.to_vec()),
            dense: self.dense.iter().copied().zip(weights.iter().map(Uint8Array::to_vec)).collect(),
        };
        (model, contents.tokenizer().to_vec())
    }
}
