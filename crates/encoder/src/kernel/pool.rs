//! Pooling of token vectors that are laid one after another, without padding.

use crate::normalised;
use crate::onnx_options::Pooling;
use vademecum_kernel::forward::Sequence;

/// Pools to one unit vector per sequence. A sequence without tokens has the vector 0.
pub(super) fn pool(
    mut vectors: &[f32],
    sequences: &[Sequence<'_>],
    width: usize,
    pooling: Pooling,
) -> Vec<Vec<f32>> {
    let one = |sequence: &Sequence<'_>| {
        let (own, rest) = vectors.split_at(sequence.ids.len() * width);
        vectors = rest;
        let mut tokens = own.chunks_exact(width.max(1));
        let chosen = match pooling {
            Pooling::Mean | Pooling::Model => {
                let mut sum = vec![0.0f32; width];
                for token in tokens {
                    sum.iter_mut().zip(token).for_each(|(sum, value)| *sum += value);
                }
                // The sum has the direction of the mean, and the length is normalised.
                return normalised(&sum);
            }
            Pooling::Cls => tokens.next(),
            Pooling::LastToken => tokens.next_back(),
        };
        chosen.map_or_else(|| vec![0.0; width], normalised)
    };
    sequences.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sequence_is_pooled_by_itself() {
        let vectors = [3.0, 0.0, 0.0, 4.0, /* second sequence */ 0.0, 2.0];
        let sequences = [Sequence::of(&[5, 6]), Sequence::of(&[7]), Sequence::of(&[])];
        let pooled = |pooling| pool(&vectors, &sequences, 2, pooling).concat();
        assert_eq!(pooled(Pooling::Mean), [0.6, 0.8, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(pooled(Pooling::Cls), [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(pooled(Pooling::LastToken), [0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
    }
}
