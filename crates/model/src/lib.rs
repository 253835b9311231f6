//! Models of the BERT kind, read from files: [`onnx::Model`] and [`safetensors::Model`] return the weights of an encoder, in the
//! precision of the file, and the head that follows its layers, if there is one.

pub mod onnx;
pub mod safetensors;

/// Why a model is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The file is damaged, or contradicts itself.
    Corrupt(String),
    /// The model has another architecture; a general runtime may run it.
    Other(String),
}

/// The result of reading a model.
pub type Result<T> = std::result::Result<T, Refusal>;
