//! Vector instructions behind safe functions.
//!
//! [`Level`] names the instructions in use; [`Level::best`] finds the fastest ones that this machine computes
//! exactly. Everything unsafe of the crate is in this folder: the tiles of matrix products, which read their
//! operands without bounds checks, and calls of functions that are compiled for more instructions than the
//! machine is known to have.

#![allow(unsafe_code)]

pub mod maths;
mod portable;
pub mod product;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

/// A set of vector instructions that this machine has.
///
/// Values are only made by [`Level::all`] and [`Level::best`], which ask the machine: that is what makes the calls
/// of functions compiled for these instructions sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level(Set);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Vnni,
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd,
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    Relaxed { is_signed: bool },
}

/// Form of activations in products with int8 weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activations {
    /// Symmetric, 16 bits.
    I16,
    /// Asymmetric, 8 bits: a value is `(byte + offset - zero) × scale`, `offset` being 128 where bytes are signed.
    Bytes {
        /// Whether the machine takes the bytes as signed.
        is_signed: bool,
    },
}

impl Level {
    /// Returns every level that this machine has, the slowest first.
    pub fn all() -> Vec<Self> {
        let mut levels = vec![Self(Set::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            let has_avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            if has_avx2 {
                levels.push(Self(Set::Avx2));
            }
            let has_avx512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
            if has_avx2 && has_avx512 && is_x86_feature_detected!("avx512vnni") {
                levels.push(Self(Set::Vnni));
            }
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        levels.push(Self(Set::Simd));
        #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
        if let Some(is_signed) = wasm::relaxed_dot() {
            levels.push(Self(Set::Relaxed { is_signed }));
        }
        levels
    }

    /// Returns the fastest level of this machine.
    pub fn best() -> Self {
        Self::all().pop().unwrap_or(Self(Set::Portable))
    }

    /// The name of the instructions.
    pub const fn name(self) -> &'static str {
        match self.0 {
            Set::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Set::Vnni => "avx512-vnni",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Set::Simd => "simd128",
            #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
            Set::Relaxed { .. } => "relaxed-simd",
        }
    }

    /// Returns the form of activations in products with int8 weights.
    pub const fn activations(self) -> Activations {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Vnni => Activations::Bytes { is_signed: false },
            #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
            Set::Relaxed { is_signed } => Activations::Bytes { is_signed },
            _ => Activations::I16,
        }
    }

    /// Returns the number of outputs in a panel of weights.
    pub const fn columns(self) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => 16,
            #[cfg(target_arch = "x86_64")]
            Set::Vnni => 32,
            _ => 8,
        }
    }
}

/// Calls `$function`, compiled for the instructions of `$level`. The function must be `#[inline(always)]`.
macro_rules! at_level {
    ($level:expr, $function:ident($($name:ident: $type:ty),*)) => {
        match $level.0 {
            #[cfg(target_arch = "x86_64")]
            super::Set::Avx2 => {
                #[target_feature(enable = "avx2,fma")]
                fn wide($($name: $type),*) { $function($($name),*); }
                // SAFETY: a `Level` of this set is only made where the machine has these instructions.
                unsafe { wide($($name),*) }
            }
            #[cfg(target_arch = "x86_64")]
            super::Set::Vnni => {
                #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vnni")]
                fn wide($($name: $type),*) { $function($($name),*); }
                // SAFETY: as above.
                unsafe { wide($($name),*) }
            }
            _ => $function($($name),*),
        }
    };
}
use at_level;
