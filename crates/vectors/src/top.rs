//! Selects the top k of a stream of scores.

use std::cmp::Ordering;

/// Keeps the top k of the pushed items; ties go to the lower number, which makes searches reproducible.
#[derive(Debug)]
pub struct TopK {
    limit: usize,
    margin: f32,
    /// Lower scores cannot enter any more.
    threshold: f32,
    items: Vec<(u32, f32)>,
    capacity: usize,
}

impl TopK {
    /// Keeps the best `limit`.
    pub fn new(limit: usize) -> Self {
        Self::with_margin(limit, 0.0)
    }

    /// Keeps the best `limit`, and all that score at most `margin` less than the last of them.
    pub fn with_margin(limit: usize, margin: f32) -> Self {
        Self { limit, margin, threshold: f32::NEG_INFINITY, items: Vec::new(), capacity: capacity(limit) }
    }

    /// Pushes an item.
    pub fn push(&mut self, which: u32, score: f32) {
        if score >= self.threshold {
            self.items.push((which, score));
            if self.items.len() >= self.capacity {
                self.prune();
                self.capacity = capacity(self.items.len());
            }
        }
    }

    /// Returns the current k-th best score, below which no item can enter; negative infinity while fewer are
    /// known.
    pub fn threshold(&mut self) -> f32 {
        self.prune();
        self.threshold
    }

    /// Returns the threshold of the last pruning: items below it cannot enter. The exact one may be higher.
    pub fn known(&self) -> f32 {
        self.threshold
    }

    /// Returns the items, best first.
    pub fn into_sorted(mut self) -> Vec<(u32, f32)> {
        self.prune();
        self.items.sort_unstable_by(order);
        self.items
    }

    fn prune(&mut self) {
        let Some(last) = self.limit.checked_sub(1) else {
            self.items.clear();
            return;
        };
        if self.items.len() < self.limit {
            return;
        }
        let (_, at, _) = self.items.select_nth_unstable_by(last, order);
        self.threshold = at.1 - self.margin;
        if self.margin > 0.0 {
            let threshold = self.threshold;
            self.items.retain(|one| one.1 >= threshold);
        } else {
            self.items.truncate(self.limit);
        }
    }
}

/// Returns the number of items to collect before pruning to the top k.
fn capacity(limit: usize) -> usize {
    limit.saturating_mul(2).saturating_add(64)
}

fn order(a: &(u32, f32), b: &(u32, f32)) -> Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn top_k_agrees_with_sorting(scores in prop::collection::vec(0u8..20, 0..400), limit in 0usize..30) {
            let mut best = TopK::new(limit);
            let mut all: Vec<(u32, f32)> = scores.iter().enumerate().map(|(at, score)| (at as u32, f32::from(*score))).collect();
            all.iter().for_each(|(at, score)| best.push(*at, *score));
            all.sort_by(order);
            all.truncate(limit);
            prop_assert_eq!(best.into_sorted(), all);
        }

        #[test]
        fn a_margin_keeps_everything_within_it(scores in prop::collection::vec(0u8..200, 1..400), limit in 1usize..10, margin in 1u8..9) {
            let mut best = TopK::with_margin(limit, f32::from(margin));
            scores.iter().enumerate().for_each(|(at, score)| best.push(at as u32, f32::from(*score)));
            let mut sorted = scores.clone();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            let threshold = sorted.get(limit - 1).map_or(0, |last| last.saturating_sub(margin));
            let items: Vec<u32> = best.into_sorted().iter().map(|one| one.0).collect();
            for (at, score) in scores.iter().enumerate().filter(|(_, score)| **score >= threshold) {
                prop_assert!(items.contains(&(at as u32)), "{} of {}", score, at);
            }
        }
    }
}
