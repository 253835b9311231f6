//! Inputs whose values are divided among several 8-bit inputs.
//!
//! Normalisations give a few channels values that are many times the others. A row of 8-bit activations has one step, which the largest
//! value determines, so that such channels leave the others few steps. A channel that is several inputs with the same weights has a part of
//! its value in each, and the step is as much smaller: outlier channel splitting (Zhao et al., 2019), of activations here.

use crate::simd::tile::Split;
use crate::weights::{Norm, Weights};

/// One input in so many may be added.
const INPUTS_PER_PART: usize = 16;

/// Standard deviations of a normalised value that count as its largest amount.
const DEVIATIONS: f32 = 3.0;

/// Typical parts that a part must still be above to be divided further.
const LEAST_PART: f32 = 2.0;

/// Returns the channels of normalised token vectors to divide, in ascending order. A model without outliers has none.
///
/// No text is needed: the weights and biases of normalisations tell the channels that are outliers throughout the layers. Which ones
/// are chosen has an effect on the precision alone.
pub(super) fn of(weights: &Weights) -> Vec<Split> {
    let width = weights.width();
    let mut amounts = vec![0.0; width];
    for layer in &weights.layers {
        let sizes = sizes(&layer.attended);
        let mut sorted = sizes.clone();
        sorted.sort_unstable_by(f32::total_cmp);
        let typical = sorted.get(width / 2).copied().unwrap_or_default().max(f32::MIN_POSITIVE);
        for (amount, size) in amounts.iter_mut().zip(sizes) {
            *amount += size / typical / weights.layers.len() as f32;
        }
    }
    // Sizes are understated: the tails of the values of an outlier are long. Their cubes are nearer to what is measured.
    let amounts: Vec<f32> = amounts.iter().map(|amount| amount.powi(3)).collect();
    let mut parts = vec![1; width];
    for _ in 0..width / INPUTS_PER_PART {
        let shares = amounts.iter().zip(&parts).map(|(amount, parts)| amount / *parts as f32);
        let Some((largest, share)) = shares.enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b)) else {
            break;
        };
        if share < LEAST_PART {
            break;
        }
        if let Some(parts) = parts.get_mut(largest) {
            *parts += 1;
        }
    }
    let divided = parts.into_iter().enumerate().filter(|(_, parts)| *parts > 1);
    divided.map(|(channel, parts)| Split { channel, parts }).collect()
}

/// Returns the channels that are added as inputs, one per part after the first.
pub(super) fn added(splits: &[Split]) -> impl Iterator<Item = usize> {
    splits.iter().flat_map(|split| std::iter::repeat_n(split.channel, split.parts - 1))
}

/// Returns the largest expected amount of each normalised value.
fn sizes(norm: &Norm) -> Vec<f32> {
    norm.weights.iter().zip(&norm.bias).map(|(weight, bias)| DEVIATIONS * weight.abs() + bias.abs()).collect()
}
