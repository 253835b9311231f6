//! The files of a model.

use js_sys::{Function, Uint8Array};
use serde::Deserialize;
use vademecum_encoder::model_files::{Activation, ModelFiles};
use vademecum_protocol::error::Result;
use vademecum_web::fetch;
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

/// Absolute URLs of the files, and settings of the model.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Files<Options> {
    #[cfg(feature = "onnx")]
    #[serde(default)]
    pub(crate) runtime: String,
    pub(crate) model: String,
    pub(crate) tokenizer: String,
    /// Maximum number of milliseconds without a byte.
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
    /// Contents of files. The model and its tokenizer are downloaded if they are not passed.
    pub type Contents;

    #[wasm_bindgen(method, getter, structural)]
    fn tokenizer(this: &Contents) -> Option<Uint8Array>;

    #[wasm_bindgen(method, getter, structural)]
    fn model(this: &Contents) -> Option<Uint8Array>;

    /// The `config.json` of a model in the form of safetensors.
    #[wasm_bindgen(method, getter, structural)]
    fn config(this: &Contents) -> Option<Uint8Array>;

    /// The weights of the linear maps that follow the pooling.
    #[wasm_bindgen(method, getter, structural)]
    fn dense(this: &Contents) -> Option<Vec<Uint8Array>>;
}

/// Whom a download reports to, and who ends it.
pub(crate) struct Download<'a> {
    pub(crate) on_progress: &'a Function,
    pub(crate) signal: Option<&'a AbortSignal>,
}

impl<Options> Files<Options> {
    /// Returns the tokenizer's contents, which are downloaded if they are not passed.
    pub(crate) async fn tokenizer(&self, contents: &Contents, download: &Download<'_>) -> Result<Vec<u8>> {
        match contents.tokenizer() {
            Some(bytes) => Ok(bytes.to_vec()),
            None => fetch::bytes("The tokenizer", &self.tokenizer, self.timeout, download.signal, None).await,
        }
    }

    /// Returns the model's files, which are downloaded if they are not passed; progress counts the model's bytes.
    pub(crate) async fn model(&self, contents: &Contents, download: &Download<'_>) -> Result<ModelFiles> {
        let model = match contents.model() {
            Some(bytes) => bytes.to_vec(),
            None => {
                let on_progress = Some(download.on_progress);
                fetch::bytes("The model", &self.model, self.timeout, download.signal, on_progress).await?
            }
        };
        let weights = contents.dense().unwrap_or_default();
        Ok(ModelFiles {
            url: self.model.clone(),
            model,
            config: contents.config().map(|bytes| bytes.to_vec()),
            dense: self.dense.iter().copied().zip(weights.iter().map(Uint8Array::to_vec)).collect(),
        })
    }
}
