//! Inner loops: dot products and Hamming distances, written to be vectorised.

/// Returns the dot product of two int8 rows.
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

/// Returns the dot product of two int8 rows: sixteen products per pair of instructions.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(super) fn dot(a: &[i8], b: &[i8]) -> i32 {
    use core::arch::wasm32::{
        i16x8_extend_high_i8x16, i16x8_extend_low_i8x16, i32x4_add, i32x4_dot_i16x8, i32x4_splat,
    };
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    let rest: i32 = a_rest.iter().zip(b_rest).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
    let (mut low, mut high) = (i32x4_splat(0), i32x4_splat(0));
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (load_16(a), load_16(b));
        low = i32x4_add(low, i32x4_dot_i16x8(i16x8_extend_low_i8x16(a), i16x8_extend_low_i8x16(b)));
        high = i32x4_add(high, i32x4_dot_i16x8(i16x8_extend_high_i8x16(a), i16x8_extend_high_i8x16(b)));
    }
    sum(i32x4_add(low, high)) + rest
}

/// Loads 16 bytes in one instruction. The bytes are spelled out, because size-optimised builds do not unroll
/// a loop over them, which makes it ten times as slow as everything else here.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
fn load_16(row: &[i8; 16]) -> core::arch::wasm32::v128 {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *row;
    let low = [a as u8, b as u8, c as u8, d as u8, e as u8, f as u8, g as u8, h as u8];
    let high = [i as u8, j as u8, k as u8, l as u8, m as u8, n as u8, o as u8, p as u8];
    core::arch::wasm32::u64x2(u64::from_le_bytes(low), u64::from_le_bytes(high))
}

/// A query, quantised to 16 bits for comparison with many int8 rows: the type that the multiply-add
/// instruction takes.
#[derive(Debug)]
pub(super) struct QuantisedQuery {
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    values: Vec<i16>,
    /// Sixteen numbers per pair of registers, and the remainder.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    values: (Vec<[core::arch::wasm32::v128; 2]>, Vec<i16>),
    /// The factor from quantised to original numbers.
    scale: f32,
}

impl QuantisedQuery {
    pub(super) fn of(question: &[f32]) -> Self {
        let largest = largest(question);
        let length = dot_f32(question, question).sqrt();
        // By the Cauchy-Schwarz inequality, no dot product with a row then overflows 32 bits; 130 instead of
        // 128 covers rounding.
        let room = i32::MAX as f32 / (130.0 * (question.len() as f32).sqrt());
        let finest = (room * largest / length).min(f32::from(i16::MAX)).floor().max(1.0);
        let scale = largest / finest;
        let factor = if scale > 0.0 { scale.recip() } else { 0.0 };
        let values: Vec<i16> =
            question.iter().map(|value| (value * factor).round_ties_even() as i16).collect();
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        let values = {
            let (full, rest) = values.as_chunks::<16>();
            (full.iter().map(two_registers).collect(), rest.to_vec())
        };
        Self { values, scale }
    }

    /// Returns an upper bound of the distance between the query and its quantised form.
    pub(super) fn error(&self, dimensions: usize) -> f32 {
        0.5 * self.scale * (dimensions as f32).sqrt()
    }

    /// Returns the dot product with a row, without the row's scale.
    pub(super) fn dot(&self, row: &[i8]) -> f32 {
        self.product(row) as f32 * self.scale
    }

    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    fn product(&self, row: &[i8]) -> i32 {
        let mut sums = [0i32; 16];
        let (values, row) = (self.values.chunks_exact(16), row.chunks_exact(16));
        let rest = products(values.remainder(), row.remainder());
        for (values, row) in values.zip(row) {
            for ((sum, x), y) in sums.iter_mut().zip(values).zip(row) {
                *sum += i32::from(*x) * i32::from(*y);
            }
        }
        sums.iter().sum::<i32>() + rest
    }

    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    fn product(&self, row: &[i8]) -> i32 {
        use core::arch::wasm32::{
            i16x8_extend_high_i8x16, i16x8_extend_low_i8x16, i32x4_add, i32x4_dot_i16x8, i32x4_splat,
        };
        let (mut low, mut high) = (i32x4_splat(0), i32x4_splat(0));
        let (full, rest) = row.as_chunks::<16>();
        for ([first, second], row) in self.values.0.iter().zip(full) {
            let row = load_16(row);
            low = i32x4_add(low, i32x4_dot_i16x8(*first, i16x8_extend_low_i8x16(row)));
            high = i32x4_add(high, i32x4_dot_i16x8(*second, i16x8_extend_high_i8x16(row)));
        }
        sum(i32x4_add(low, high)) + products(&self.values.1, rest)
    }
}

