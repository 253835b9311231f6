//! Tiles of AVX2 and of AVX-512 with VNNI.

use super::tile::{Outputs, Panels, Quantised, Rows, RowsMut, Tile, byte_tiles, float_tiles, word_tiles};
use core::arch::x86_64::*;

#[target_feature(enable = "avx2,fma")]
pub(super) fn floats_256(activations: Rows<'_, f32>, panels: &Panels<f32>, into: &mut RowsMut<'_>) {
    float_tiles::<Floats256, 4, 2>(activations, panels, into);
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn words_256(
    activations: &Quantised,
    panels: &Panels<i8>,
    outputs: &Outputs,
    into: &mut RowsMut<'_>,
) {
    word_tiles::<Words256, 4, 2>(activations, panels, outputs, into);
}

#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vnni")]
pub(super) fn floats_512(activations: Rows<'_, f32>, panels: &Panels<f32>, into: &mut RowsMut<'_>) {
    float_tiles::<Floats512, 8, 2>(activations, panels, into);
}

#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vnni")]
pub(super) fn words_512(
    activations: &Quantised,
    panels: &Panels<i8>,
    outputs: &Outputs,
    into: &mut RowsMut<'_>,
) {
    word_tiles::<Words512, 8, 2>(activations, panels, outputs, into);
}

#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vnni")]
pub(super) fn bytes_512(
    activations: &Quantised,
    panels: &Panels<i8>,
    outputs: &Outputs,
    into: &mut RowsMut<'_>,
) {
    byte_tiles::<Bytes512, 8, 2>(activations, panels, outputs, into);
}

/// Full precision, by AVX2 and FMA.
pub(super) struct Floats256;

/// Int8 weights, 16-bit activations, by AVX2.
pub(super) struct Words256;

/// Full precision, by AVX-512.
pub(super) struct Floats512;

/// Int8 weights, 16-bit activations, by VNNI.
pub(super) struct Words512;

/// Int8 weights, unsigned 8-bit activations, by VNNI.
pub(super) struct Bytes512;

// SAFETY of all functions below: the caller's machine has the instructions, and its pointers are readable, or
// writable, for as many numbers as `Tile` says.

impl Tile for Floats256 {
    type Activation = f32;
    type Weight = f32;
    type Loaded = __m256;
    type Sums = __m256;
    type Sum = f32;
    const LANES: usize = 8;
    const GROUP: usize = 1;

    #[inline(always)]
    unsafe fn zero() -> __m256 {
        unsafe { _mm256_setzero_ps() }
    }

    #[inline(always)]
    unsafe fn load(weights: *const f32) -> __m256 {
        unsafe { _mm256_loadu_ps(weights) }
    }

    #[inline(always)]
    unsafe fn add(sums: __m256, activation: *const f32, weights: __m256) -> __m256 {
        unsafe { _mm256_fmadd_ps(_mm256_set1_ps(*activation), weights, sums) }
    }

    #[inline(always)]
    unsafe fn store(sums: __m256, into: *mut f32) {
        unsafe { _mm256_storeu_ps(into, sums) }
    }
}

impl Tile for Words256 {
    type Activation = i16;
    type Weight = i8;
    type Loaded = __m256i;
    type Sums = __m256i;
    type Sum = i32;
    const LANES: usize = 8;
    const GROUP: usize = 2;

    #[inline(always)]
    unsafe fn zero() -> __m256i {
        unsafe { _mm256_setzero_si256() }
    }

    #[inline(always)]
    unsafe fn load(weights: *const i8) -> __m256i {
        unsafe { _mm256_cvtepi8_epi16(_mm_loadu_si128(weights.cast())) }
    }

    #[inline(always)]
    unsafe fn add(sums: __m256i, activations: *const i16, weights: __m256i) -> __m256i {
        unsafe {
            let pair = _mm256_set1_epi32(activations.cast::<i32>().read_unaligned());
            _mm256_add_epi32(sums, _mm256_madd_epi16(pair, weights))
        }
    }

    #[inline(always)]
    unsafe fn store(sums: __m256i, into: *mut i32) {
        unsafe { _mm256_storeu_si256(into.cast(), sums) }
    }
}

impl Tile for Floats512 {
    type Activation = f32;
    type Weight = f32;
    type Loaded = __m512;
    type Sums = __m512;
    type Sum = f32;
    const LANES: usize = 16;
    const GROUP: usize = 1;

    #[inline(always)]
    unsafe fn zero() -> __m512 {
        unsafe { _mm512_setzero_ps() }
    }

    #[inline(always)]
    unsafe fn load(weights: *const f32) -> __m512 {
        unsafe { _mm512_loadu_ps(weights) }
    }

    #[inline(always)]
    unsafe fn add(sums: __m512, activation: *const f32, weights: __m512) -> __m512 {
        unsafe { _mm512_fmadd_ps(_mm512_set1_ps(*activation), weights, sums) }
    }

    #[inline(always)]
    unsafe fn store(sums: __m512, into: *mut f32) {
        unsafe { _mm512_storeu_ps(into, sums) }
    }
}

impl Tile for Words512 {
    type Activation = i16;
    type Weight = i8;
    type Loaded = __m512i;
    type Sums = __m512i;
    type Sum = i32;
    const LANES: usize = 16;
    const GROUP: usize = 2;

    #[inline(always)]
    unsafe fn zero() -> __m512i {
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    unsafe fn load(weights: *const i8) -> __m512i {
        unsafe { _mm512_cvtepi8_epi16(_mm256_loadu_si256(weights.cast())) }
    }

    #[inline(always)]
    unsafe fn add(sums: __m512i, activations: *const i16, weights: __m512i) -> __m512i {
        unsafe {
            let pair = _mm512_set1_epi32(activations.cast::<i32>().read_unaligned());
            _mm512_dpwssd_epi32(sums, pair, weights)
        }
    }

    #[inline(always)]
    unsafe fn store(sums: __m512i, into: *mut i32) {
        unsafe { _mm512_storeu_si512(into.cast(), sums) }
    }
}

impl Tile for Bytes512 {
    type Activation = u8;
    type Weight = i8;
    type Loaded = __m512i;
    type Sums = __m512i;
    type Sum = i32;
    const LANES: usize = 16;
    const GROUP: usize = 4;

    #[inline(always)]
    unsafe fn zero() -> __m512i {
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    unsafe fn load(weights: *const i8) -> __m512i {
        unsafe { _mm512_loadu_si512(weights.cast()) }
    }

    #[inline(always)]
    unsafe fn add(sums: __m512i, activations: *const u8, weights: __m512i) -> __m512i {
        unsafe {
            let four = _mm512_set1_epi32(activations.cast::<i32>().read_unaligned());
            _mm512_dpbusd_epi32(sums, four, weights)
        }
    }

    #[inline(always)]
    unsafe fn store(sums: __m512i, into: *mut i32) {
        unsafe { _mm512_storeu_si512(into.cast(), sums) }
    }
}
