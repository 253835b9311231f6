//! Attention of each token to the tokens of its own sequence.

use crate::simd::product::floats;
use crate::simd::tile::{Panels, Rows, RowsMut};
use crate::simd::{Level, maths};
use std::ops::Range;

/// Memory of the computation, kept between calls.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    keys: Panels<f32>,
    values: Panels<f32>,
    scores: Vec<f32>,
    /// What the sums of a token's values are multiplied with.
    shares: Vec<f32>,
}

/// Dimensions of the tokens' vectors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Length of a token's vector.
    pub(super) width: usize,
    /// Number of heads, which share it in equal parts.
    pub(super) heads: usize,
}

/// Writes the contributions of a sequence's tokens to `context`, a vector per token. `mapped` has the query, the
/// key and the value of each token, a row each; `sequence` is the range of its rows.
pub(super) fn attend(
    level: Level,
    Shape { width, heads }: Shape,
    mapped: &[f32],
    sequence: Range<usize>,
    scratch: &mut Scratch,
    context: &mut [f32],
) {
    let (length, head, stride) = (sequence.len(), width / heads.max(1), 3 * width);
    if length == 0 {
        return;
    }
    let (_, mapped) = mapped.split_at(sequence.start * stride);
    let (mapped, _) = mapped.split_at(length * stride);
    let (_, context) = context.split_at_mut(sequence.start * width);
    let (context, _) = context.split_at_mut(length * width);
    let Scratch { keys, values, scores, shares } = scratch;
    scores.clear();
    scores.resize(length * length, 0.0);
    for first in (0..heads).map(|at| at * head) {
        let at = |row: usize, part: usize, column: usize| {
            mapped.get(row * stride + part * width + first + column).copied().unwrap_or(0.0)
        };
        keys.pack(level, 1, (length, head), |token, column| at(token, 1, column));
        values.pack(level, 1, (head, length), |column, token| at(token, 2, column));
        let queries = Rows { values: mapped.split_at(first).1, stride, count: length };
        floats(level, queries, keys, &mut RowsMut { values: scores, stride: length, length });
        shares.clear();
        shares.extend(
            scores.chunks_exact_mut(length.max(1)).map(|row| maths::exponentials(level, row).recip()),
        );
        let rows = Rows { values: scores.as_slice(), stride: length, count: length };
        let (_, values_of_head) = context.split_at_mut(first);
        floats(level, rows, values, &mut RowsMut { values: values_of_head, stride: width, length: head });
        // Fewer products than with the scores.
        for (row, share) in values_of_head.chunks_mut(width).zip(shares.iter()) {
            row.iter_mut().take(head).for_each(|value| *value *= share);
        }
    }
}
