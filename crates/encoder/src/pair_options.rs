//! Options of models that read a question and a passage together.

use crate::onnx_options::{Backend, MAX_TOKENS, Rounding};
use serde::{Deserialize, Serialize};

/// How a model of pairs is run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct PairOptions {
    /// Maximum number of tokens of a question and a passage together, special tokens included; the passage is cut to what the
    /// question leaves.
    #[cfg_attr(feature = "schema", schemars(transform = MAX_TOKENS.declared()))]
    pub max_tokens: usize,
    /// What weights in floats are rounded to: see `Embedder.onnx`. Default: none.
    pub weights: Option<Rounding>,
    /// What computes the model: see `Embedder.onnx`. Default: `kernel` if it can, else `onnxruntime`.
    pub backend: Backend,
    /// Padded tokens computed at once. Between two batches a call can be cancelled.
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub batch_tokens: usize,
}

impl Default for PairOptions {
    fn default() -> Self {
        Self { max_tokens: 512, weights: None, backend: Backend::default(), batch_tokens: 512 }
    }
}

impl PairOptions {
    /// Checks the options.
    ///
    /// # Errors
    /// [`vademecum_protocol::error::Error::InvalidArgument`].
    #[cfg(any(feature = "kernel", feature = "onnx"))]
    pub(crate) fn check(&self) -> vademecum_protocol::error::Result<()> {
        MAX_TOKENS.check(self.max_tokens)
    }
}

/// What a model of pairs does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// Rates passages by their relevance to the question.
    Rerank,
    /// Finds the answer in passages.
    Read,
}
