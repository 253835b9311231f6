//! Tiles in plain Rust, for machines whose instructions are not known here.

use super::tile::Tile;

const LANES: usize = 4;

/// Full precision.
pub(super) struct Floats;

/// Int8 weights, 16-bit activations.
pub(super) struct Words;

impl Tile for Floats {
    type Activation = f32;
    type Weight = f32;
    type Loaded = [f32; LANES];
    type Sums = [f32; LANES];
    type Sum = f32;
    const LANES: usize = LANES;
    const GROUP: usize = 1;

    #[inline(always)]
    unsafe fn zero() -> Self::Sums {
        [0.0; LANES]
    }

    #[inline(always)]
    unsafe fn load(weights: *const f32) -> Self::Loaded {
        // SAFETY: the caller passes `LANES` readable weights.
        unsafe { weights.cast::<[f32; LANES]>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn add(sums: Self::Sums, activation: *const f32, weights: Self::Loaded) -> Self::Sums {
        // SAFETY: the caller passes a readable activation.
        let activation = unsafe { *activation };
        let mut sums = sums;
        for (sum, weight) in sums.iter_mut().zip(weights) {
            *sum += weight * activation;
        }
        sums
    }

    #[inline(always)]
    unsafe fn store(sums: Self::Sums, into: *mut f32) {
        // SAFETY: the caller passes room for `LANES` sums.
        unsafe { into.cast::<[f32; LANES]>().write_unaligned(sums) }
    }
}

impl Tile for Words {
    type Activation = i16;
    type Weight = i8;
    type Loaded = [[i8; 2]; LANES];
    type Sums = [i32; LANES];
    type Sum = i32;
    const LANES: usize = LANES;
    const GROUP: usize = 2;

    #[inline(always)]
    unsafe fn zero() -> Self::Sums {
        [0; LANES]
    }

    #[inline(always)]
    unsafe fn load(weights: *const i8) -> Self::Loaded {
        // SAFETY: the caller passes `LANES × GROUP` readable weights.
        unsafe { weights.cast::<[[i8; 2]; LANES]>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn add(sums: Self::Sums, activations: *const i16, weights: Self::Loaded) -> Self::Sums {
        // SAFETY: the caller passes `GROUP` readable activations.
        let [first, second] = unsafe { activations.cast::<[i16; 2]>().read_unaligned() };
        let mut sums = sums;
        for (sum, [one, two]) in sums.iter_mut().zip(weights) {
            *sum += i32::from(one) * i32::from(first) + i32::from(two) * i32::from(second);
        }
        sums
    }

    #[inline(always)]
    unsafe fn store(sums: Self::Sums, into: *mut i32) {
        // SAFETY: the caller passes room for `LANES` sums.
        unsafe { into.cast::<[i32; LANES]>().write_unaligned(sums) }
    }
}
