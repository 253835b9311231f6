//! Vector instructions behind safe functions.
//!
//! [`Level`] names the instructions in use; [`Level::best`] finds the fastest ones that this machine computes
//! exactly. Everything unsafe of the crate is in this folder: the tiles of matrix products, which read their
//! operands without bounds checks, and calls of functions that are compiled for more instructions than the
//! machine is known to have.

#![allow(unsafe_code)]

mod level;
pub mod maths;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
pub mod product;
pub mod tile;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use level::{Activations, Level};
