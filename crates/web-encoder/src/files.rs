//! The files of a model.

use js_sys::Uint8Array;
use serde::Deserialize;
use vademecum_encoder::onnx_options::OnnxOptions;

/// Absolute URLs of the files, and settings of the model. JavaScript downloads the files and passes their contents.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Files {
    #[cfg(feature = "onnx")]
    #[serde(default)]
    pub(crate) runtime: String,
    pub(crate) model: String,
    pub(crate) tokenizer: String,
    /// Maximum number of milliseconds without a byte of the runtime.
    #[cfg(feature = "onnx")]
    #[serde(default)]
    pub(crate) timeout: Option<f64>,
    #[serde(default)]
    pub(crate) options: OnnxOptions,
}

/// Contents of the files.
pub(crate) struct Contents {
    pub(crate) model: Vec<u8>,
    pub(crate) tokenizer: Vec<u8>,
}

impl Contents {
    /// Copies the contents into the memory of this module.
    pub(crate) fn of(model: &Uint8Array, tokenizer: &Uint8Array) -> Self {
        Self { model: model.to_vec(), tokenizer: tokenizer.to_vec() }
    }
}
