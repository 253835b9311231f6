//! The functions between the products, written so that the compiler makes vector instructions of them.

use super::level::{Activations, Level, at_level};
use super::tile::{Quantised, Scale, Split};

/// Number of partial sums: enough for two vectors of the widest machine.
const LANES: usize = 16;

/// Added to a number of less than 2²² in amount, leaves its nearest whole number in the lowest bits.
const ROUND: f32 = 12_582_912.0;

/// The greatest amount of a 16-bit activation.
const MAX_WORD: f32 = 32_767.0;

/// Replaces each value by its GELU.
pub fn gelu(level: Level, values: &mut [f32]) {
    at_level!(level, plain_gelu(values: &mut [f32]));
}

/// Replaces a row of scores by the exponentials of their differences to the greatest one; returns their sum.
pub fn exponentials(level: Level, scores: &mut [f32]) -> f32 {
    let mut total = 0.0;
    let sum = &mut total;
    at_level!(level, plain_exponentials(scores: &mut [f32], sum: &mut f32));
    total
}

/// Adds `summand` to `values`, and normalises each row.
pub fn add_and_norm(level: Level, values: &mut [f32], summand: &[f32], norm: &crate::weights::Norm) {
    at_level!(level, plain_add_and_norm(values: &mut [f32], summand: &[f32], norm: &crate::weights::Norm));
}

/// Quantises rows of `length` values, each filled up to `inputs`. The parts of `splits` after the first follow the values; only
/// 8-bit activations have any.
pub fn quantise(
    level: Level,
    values: &[f32],
    length: usize,
    inputs: usize,
    splits: &[Split],
    into: &mut Quantised,
) {
    let rows = values.len() / length.max(1);
    into.scales.clear();
    into.scales.resize(rows, Scale::default());
    match level.activations() {
        Activations::I16 => {
            into.words.clear();
            into.words.resize(rows * inputs, 0);
            // As many products of this amount with weights of 127 fit into 32 bits.
            let greatest = MAX_WORD.min((f64::from(i32::MAX) / (127.0 * inputs as f64)) as f32).floor();
            at_level!(level, quantise_words(values: &[f32], length: usize, inputs: usize, greatest: f32, into: &mut Quantised));
        }
        Activations::Bytes { is_signed } => {
            into.bytes.clear();
            into.bytes.resize(rows * inputs, 0);
            at_level!(level, quantise_bytes(values: &[f32], length: usize, inputs: usize, splits: &[Split], is_signed: bool, into: &mut Quantised));
        }
    }
    into.interleave(level, inputs);
}

#[inline(always)]
fn plain_gelu(values: &mut [f32]) {
    for value in values {
        *value = 0.5 * *value * (1.0 + erf_of_half(*value));
    }
}

/// The amount from which [`erf_of_half`] is 1 in single precision.
const ERF_IS_ONE: f32 = 5.543_717;

/// Returns `erf(x / √2)`: a quotient of polynomials in `x²`, fitted by least squares that were weighted until the greatest errors
/// were equal, off by 5e-7 at most.
#[inline(always)]
fn erf_of_half(x: f32) -> f32 {
    let x = greater(-greater(-x, -ERF_IS_ONE), -ERF_IS_ONE);
    let s = x * x;
    let above = ((((2.211_721_9e-10 * s - 4.671_787e-8) * s + 7.566_638_5e-6) * s + 4.243_46e-4) * s
        + 9.524_575e-3)
        * s
        + 0.079_532_51;
    let below = ((7.711_021e-5 * s + 2.063_879_7e-3) * s + 0.031_339_297) * s + 0.266_337_2;
    x * (above * s + 0.797_882_9) / (below * s + 1.0)
}

/// Returns e to the power of `x`, which is 0 or less.
#[inline(always)]
fn exponential(x: f32) -> f32 {
    let x = greater(x, -87.0);
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    // The logarithm of 2 in two parts, so that the difference is exact.
    let rest = x - whole * 0.693_359_4 + whole * 2.121_944_4e-4;
    // The series of Cephes' expf.
    let series = ((((1.987_569_1e-4 * rest + 1.398_2e-3) * rest + 8.333_452e-3) * rest + 4.166_579_6e-2)
        * rest
        + 0.166_666_65)
        * rest
        + 0.5;
    let power = shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127) << 23;
    (series * rest * rest + rest + 1.0) * f32::from_bits(power)
}

