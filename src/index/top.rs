//! The best of many scored chunks.

use super::ChunkKey;
use std::cmp::Ordering;

/// Sorts by score, best first, ties by key so that a search is repeatable, and keeps `count`.
pub(super) fn best(mut scored: Vec<(ChunkKey, f32)>, count: usize) -> Vec<(ChunkKey, f32)> {
    if scored.len() > count {
        if count > 0 {
            scored.select_nth_unstable_by(count - 1, order);
        }
        scored.truncate(count);
    }
    scored.sort_unstable_by(order);
    scored
}

fn order(a: &(ChunkKey, f32), b: &(ChunkKey, f32)) -> Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}
