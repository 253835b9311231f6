//! Token vectors to one sentence vector.

use super::TokenBatch;
use crate::normalised;
use crate::onnx_options::Pooling;

/// One vector per text, scaled to length 1. `values` holds `rows × columns × dimensions` values, or, for
/// [`Pooling::Model`], `rows × dimensions`; the result `rows × dimensions`. Padding may be on either side.
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

/// The mean of each text's token vectors, padding left out, scaled to length 1 (Reimers and Gurevych,
/// "Sentence-BERT", EMNLP 2019, §3).
///
/// `hidden` holds `rows × columns × dimensions` values; the result `rows × dimensions`.
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
        // The mean points where the sum points, and only the direction is kept.
        pooled.extend(normalised(&sum));
    }
    pooled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_has_no_part_in_the_mean() {
        let batch = TokenBatch::of(&[&[5, 6], &[7]]);
        let hidden = [3.0, 0.0, 0.0, 4.0, /* row 2 */ 0.0, 2.0, 9.0, 9.0];
        assert_eq!(mean_pool(&hidden, &batch, 2), [0.6, 0.8, 0.0, 1.0]);
    }

    #[test]
    fn the_first_and_the_last_token_are_those_beside_the_padding_on_either_side() {
        // One row with its padding on the right, one with it on the left.
        let batch =
            TokenBatch { rows: 2, columns: 3, ids: vec![5, 6, 0, 0, 7, 8], mask: vec![1, 1, 0, 0, 1, 1] };
        let hidden = [1.0, 0.0, 0.0, 2.0, 9.0, 9.0, /* row 2 */ 9.0, 9.0, 0.0, 3.0, -4.0, 0.0];
        assert_eq!(pool(&hidden, &batch, 2, Pooling::Cls), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(pool(&hidden, &batch, 2, Pooling::LastToken), [0.0, 1.0, -1.0, 0.0]);
        assert_eq!(pool(&hidden, &batch, 2, Pooling::Mean), mean_pool(&hidden, &batch, 2));
    }

    #[test]
    fn vectors_of_the_model_itself_are_scaled_and_nothing_else() {
        let batch = TokenBatch::of(&[&[5, 6], &[7]]);
        assert_eq!(pool(&[3.0, 4.0, 0.0, -2.0], &batch, 2, Pooling::Model), [0.6, 0.8, 0.0, -1.0]);
    }
}
