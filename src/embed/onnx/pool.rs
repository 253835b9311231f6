//! Token vectors to one sentence vector.

use super::TokenBatch;
use crate::embed::normalised;

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
}
