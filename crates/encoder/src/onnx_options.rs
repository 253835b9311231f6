//! Options of a sentence encoder in ONNX form.

use crate::Kind;
use serde::{Deserialize, Serialize};
use vademecum_protocol::range::Range;

/// How a text's token vectors become one vector.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Their mean.
    #[default]
    Mean,
    /// The first token's vector, as BGE, Granite and newer GTE models are trained.
    Cls,
    /// The last token's vector, as models made of decoders are trained.
    LastToken,
    /// None is needed: the model's own head returns one vector per text.
    Model,
}

impl Pooling {
    /// The name that options and `stats()` have it by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Cls => "cls",
            Self::LastToken => "lasttoken",
            Self::Model => "model",
        }
    }

    /// Returns the token vectors that are pooled.
    #[cfg(any(feature = "kernel", feature = "onnx"))]
    pub(crate) const fn input(self) -> vademecum_kernel::head::Input {
        use vademecum_kernel::head::Input;
        match self {
            Self::Mean | Self::Model => Input::Mean,
            Self::Cls => Input::FirstToken,
            Self::LastToken => Input::LastToken,
        }
    }
}

/// What computes a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// The kernel if it can, else the ONNX runtime.
    #[default]
    Auto,
    /// Our own kernel, for encoders of the BERT kind with a WordPiece tokenizer.
    Kernel,
    /// The ONNX runtime, for any encoder.
    OnnxRuntime,
}

/// What weights in floats are rounded to when a model is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Rounding {
    /// Whole numbers of 8 bits, with a scale per output or per entry of a table.
    Int8,
}

impl Rounding {
    /// The name that options have it by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
        }
    }
}

/// Returns an error if `weights` is set: an ONNX runtime computes a file as it is.
///
/// # Errors
/// [`vademecum_protocol::error::Error::InvalidArgument`].
#[cfg(feature = "onnx")]
pub(crate) fn check_unrounded(weights: Option<Rounding>) -> vademecum_protocol::error::Result<()> {
    match weights {
        None => Ok(()),
        Some(weights) => Err(vademecum_protocol::error::Error::invalid(
            "weights",
            "absent with the ONNX runtime, since the kernel alone rounds weights",
            weights.name(),
        )),
    }
}

/// Length of vectors.
pub const DIMENSIONS: Range<usize> = Range::from("dimensions", 1);
/// Number of tokens of a text: fewer would hold nothing but the special ones.
pub const MAX_TOKENS: Range<usize> = Range::from("maxTokens", 3);

/// How a model wants its texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct OnnxOptions {
    /// Maximum number of tokens of a text, special tokens included; longer texts are cut, and flagged.
    #[cfg_attr(feature = "schema", schemars(transform = MAX_TOKENS.declared()))]
    pub max_tokens: usize,
    /// Prefix of every query, as E5 and BGE models require it.
    pub query_prefix: String,
    /// Prefix of every document.
    pub document_prefix: String,
    /// Padded tokens computed at once. Between two batches a call can be cancelled.
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub batch_tokens: usize,
    /// Threads that an ONNX runtime outside the browser divides each operator among.
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub runtime_threads: usize,
    /// How a text's token vectors become one vector: their mean, the first token's (`cls`), the last token's, or none of these,
    /// where the `model` has a head of its own. Default: the model's own output `sentence_embedding`, if it has one, else what
    /// its `1_Pooling/config.json` says, which is looked for beside it, else the mean.
    pub pooling: Option<Pooling>,
    /// Number of dimensions that vectors are cut to, for models that were trained for it (Matryoshka); the rest is scaled to unit
    /// length. More than the model has is refused with `model_unfit`. Default: all.
    #[cfg_attr(feature = "schema", schemars(transform = DIMENSIONS.declared()))]
    pub dimensions: Option<usize>,
    /// What weights in 32-bit or 16-bit floats are rounded to when the model is loaded: `int8` makes it a quarter as large in memory, and
    /// faster. The kernel alone does it: with the back end `onnxruntime` it is refused. Default: none; weights are as the file has them.
    pub weights: Option<Rounding>,
    /// What computes the model. `kernel` needs no further file, and runs BERT, MiniLM, BGE, E5, GTE and others of the kind with a
    /// WordPiece tokenizer; `onnxruntime` runs any encoder, and needs the files in `runtime`. Default: `kernel` if it can, else
    /// `onnxruntime`; `stats()` says which.
    pub backend: Backend,
    /// What the model was published with, by its `1_Pooling/config.json`; the mean where absent.
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub published: Option<Pooling>,
    /// Check when the model is loaded: this text, embedded without a prefix, must have a cosine of 0.99 or more with this vector.
    /// Otherwise, loading rejects with `model_unfit`.
    pub expected: Option<Expected>,
}

impl OnnxOptions {
    /// Returns the prefix of texts of a kind.
    pub fn prefix(&self, kind: Kind) -> &str {
        match kind {
            Kind::Query => &self.query_prefix,
            Kind::Document => &self.document_prefix,
        }
    }
}

/// A text, embedded without a prefix, and its vector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// The text.
    pub text: String,
    /// Its vector, of any length.
    pub vector: Vec<f32>,
}

impl Default for OnnxOptions {
    fn default() -> Self {
        Self {
            max_tokens: 128,
            query_prefix: String::new(),
            document_prefix: String::new(),
            batch_tokens: 512,
            // Several sessions on several cores are faster than distributing the small products of one.
            runtime_threads: 1,
            pooling: None,
            dimensions: None,
            weights: None,
            backend: Backend::default(),
            published: None,
            expected: None,
        }
    }
}
