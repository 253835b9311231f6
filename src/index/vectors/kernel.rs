//! The inner loops: dot products and Hamming distances, written so that the compiler uses vector registers.

/// The dot product of two rows of int8.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub(super) fn dot(a: &[i8], b: &[i8]) -> i32 {
    let mut sums = [0i32; 16];
    let (a, b) = (a.chunks_exact(16), b.chunks_exact(16));
    let rest: i32 = a.remainder().iter().zip(b.remainder()).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
    for (a, b) in a.zip(b) {
        for ((sum, x), y) in sums.iter_mut().zip(a).zip(b) {
            *sum += i32::from(*x) * i32::from(*y);
        }
    }
    sums.iter().sum::<i32>() + rest
}

/// The dot product of two rows of int8: sixteen products an instruction pair.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(super) fn dot(a: &[i8], b: &[i8]) -> i32 {
    use core::arch::wasm32::{
        i16x8_extend_high_i8x16, i16x8_extend_low_i8x16, i32x4_add, i32x4_dot_i16x8, i32x4_splat,
    };
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    let rest: i32 = a_rest.iter().zip(b_rest).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
    let (mut low, mut high) = (i32x4_splat(0), i32x4_splat(0));
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (sixteen(a), sixteen(b));
        low = i32x4_add(low, i32x4_dot_i16x8(i16x8_extend_low_i8x16(a), i16x8_extend_low_i8x16(b)));
        high = i32x4_add(high, i32x4_dot_i16x8(i16x8_extend_high_i8x16(a), i16x8_extend_high_i8x16(b)));
    }
    sum(i32x4_add(low, high)) + rest
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
fn sixteen(row: &[i8; 16]) -> core::arch::wasm32::v128 {
    let bytes = row.map(|value| value as u8);
    match bytes.as_chunks::<8>().0 {
        [low, high] => core::arch::wasm32::u64x2(u64::from_le_bytes(*low), u64::from_le_bytes(*high)),
        _ => core::arch::wasm32::u64x2(0, 0),
    }
}

/// A question in int8, ready to be compared with many rows.
#[derive(Debug)]
pub(super) struct Question {
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    values: Vec<i8>,
    /// Sixteen bits each already, and then what does not fill a register.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    wide: (Vec<[core::arch::wasm32::v128; 2]>, Vec<i8>),
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
impl Question {
    pub(super) fn of(values: &[i8]) -> Self {
        Self { values: values.to_vec() }
    }

    /// The dot product with a row.
    pub(super) fn dot(&self, row: &[i8]) -> i32 {
        dot(&self.values, row)
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
impl Question {
    pub(super) fn of(values: &[i8]) -> Self {
        use core::arch::wasm32::{i16x8_extend_high_i8x16, i16x8_extend_low_i8x16};
        let (full, rest) = values.as_chunks::<16>();
        let widened = full.iter().map(|values| {
            let values = sixteen(values);
            [i16x8_extend_low_i8x16(values), i16x8_extend_high_i8x16(values)]
        });
        Self { wide: (widened.collect(), rest.to_vec()) }
    }

    /// The dot product with a row.
    pub(super) fn dot(&self, row: &[i8]) -> i32 {
        use core::arch::wasm32::{
            i16x8_extend_high_i8x16, i16x8_extend_low_i8x16, i32x4_add, i32x4_dot_i16x8, i32x4_splat,
        };
        let (mut low, mut high) = (i32x4_splat(0), i32x4_splat(0));
        let (full, rest) = row.as_chunks::<16>();
        for ([first, second], row) in self.wide.0.iter().zip(full) {
            let row = sixteen(row);
            low = i32x4_add(low, i32x4_dot_i16x8(*first, i16x8_extend_low_i8x16(row)));
            high = i32x4_add(high, i32x4_dot_i16x8(*second, i16x8_extend_high_i8x16(row)));
        }
        let rest: i32 = self.wide.1.iter().zip(rest).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
        sum(i32x4_add(low, high)) + rest
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
fn sum(four: core::arch::wasm32::v128) -> i32 {
    use core::arch::wasm32::i32x4_extract_lane;
    i32x4_extract_lane::<0>(four)
        + i32x4_extract_lane::<1>(four)
        + i32x4_extract_lane::<2>(four)
        + i32x4_extract_lane::<3>(four)
}

/// The dot product of a question with a row of int8, the row's scale left out.
pub(super) fn dot_mixed(question: &[f32], row: &[i8]) -> f32 {
    let mut sums = [0f32; 8];
    let (question, row) = (question.chunks_exact(8), row.chunks_exact(8));
    let rest: f32 = question.remainder().iter().zip(row.remainder()).map(|(x, y)| x * f32::from(*y)).sum();
    for (question, row) in question.zip(row) {
        for ((sum, x), y) in sums.iter_mut().zip(question).zip(row) {
            *sum += x * f32::from(*y);
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// The dot product of two f32 rows.
pub(super) fn dot_f32(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = a.remainder().iter().zip(b.remainder()).map(|(x, y)| x * y).sum();
    for (a, b) in a.zip(b) {
        for ((sum, x), y) in sums.iter_mut().zip(a).zip(b) {
            *sum += x * y;
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// In how many bits two sketches of 384 dimensions differ.
#[inline]
pub(super) fn hamming_of_six(a: &[u64; 6], b: &[u64; 6]) -> u32 {
    let [a0, a1, a2, a3, a4, a5] = a;
    let [b0, b1, b2, b3, b4, b5] = b;
    (a0 ^ b0).count_ones()
        + (a1 ^ b1).count_ones()
        + (a2 ^ b2).count_ones()
        + (a3 ^ b3).count_ones()
        + (a4 ^ b4).count_ones()
        + (a5 ^ b5).count_ones()
}

/// In how many bits two sketches differ.
pub(super) fn hamming(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(x, y)| (x ^ y).count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_kernel_sums_what_a_plain_loop_sums(pairs in prop::collection::vec((any::<i8>(), any::<i8>()), 0..70)) {
            let (a, b): (Vec<i8>, Vec<i8>) = pairs.iter().copied().unzip();
            let plain: i32 = pairs.iter().map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
            prop_assert_eq!(dot(&a, &b), plain);
            prop_assert_eq!(Question::of(&a).dot(&b), plain);
            let wide = |row: &[i8]| row.iter().map(|x| f32::from(*x)).collect::<Vec<_>>();
            prop_assert_eq!(dot_mixed(&wide(&a), &b) as i32, plain);
            prop_assert_eq!(dot_f32(&wide(&a), &wide(&b)) as i32, plain);
        }
    }
}
