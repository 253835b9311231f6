//! Pooling of token vectors to sentence vectors.

use super::TokenBatch;
use crate::normalised;
use crate::onnx_options::Pooling;

/// Pools to one unit vector per text. `values` has the shape `rows × columns × dimensions`, or `rows ×
/// dimensions` for [`Pooling::Model`]; the result `rows × dimensions`. Padding may be on either side.
pub fn pool(values: &[f32], batch: &TokenBatch, dimensions: usize, pooling: Pooling) -> Vec<f32> {
    let tokens = match pooling {
        Pooling::Mean => return mean_pool(values, batch, dimensions),
        Pooling::Model => return values.chunks_exact(dimensions.max(1)).flat_map(normalised).collect(),
        Pooling::Cls => |mask: &[i64]| mask.iter().position(|mask| *mask == 1),
        Pooling::LastToken => |mask: &[i64]| mask.iter().rposition(|mask| *mask == 1),
    };
    let rows = values.chunks_exact((batch.columns * dimensions).max(1));
    rows.zip(batch.mask.chunks_exact(batch.columns.max(1)))
        .flat_map(|(row, mask)| {
            let at = tokens(mask).unwrap_or(0) * dimensions;
            normalised(row.get(at..at + dimensions).unwrap_or_default())
        })
        .collect()
}

/// Returns the mean of each text's token vectors without padding, scaled to unit length (Reimers and
/// Gurevych, "Sentence-BERT", EMNLP 2019, §3).
///
/// `hidden` has the shape `rows × columns × dimensions`, the result `rows × dimensions`.
pub fn mean_pool(hidden: &[f32], batch: &TokenBatch, dimensions: usize) -> Vec<f32> {
    let row_length = batch.columns * dimensions;
    let mut pooled = Vec::with_capacity(batch.rows * dimensions);
    for (row, mask) in
        hidden.chunks_exact(row_length.max(1)).zip(batch.mask.chunks_exact(batch.columns.max(1)))
    {
        let mut sum = vec![0.0f32; dimensions];
        for (token, _) in row.chunks_exact(dimensions.max(1)).zip(mask).filter(|(_, mask)| **mask == 1) {
            sum.iter_mut().zip(token).for_each(|(sum, value)| *sum += value);
        }
        // The sum has the direction of the mean, and the length is normalised.
        pooled.extend(normalised(&sum));
    }
    pooled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_does_not_affect_the_mean() {
        let batch = TokenBatch::of(&[&[5, 6], &[7]]);
        let hidden = [3.0, 0.0, 0.0, 4.0, /* row 2 */ 0.0, 2.0, 9.0, 9.0];
        assert_eq!(mean_pool(&hidden, &batch, 2), [0.6, 0.8, 0.0, 1.0]);
    }

    #[test]
    fn first_and_last_token_ignore_padding_on_either_side() {
        // One row is padded on the right, one on the left.
        let batch =
            TokenBatch { rows: 2, columns: 3, ids: vec![5, 6, 0, 0, 7, 8], mask: vec![1, 1, 0, 0, 1, 1] };
        let hidden = [1.0, 0.0, 0.0, 2.0, 9.0, 9.0, /* row 2 */ 9.0, 9.0, 0.0, 3.0, -4.0, 0.0];
        assert_eq!(pool(&hidden, &batch, 2, Pooling::Cls), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(pool(&hidden, &batch, 2, Pooling::LastToken), [0.0, 1.0, -1.0, 0.0]);
        assert_eq!(pool(&hidden, &batch, 2, Pooling::Mean), mean_pool(&hidden, &batch, 2));
    }

    #[test]
    fn vectors_of_the_models_head_are_only_normalised() {
        let batch = TokenBatch::of(&[&[5, 6], &[7]]);
        assert_eq!(pool(&[3.0, 4.0, 0.0, -2.0], &batch, 2, Pooling::Model), [0.6, 0.8, 0.0, -1.0]);
    }
}
