//! Encoders of the BERT kind: their weights, read from a model file, and their forward pass.
//!
//! [`onnx::Model`] reads the [`weights::Weights`] of a model in ONNX form, in the precision of the file;
//! [`forward::Encoder`] packs them for the instructions of the machine, which [`simd::Level`] names, and computes
//! token vectors.

pub mod forward;
pub mod matrix;
pub mod onnx;
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
