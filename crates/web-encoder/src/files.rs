//! The files of a model.

use js_sys::{Function, Uint8Array};
use serde::Deserialize;
use vademecum_encoder::onnx_options::OnnxOptions;
use vademecum_protocol::error::Result;
use vademecum_web::fetch;
use web_sys::AbortSignal;

/// Absolute URLs of the files, and settings of the model.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Files {
    #[cfg(feature = "onnx")]
    #[serde(default)]
    pub(crate) runtime: String,
    pub(crate) model: String,
    pub(crate) tokenizer: String,
    /// Maximum number of milliseconds without a byte.
    #[serde(default)]
    pub(crate) timeout: Option<f64>,
    #[serde(default)]
    pub(crate) options: OnnxOptions,
}

/// Whom a download reports to, and who ends it.
pub(crate) struct Download<'a> {
    pub(crate) on_progress: &'a Function,
    pub(crate) signal: Option<&'a AbortSignal>,
}

impl Files {
    /// Returns the tokenizer's contents, which are downloaded if they are not passed.
    pub(crate) async fn tokenizer(
        &self,
        given: Option<Uint8Array>,
        download: &Download<'_>,
    ) -> Result<Vec<u8>> {
        match given {
            Some(bytes) => Ok(bytes.to_vec()),
            None => fetch::bytes("The tokenizer", &self.tokenizer, self.timeout, download.signal, None).await,
        }
    }

    /// Downloads the model; progress counts its bytes.
    pub(crate) async fn model(&self, download: &Download<'_>) -> Result<Vec<u8>> {
        let on_progress = Some(download.on_progress);
        fetch::bytes("The model", &self.model, self.timeout, download.signal, on_progress).await
    }
}
