//! The files of a model.

pub use vademecum_kernel::head::Activation;

use crate::errors::{model_corrupt, model_unfit};
use vademecum_protocol::error::{Error, Result};

/// A model: its URL and the contents of its files.
#[derive(Debug, Clone, Default)]
pub struct ModelFiles {
    /// Where the model is from, for error messages.
    pub url: String,
    /// The model in the form of ONNX or of safetensors.
    pub model: Vec<u8>,
    /// The `config.json` of a model in the form of safetensors.
    pub config: Option<Vec<u8>>,
    /// The linear maps that follow the pooling, as sentence-transformers publishes them: the function and the weights of each.
    pub dense: Vec<(Activation, Vec<u8>)>,
}

impl ModelFiles {
    /// A model of one file.
    pub fn of(url: impl Into<String>, model: Vec<u8>) -> Self {
        Self { url: url.into(), model, ..Self::default() }
    }

    pub(crate) fn corrupt(&self, reason: &str) -> Error {
        model_corrupt(&self.url, &vademecum_protocol::error::excerpt(reason, 200))
    }

    pub(crate) fn unfit(&self, reason: String) -> Error {
        model_unfit(&self.url, &reason)
    }

    /// Checks that an ONNX runtime can read the model.
    ///
    /// # Errors
    /// `model_unfit` for a model in the form of safetensors.
    #[cfg(feature = "onnx")]
    pub(crate) fn check_onnx(&self) -> Result<()> {
        if vademecum_model::safetensors::is_safetensors(&self.model) {
            return Err(self.unfit(format!("{SAFETENSORS}, which the ONNX runtime does not read")));
        }
        Ok(())
    }

    /// Reads the linear maps that follow the pooling.
    ///
    /// # Errors
    /// `model_corrupt`.
    pub(crate) fn dense(&self) -> Result<Vec<vademecum_kernel::head::Dense>> {
        let read = |(activation, weights): &(Activation, Vec<u8>)| {
            vademecum_model::safetensors::dense(weights, *activation).map_err(|refusal| {
                let (vademecum_model::Refusal::Corrupt(reason) | vademecum_model::Refusal::Other(reason)) =
                    refusal;
                self.corrupt(&format!("its dense head: {reason}"))
            })
        };
        self.dense.iter().map(read).collect()
    }
}

/// What a file in the form of safetensors is, in messages.
pub(crate) const SAFETENSORS: &str = "it is in the form of safetensors";