fn products(values: &[i16], row: &[i8]) -> i32 {
    values.iter().zip(row).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum()
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
fn two_registers(values: &[i16; 16]) -> [core::arch::wasm32::v128; 2] {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *values;
    [core::arch::wasm32::i16x8(a, b, c, d, e, f, g, h), core::arch::wasm32::i16x8(i, j, k, l, m, n, o, p)]
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
fn sum(four: core::arch::wasm32::v128) -> i32 {
    use core::arch::wasm32::i32x4_extract_lane;
    i32x4_extract_lane::<0>(four)
        + i32x4_extract_lane::<1>(four)
        + i32x4_extract_lane::<2>(four)
        + i32x4_extract_lane::<3>(four)
}

/// Returns the dot product of an f32 query with an int8 row, without the row's scale.
pub(super) fn dot_mixed(question: &[f32], row: &[i8]) -> f32 {
    let mut sums = [0f32; 8];
    let ((question, question_rest), (row, row_rest)) = (question.as_chunks::<8>(), row.as_chunks::<8>());
    for (question, row) in question.iter().zip(row) {
        for ((sum, x), y) in sums.iter_mut().zip(question).zip(row) {
            *sum += x * f32::from(*y);
        }
    }
    let rest: f32 = question_rest.iter().zip(row_rest).map(|(x, y)| x * f32::from(*y)).sum();
    sums.iter().sum::<f32>() + rest
}

/// Returns the dot product of two f32 rows.
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

/// Returns the largest absolute value.
pub(super) fn largest(row: &[f32]) -> f32 {
    let mut most = [0f32; 8];
    let (eights, rest) = row.as_chunks::<8>();
    for eight in eights {
        for (most, value) in most.iter_mut().zip(eight) {
            // Not `f32::max`, whose handling of NaN takes several instructions.
            if value.abs() > *most {
                *most = value.abs();
            }
        }
    }
    rest.iter().chain(&most).fold(0f32, |largest, value| largest.max(value.abs()))
}

/// Returns the Hamming distance of two sketches of 384 dimensions.
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

/// Returns the Hamming distance of two sketches.
pub(super) fn hamming(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(x, y)| (x ^ y).count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn kernels_agree_with_plain_loops(pairs in prop::collection::vec((any::<i8>(), any::<i8>()), 0..70)) {
            let (a, b): (Vec<i8>, Vec<i8>) = pairs.iter().copied().unzip();
            let plain: i32 = pairs.iter().map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
            prop_assert_eq!(dot(&a, &b), plain);
            let wide = |row: &[i8]| row.iter().map(|x| f32::from(*x)).collect::<Vec<_>>();
            prop_assert_eq!(dot_mixed(&wide(&a), &b) as i32, plain);
            prop_assert_eq!(dot_f32(&wide(&a), &wide(&b)) as i32, plain);
            let most = a.iter().map(|x| i32::from(*x).abs()).max().unwrap_or_default();
            prop_assert_eq!(largest(&wide(&a)) as i32, most);
        }

        #[test]
        fn a_quantised_query_approximates_the_original(
            question in prop::collection::vec(-1f32..1.0, 1..2000),
            row in prop::collection::vec(any::<i8>(), 2000),
            spike in 1f32..1000.0,
        ) {
            let question: Vec<f32> = question.iter().enumerate().map(|(at, x)| if at == 0 { x * spike } else { *x }).collect();
            let row = &row[..question.len()];
            let exact: f64 = question.iter().zip(row).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
            let norm = |sum: f64| sum.sqrt();
            let lengths = norm(question.iter().map(|x| f64::from(*x).powi(2)).sum())
                * norm(row.iter().map(|y| f64::from(*y).powi(2)).sum());
            let got = f64::from(QuantisedQuery::of(&question).dot(row));
            prop_assert!((got - exact).abs() <= 1e-3 * lengths + 1e-9, "{} {}", got, exact);
        }

        #[test]
        fn dot_products_do_not_overflow_in_any_dimension(length in 1usize..40_000, value in 1e-6f32..1e6) {
            let got = QuantisedQuery::of(&vec![value; length]).dot(&vec![-128; length]);
            let exact = -128.0 * f64::from(value) * length as f64;
            prop_assert!((f64::from(got) / exact - 1.0).abs() < 0.02, "{} {}", got, exact);
        }
    }
}
