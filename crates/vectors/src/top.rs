//! The best of many scored things, kept while they come.

use std::cmp::Ordering;

/// Keeps the best of what is pushed: ties go to the lower number, so that a search is repeatable.
#[derive(Debug)]
pub struct Best {
    limit: usize,
    margin: f32,
    /// What is below this is out already.
    floor: f32,
    kept: Vec<(u32, f32)>,
    room: usize,
}

impl Best {
    /// Keeps the best `limit`.
    pub fn new(limit: usize) -> Self {
        Self::with_margin(limit, 0.0)
    }

    /// Keeps the best `limit` and all that scores at most `margin` less than the last of them.
    pub fn with_margin(limit: usize, margin: f32) -> Self {
        Self { limit, margin, floor: f32::NEG_INFINITY, kept: Vec::new(), room: room(limit) }
    }

    /// Considers one more.
    pub fn push(&mut self, which: u32, score: f32) {
        if score >= self.floor {
            self.kept.push((which, score));
            if self.kept.len() >= self.room {
                self.prune();
                self.room = room(self.kept.len());
            }
        }
    }

    /// The score of the last of the best so far, below which nothing more can enter.
    pub fn floor(&mut self) -> f32 {
        self.prune();
        self.floor
    }

    /// Best first.
    pub fn into_sorted(mut self) -> Vec<(u32, f32)> {
        self.prune();
        self.kept.sort_unstable_by(order);
        self.kept
    }

    fn prune(&mut self) {
        let Some(last) = self.limit.checked_sub(1) else {
            self.kept.clear();
            return;
        };
        if self.kept.len() <= self.limit {
            return;
        }
        let (_, at, _) = self.kept.select_nth_unstable_by(last, order);
        self.floor = at.1 - self.margin;
        if self.margin > 0.0 {
            let floor = self.floor;
            self.kept.retain(|one| one.1 >= floor);
        } else {
            self.kept.truncate(self.limit);
        }
    }
}

/// How many are kept before all but the best are dropped.
fn room(limit: usize) -> usize {
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
        fn what_is_kept_is_what_sorting_all_would_keep(scores in prop::collection::vec(0u8..20, 0..400), limit in 0usize..30) {
            let mut best = Best::new(limit);
            let mut all: Vec<(u32, f32)> = scores.iter().enumerate().map(|(at, score)| (at as u32, f32::from(*score))).collect();
            all.iter().for_each(|(at, score)| best.push(*at, *score));
            all.sort_by(order);
            all.truncate(limit);
            prop_assert_eq!(best.into_sorted(), all);
        }

        #[test]
        fn a_margin_keeps_all_that_could_still_be_best(scores in prop::collection::vec(0u8..200, 1..400), limit in 1usize..10, margin in 1u8..9) {
            let mut best = Best::with_margin(limit, f32::from(margin));
            scores.iter().enumerate().for_each(|(at, score)| best.push(at as u32, f32::from(*score)));
            let mut sorted = scores.clone();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            let floor = sorted.get(limit - 1).map_or(0, |last| last.saturating_sub(margin));
            let kept: Vec<u32> = best.into_sorted().iter().map(|one| one.0).collect();
            for (at, score) in scores.iter().enumerate().filter(|(_, score)| **score >= floor) {
                prop_assert!(kept.contains(&(at as u32)), "{} of {}", score, at);
            }
        }
    }
}
