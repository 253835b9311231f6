//! Tiles of ARM's 128-bit vectors, which every machine of 64 bits has.

use super::tile::Tile;
use core::arch::aarch64::*;

/// Full precision.
pub(super) struct Floats;

/// Int8 weights, 16-bit activations.
pub(super) struct Words;

// SAFETY of all functions below: the caller's pointers are readable, or writable, for as many numbers as `Tile`
// says.

impl Tile for Floats {
    type Activation = f32;
    type Weight = f32;
    type Loaded = float32x4_t;
    type Sums = float32x4_t;
    type Sum = f32;
    const LANES: usize = 4;
    const GROUP: usize = 1;

    #[inline(always)]
    unsafe fn zero() -> float32x4_t {
        unsafe { vdupq_n_f32(0.0) }
    }

    #[inline(always)]
    unsafe fn load(weights: *const f32) -> float32x4_t {
        unsafe { vld1q_f32(weights) }
    }

    #[inline(always)]
    unsafe fn add(sums: float32x4_t, activation: *const f32, weights: float32x4_t) -> float32x4_t {
        unsafe { vfmaq_n_f32(sums, weights, *activation) }
    }

    #[inline(always)]
    unsafe fn store(sums: float32x4_t, into: *mut f32) {
        unsafe { vst1q_f32(into, sums) }
    }
}

impl Tile for Words {
    type Activation = i16;
    type Weight = i8;
    type Loaded = int16x8_t;
    type Sums = int32x4_t;
    type Sum = i32;
    const LANES: usize = 4;
    const GROUP: usize = 2;

    #[inline(always)]
    unsafe fn zero() -> int32x4_t {
        unsafe { vdupq_n_s32(0) }
    }

    #[inline(always)]
    unsafe fn load(weights: *const i8) -> int16x8_t {
        unsafe { vmovl_s8(vld1_s8(weights)) }
    }

    #[inline(always)]
    unsafe fn add(sums: int32x4_t, activations: *const i16, weights: int16x8_t) -> int32x4_t {
        unsafe {
            let pair = vreinterpretq_s16_s32(vdupq_n_s32(activations.cast::<i32>().read_unaligned()));
            // Products of two outputs each, whose pairs are added.
            let first = vmull_s16(vget_low_s16(pair), vget_low_s16(weights));
            let second = vmull_high_s16(pair, weights);
            vaddq_s32(sums, vpaddq_s32(first, second))
        }
    }

    #[inline(always)]
    unsafe fn store(sums: int32x4_t, into: *mut i32) {
        unsafe { vst1q_s32(into, sums) }
    }
}
