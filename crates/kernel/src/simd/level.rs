//! The vector instructions of this machine.

/// A set of vector instructions that this machine has.
///
/// Values are only made by [`Level::all`] and [`Level::best`], which ask the machine: that is what makes the calls
/// of functions compiled for these instructions sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level(pub(super) Set);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Set {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// `has_bytes`: with activations of 8 bits.
    #[cfg(target_arch = "x86_64")]
    Vnni {
        has_bytes: bool,
    },
    #[cfg(target_arch = "aarch64")]
    Neon,
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd,
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    Relaxed {
        is_signed: bool,
    },
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
    /// Returns every level that this machine has, the preferred one last. Activations of 16 bits lose nothing that can be measured,
    /// and outside the browser they are fast enough.
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
                levels.push(Self(Set::Vnni { has_bytes: true }));
                levels.push(Self(Set::Vnni { has_bytes: false }));
            }
        }
        #[cfg(target_arch = "aarch64")]
        levels.push(Self(Set::Neon));
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        levels.push(Self(Set::Simd));
        #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
        if let Some(is_signed) = relaxed_dot() {
            levels.push(Self(Set::Relaxed { is_signed }));
        }
        levels
    }

    /// Returns the preferred level of this machine.
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
            Set::Vnni { has_bytes: false } => "avx512-vnni",
            #[cfg(target_arch = "x86_64")]
            Set::Vnni { has_bytes: true } => "avx512-vnni-8",
            #[cfg(target_arch = "aarch64")]
            Set::Neon => "neon",
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
            Set::Vnni { has_bytes: true } => Activations::Bytes { is_signed: false },
            #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
            Set::Relaxed { is_signed } => Activations::Bytes { is_signed },
            _ => Activations::I16,
        }
    }

    /// Returns the number of rows of activations that a tile computes together.
    pub(super) const fn rows(self) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Vnni { .. } => 8,
            #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
            Set::Relaxed { .. } => 3,
            _ => 4,
        }
    }

    /// Returns the number of outputs in a panel of weights, of which a product takes `group` at once.
    pub(super) const fn columns(self, group: usize) -> usize {
        match (self.0, group) {
            #[cfg(target_arch = "x86_64")]
            (Set::Avx2, _) => 16,
            #[cfg(target_arch = "x86_64")]
            (Set::Vnni { .. }, _) => 32,
            // Three rows with three vectors load less for a product than four with two, and their sums stay in registers.
            #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
            (Set::Relaxed { .. }, 4) => 12,
            _ => 8,
        }
    }
}

/// Returns whether the relaxed dot product takes its second operand as signed; `None` where it saturates, and is not
/// exact.
///
/// The specification leaves the sign of bytes from 128 upwards to the machine, and the width of the sum of two
/// products. ARM's `sdot` gives 4 × (-128 × -1), VNNI 4 × (-128 × 255), and `pmaddubsw` saturates the latter.
#[cfg(target_feature = "relaxed-simd")]
fn relaxed_dot() -> Option<bool> {
    use core::arch::wasm32::{
        i8x16_splat, i32x4_extract_lane, i32x4_relaxed_dot_i8x16_i7x16_add, i32x4_splat, u8x16_splat,
    };
    // Opaque to the compiler, which must not compute it by rules of its own.
    let (first, second) = (std::hint::black_box(i8x16_splat(-128)), std::hint::black_box(u8x16_splat(255)));
    let sums = i32x4_relaxed_dot_i8x16_i7x16_add(first, second, i32x4_splat(0));
    match i32x4_extract_lane::<0>(sums) {
        512 => Some(true),
        -130_560 => Some(false),
        _ => None,
    }
}

/// Calls `$function`, compiled for the instructions of `$level`. The function must be `#[inline(always)]`.
macro_rules! at_level {
    ($level:expr, $function:ident($($name:ident: $type:ty),*)) => {
        match $level.0 {
            #[cfg(target_arch = "x86_64")]
            super::level::Set::Avx2 => {
                #[target_feature(enable = "avx2,fma")]
                fn wide($($name: $type),*) { $function($($name),*); }
                // SAFETY: a `Level` of this set is only made where the machine has these instructions.
                unsafe { wide($($name),*) }
            }
            #[cfg(target_arch = "x86_64")]
            super::level::Set::Vnni { .. } => {
                #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vnni")]
                fn wide($($name: $type),*) { $function($($name),*); }
                // SAFETY: as above.
                unsafe { wide($($name),*) }
            }
            _ => $function($($name),*),
        }
    };
}
pub(super) use at_level;
