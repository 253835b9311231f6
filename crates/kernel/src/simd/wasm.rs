//! Tiles of WebAssembly's 128-bit vectors, and of its relaxed ones.

use super::tile::Tile;
use core::arch::wasm32::*;

/// Full precision.
pub(super) struct Floats;

/// Int8 weights, 16-bit activations.
pub(super) struct Words;

/// Int8 weights, 8-bit activations, by the relaxed dot product.
#[cfg(target_feature = "relaxed-simd")]
pub(super) struct Bytes;

// SAFETY of all functions below: the caller's pointers are readable, or writable, for as many numbers as `Tile`
// says.

impl Tile for Floats {
    type Activation = f32;
    type Weight = f32;
    type Loaded = v128;
    type Sums = v128;
    type Sum = f32;
    const LANES: usize = 4;
    const GROUP: usize = 1;

    #[inline(always)]
    unsafe fn zero() -> v128 {
        f32x4_splat(0.0)
    }

    #[inline(always)]
    unsafe fn load(weights: *const f32) -> v128 {
        unsafe { v128_load(weights.cast()) }
    }

    #[inline(always)]
    unsafe fn add(sums: v128, activation: *const f32, weights: v128) -> v128 {
        let activation = unsafe { v128_load32_splat(activation.cast()) };
        #[cfg(target_feature = "relaxed-simd")]
        return f32x4_relaxed_madd(activation, weights, sums);
        #[cfg(not(target_feature = "relaxed-simd"))]
        f32x4_add(f32x4_mul(activation, weights), sums)
    }

    #[inline(always)]
    unsafe fn store(sums: v128, into: *mut f32) {
        unsafe { v128_store(into.cast(), sums) }
    }
}

impl Tile for Words {
    type Activation = i16;
    type Weight = i8;
    type Loaded = v128;
    type Sums = v128;
    type Sum = i32;
    const LANES: usize = 4;
    const GROUP: usize = 2;

    #[inline(always)]
    unsafe fn zero() -> v128 {
        i32x4_splat(0)
    }

    #[inline(always)]
    unsafe fn load(weights: *const i8) -> v128 {
        unsafe { i16x8_load_extend_i8x8(weights) }
    }

    #[inline(always)]
    unsafe fn add(sums: v128, activations: *const i16, weights: v128) -> v128 {
        let pair = unsafe { v128_load32_splat(activations.cast()) };
        i32x4_add(i32x4_dot_i16x8(pair, weights), sums)
    }

    #[inline(always)]
    unsafe fn store(sums: v128, into: *mut i32) {
        unsafe { v128_store(into.cast(), sums) }
    }
}

#[cfg(target_feature = "relaxed-simd")]
impl Tile for Bytes {
    type Activation = u8;
    type Weight = i8;
    type Loaded = v128;
    type Sums = v128;
    type Sum = i32;
    const LANES: usize = 4;
    const GROUP: usize = 4;

    #[inline(always)]
    unsafe fn zero() -> v128 {
        i32x4_splat(0)
    }

    #[inline(always)]
    unsafe fn load(weights: *const i8) -> v128 {
        unsafe { v128_load(weights.cast()) }
    }

    #[inline(always)]
    unsafe fn add(sums: v128, activations: *const u8, weights: v128) -> v128 {
        let four = unsafe { v128_load32_splat(activations.cast()) };
        i32x4_relaxed_dot_i8x16_i7x16_add(weights, four, sums)
    }

    #[inline(always)]
    unsafe fn store(sums: v128, into: *mut i32) {
        unsafe { v128_store(into.cast(), sums) }
    }
}
