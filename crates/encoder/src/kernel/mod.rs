//! Encoders of the BERT kind, without a runtime: tokenise, run the kernel, and make a vector, a rating or an answer of the
//! token vectors.

mod embedder;
mod matching;
mod pair_encoder;
mod runner;
mod source;

pub use embedder::KernelEmbedder;
pub use pair_encoder::KernelPairEncoder;
pub use vademecum_kernel::simd::{Activations, Level};

/// A model that was loaded, or that only a general runtime can run.
#[derive(Debug)]
pub enum Loaded<T = Box<KernelEmbedder>> {
    /// The model.
    Kernel(T),
    /// What the kernel does not have: an operator, a tokenizer or a head.
    Other(String),
}