#[inline(always)]
fn plain_exponentials(scores: &mut [f32], total: &mut f32) {
    let (chunks, rest) = scores.as_chunks::<LANES>();
    let mut greatest = [f32::NEG_INFINITY; LANES];
    for chunk in chunks {
        for (greatest, score) in greatest.iter_mut().zip(chunk) {
            *greatest = greater(*greatest, *score);
        }
    }
    let greatest = greatest.iter().chain(rest).copied().fold(f32::NEG_INFINITY, greater);
    let (chunks, rest) = scores.as_chunks_mut::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        for (sum, score) in sums.iter_mut().zip(chunk) {
            *score = exponential(*score - greatest);
            *sum += *score;
        }
    }
    for (sum, score) in sums.iter_mut().zip(rest) {
        *score = exponential(*score - greatest);
        *sum += *score;
    }
    *total = sums.iter().sum();
}

#[inline(always)]
fn plain_add_and_norm(values: &mut [f32], summand: &[f32], norm: &crate::weights::Norm) {
    let width = norm.weights.len().max(1);
    for (row, summand) in values.chunks_exact_mut(width).zip(summand.chunks_exact(width)) {
        for (value, summand) in row.iter_mut().zip(summand) {
            *value += summand;
        }
        let mean = sum(row, |value| value) / width as f32;
        let variance = sum(row, |value| (value - mean) * (value - mean)) / width as f32;
        let scale = 1.0 / (variance + norm.epsilon).sqrt();
        for ((value, weight), bias) in row.iter_mut().zip(&norm.weights).zip(&norm.bias) {
            *value = (*value - mean) * scale * weight + bias;
        }
    }
}

#[inline(always)]
fn sum(values: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += of(*value);
        }
    }
    for (sum, value) in sums.iter_mut().zip(rest) {
        *sum += of(*value);
    }
    sums.iter().sum()
}

/// Returns the least and the greatest value, and 0 if that is beyond them.
#[inline(always)]
fn range(values: &[f32]) -> (f32, f32) {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let (mut least, mut greatest) = ([0f32; LANES], [0f32; LANES]);
    for chunk in chunks {
        for ((least, greatest), value) in least.iter_mut().zip(&mut greatest).zip(chunk) {
            *least = -greater(-*least, -*value);
            *greatest = greater(*greatest, *value);
        }
    }
    let least = least.iter().chain(rest).fold(0f32, |least, value| -greater(-least, -*value));
    let greatest = greatest.iter().chain(rest).copied().fold(0f32, greater);
    (least, greatest)
}

