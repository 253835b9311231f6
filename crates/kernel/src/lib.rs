//! Encoders of the BERT kind: their weights, read from a model file, and their forward pass.
//!
//! [`onnx::Model`] and [`safetensors::Model`] read the [`weights::Weights`] of a model, in the precision of the file, and
//! the [`head::Head`] that follows its layers, if there is one. [`forward::Encoder`] packs the weights for the instructions
//! of the machine, which [`simd::Level`] names, and computes token vectors.

pub mod forward;
pub mod head;
pub mod matrix;
pub mod onnx;
pub mod safetensors;
pub mod simd;
pub mod weights;

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
