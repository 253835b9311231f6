//! Inputs whose values are divided among several 8-bit inputs.
//!
//! Normalisations give a few channels values that are many times the others. A row of 8-bit activations has one step, which the largest
//! value determines, so that such channels leave the others few steps. Here such a channel becomes several inputs with the same weights, each
//! with a part of its value, and the step becomes as much smaller: outlier channel splitting (Zhao et al., 2019), applied to activations.

use crate::simd::tile::Split;
use crate::weights::Norm;

/// Number of inputs per input that may be added.
const INPUTS_PER_PART: usize = 16;

/// Number of standard deviations of a normalised value that count as its largest amount.
const DEVIATIONS: f32 = 3.0;

/// A channel is divided further while its parts are larger than this many typical values.
const LEAST_PART: f32 = 2.0;

/// Returns the channels of normalised token vectors to divide, in ascending order; none for a model without outliers.
///
/// The weights and biases of `norms`, one per layer, show which channels are outliers throughout the model, so that no text is needed. The
/// choice affects precision only.
pub(super) fn of(norms: &[&Norm]) -> Vec<Split> {
    let width = norms.first().map_or(0, |norm| norm.weights.len());
    let mut amounts = vec![0.0; width];
    for norm in norms {
        let sizes = sizes(norm);
        let mut sorted = sizes.clone();
        sorted.sort_unstable_by(f32::total_cmp);
        let Some(typical) = sorted.get(width / 2).filter(|typical| **typical > 0.0) else {
            continue; // most channels are always zero: nothing is to be compared with them
        };
        for (amount, size) in amounts.iter_mut().zip(sizes) {
            *amount += size / typical / norms.len() as f32;
        }
    }
    // An outlier's distribution has long tails, which its standard deviation understates. The cube fits measured maxima better.
    let amounts: Vec<f32> = amounts.iter().map(|amount| amount.powi(3)).collect();
    let mut parts = vec![1; width];
    for _ in 0..width / INPUTS_PER_PART {
        let shares = amounts.iter().zip(&mut parts).map(|(amount, parts)| (amount / *parts as f32, parts));
        match shares.max_by(|(a, _), (b, _)| a.total_cmp(b)) {
            Some((share, parts)) if share > LEAST_PART => *parts += 1,
            _ => break,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn norm(weights: Vec<f32>) -> Norm {
        Norm { bias: vec![0.1; weights.len()], weights, epsilon: 1e-12 }
    }

    /// A normalisation of 64 channels, of which some have a larger weight.
    fn with(outliers: &[(usize, f32)]) -> Norm {
        let mut weights = vec![1.0; 64];
        for (channel, weight) in outliers {
            weights[*channel] = *weight;
        }
        norm(weights)
    }

    #[test]
    fn a_model_without_outliers_has_no_divided_channels() {
        assert_eq!(of(&[&with(&[]), &with(&[])]), []);
        assert_eq!(of(&[&norm(vec![0.0; 64])]), []);
        assert_eq!(of(&[]), []);
    }

    #[test]
    fn outliers_of_all_layers_are_divided_the_largest_into_most_parts() {
        let (first, second) = (with(&[(5, 3.0), (40, 6.0)]), with(&[(5, 3.0), (40, 6.0)]));
        let splits = of(&[&first, &second]);
        assert_eq!(splits, [Split { channel: 40, parts: 5 }]);
        assert_eq!(added(&splits).collect::<Vec<_>>(), [40; 4]);
        let splits = of(&[&with(&[(5, 5.5), (40, 6.0)])]);
        assert_eq!(splits, [Split { channel: 5, parts: 3 }, Split { channel: 40, parts: 3 }]);
    }

    #[test]
    fn one_input_in_sixteen_is_added_at_most() {
        let many: Vec<(usize, f32)> = (0..20).map(|channel| (channel, 50.0)).collect();
        assert_eq!(added(&of(&[&with(&many)])).count(), 4);
    }
}