/// Returns the greater number. `f32::max`, which decides about NaN too, is a call without SSE4.1 and in WebAssembly.
#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Returns the nearest whole number, of numbers below 2²² in amount.
#[inline(always)]
fn rounded(value: f32) -> i32 {
    (value + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i32
}

#[inline(always)]
fn quantise_words(values: &[f32], length: usize, inputs: usize, greatest: f32, into: &mut Quantised) {
    let rows = values.chunks_exact(length.max(1)).zip(into.words.chunks_exact_mut(inputs.max(1)));
    for ((values, words), scale) in rows.zip(&mut into.scales) {
        let (least, most) = range(values);
        let step = greater(greater(most, -least) / greatest, f32::MIN_POSITIVE);
        *scale = Scale { step, zero: 0.0 };
        let inverse = 1.0 / step;
        for (word, value) in words.iter_mut().zip(values) {
            *word = rounded(value * inverse) as i16;
        }
    }
}

#[inline(always)]
fn quantise_bytes(
    values: &[f32],
    length: usize,
    inputs: usize,
    splits: &[Split],
    is_signed: bool,
    into: &mut Quantised,
) {
    let flip = if is_signed { 128 } else { 0 };
    let rows = values.chunks_exact(length.max(1)).zip(into.bytes.chunks_exact_mut(inputs.max(1)));
    for ((values, bytes), scale) in rows.zip(&mut into.scales) {
        into.shares.clear();
        into.shares.extend_from_slice(values);
        for Split { channel, parts } in splits {
            if let Some(share) = into.shares.get_mut(*channel) {
                *share /= *parts as f32;
            }
        }
        let (least, most) = range(&into.shares);
        let step = greater((most - least) / 255.0, f32::MIN_POSITIVE);
        let inverse = 1.0 / step;
        let zero = rounded(-least * inverse).clamp(0, 255);
        *scale = Scale { step, zero: (zero - flip) as f32 };
        // Rounding of the zero may put the greatest value one step too high.
        let byte = |steps: i32| (steps + zero).clamp(0, 255) as u8 ^ flip as u8;
        let (own, mut added) = bytes.split_at_mut(values.len());
        for (into, share) in own.iter_mut().zip(&into.shares) {
            *into = byte(rounded(share * inverse));
        }
        for Split { channel, parts } in splits {
            let (Some(value), Some(first)) = (values.get(*channel), own.get_mut(*channel)) else { continue };
            let steps = rounded(value * inverse);
            // Parts differ by one step at most, and are the whole value together.
            let part = |at: i32| steps * (at + 1) / *parts as i32 - steps * at / *parts as i32;
            *first = byte(part(0));
            let (parts, rest) = added.split_at_mut((parts - 1).min(added.len()));
            for (into, at) in parts.iter_mut().zip(1..) {
                *into = byte(part(at));
            }
            added = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gelu_is_off_by_a_millionth_at_most() {
        // The series of erf, which converges for all numbers.
        let erf = |x: f64| {
            let mut term = x;
            let mut sum = x;
            for n in 1..200 {
                term *= -x * x / f64::from(n);
                sum += term / f64::from(2 * n + 1);
            }
            (2.0 / std::f64::consts::PI.sqrt() * sum).clamp(-1.0, 1.0)
        };
        for at in -4_000..=4_000_i16 {
            let x = f32::from(at) / 1_000.0;
            let exact = 0.5 * f64::from(x) * (1.0 + erf(f64::from(x) * std::f64::consts::FRAC_1_SQRT_2));
            let mut values = [x];
            plain_gelu(&mut values);
            assert!((f64::from(values[0]) - exact).abs() < 1e-6, "{x}: {} for {exact}", values[0]);
        }
        let mut values = [-30.0, -8.0, 0.0, 8.0, 30.0];
        plain_gelu(&mut values);
        for (value, expected) in values.iter().zip([0.0, 0.0, 0.0, 8.0, 30.0]) {
            assert!((value - expected).abs() < 5e-6, "{value} for {expected}");
        }
    }

    #[test]
    fn parts_of_a_divided_value_are_the_whole_value_together_and_the_step_is_smaller() {
        let values = [0.5, -12.0, 0.25, 1.0, 0.125, -1.0];
        let splits = [Split { channel: 1, parts: 4 }, Split { channel: 3, parts: 2 }];
        for is_signed in [false, true] {
            let mut whole =
                Quantised { scales: vec![Scale::default()], bytes: vec![0; 8], ..Quantised::default() };
            quantise_bytes(&values, 6, 8, &[], is_signed, &mut whole);
            let mut divided =
                Quantised { scales: vec![Scale::default()], bytes: vec![0; 12], ..Quantised::default() };
            quantise_bytes(&values, 6, 12, &splits, is_signed, &mut divided);
            let (before, scale) = (whole.scales[0], divided.scales[0]);
            assert!(scale.step < before.step / 3.0, "{} of {}", scale.step, before.step);
            let value = |byte: &u8| {
                let number = if is_signed { f32::from(*byte as i8) } else { f32::from(*byte) };
                (number - scale.zero) * scale.step
            };
            let found: Vec<f32> = divided.bytes.iter().map(value).collect();
            let sums = [
                found[0],
                found[1] + found[6] + found[7] + found[8],
                found[2],
                found[3] + found[9],
                found[4],
                found[5],
            ];
            for (sum, value) in sums.iter().zip(values) {
                assert!((sum - value).abs() <= scale.step, "{sum} for {value}");
            }
        }
    }
}
