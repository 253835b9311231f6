//! The computation of models of the BERT kind: their weights in memory, the forward pass in vector instructions, and the head.
//!
//! [`forward::Encoder`] packs the [`weights::Weights`] of a model for the instructions of the machine, which [`simd::Level`]
//! names, and computes token vectors; a [`head::Head`] makes one vector or logits of them. The crate `vademecum-model` reads
//! weights and heads from files: it is compiled for size, and this one for speed.

pub mod forward;
pub mod head;
pub mod matrix;
pub mod simd;
pub mod weights;
