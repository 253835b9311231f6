//! Measures of one ranking, each in [0, 1]. A ranking names documents, best first, none of them twice.

use std::collections::{BTreeMap, HashSet};

/// The relevant documents of a question with their grades, which are above 0; all others are irrelevant.
pub type Relevance = BTreeMap<String, u32>;

/// The share of the relevant documents that are among the first `k`; 0 where nothing is relevant, as in all that
/// follow.
pub fn recall_at(ranking: &[&str], relevant: &Relevance, k: usize) -> f64 {
    match relevant.len() {
        0 => 0.0,
        all => found(ranking, relevant, k) as f64 / all as f64,
    }
}

/// 1 if every relevant document is among the first `k`: what a question needs whose answer has to be put together.
pub fn all_support_at(ranking: &[&str], relevant: &Relevance, k: usize) -> f64 {
    let complete = !relevant.is_empty() && found(ranking, relevant, k) == relevant.len();
    f64::from(u8::from(complete))
}

/// One over the place of the first relevant document, if it is among the first `k`. Its mean over questions is MRR.
pub fn reciprocal_rank_at(ranking: &[&str], relevant: &Relevance, k: usize) -> f64 {
    let first = ranking.iter().take(k).position(|id| relevant.contains_key(*id));
    first.map_or(0.0, |at| 1.0 / (at + 1) as f64)
}

/// Normalised discounted cumulative gain (Järvelin and Kekäläinen, "Cumulated Gain-Based Evaluation of IR
/// Techniques", TOIS 2002), with the grade itself as gain, as BEIR's tables have it.
pub fn ndcg_at(ranking: &[&str], relevant: &Relevance, k: usize) -> f64 {
    let mut ideal: Vec<u32> = relevant.values().copied().collect();
    ideal.sort_unstable_by(|one, other| other.cmp(one));
    let best = gain(ideal.into_iter().take(k));
    if best == 0.0 {
        return 0.0;
    }
    gain(ranking.iter().take(k).map(|id| relevant.get(*id).copied().unwrap_or(0))) / best
}

/// The share of what is named that is relevant; nothing where nothing is named. Of citations, their precision.
pub fn precision_of<'a>(named: impl IntoIterator<Item = &'a str>, relevant: &Relevance) -> Option<f64> {
    let (mut all, mut right) = (0_usize, 0_usize);
    for id in named {
        all += 1;
        right += usize::from(relevant.contains_key(id));
    }
    (all > 0).then(|| right as f64 / all as f64)
}

/// The documents of ranked chunks: each at the place of its best chunk.
pub fn distinct<'a>(chunks: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = HashSet::new();
    chunks.into_iter().filter(|id| seen.insert(*id)).collect()
}

fn found(ranking: &[&str], relevant: &Relevance, k: usize) -> usize {
    ranking.iter().take(k).filter(|id| relevant.contains_key(**id)).count()
}

fn gain(grades: impl Iterator<Item = u32>) -> f64 {
    grades.enumerate().map(|(at, grade)| f64::from(grade) / ((at + 2) as f64).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn relevance(grades: &[(&str, u32)]) -> Relevance {
        grades.iter().map(|(id, grade)| ((*id).to_owned(), *grade)).collect()
    }

    #[test]
    fn values_worked_out_by_hand() {
        let relevant = relevance(&[("a", 3), ("b", 2), ("c", 1)]);
        let ranking = ["x", "a", "y", "c"];
        assert_eq!(recall_at(&ranking, &relevant, 2), 1.0 / 3.0);
        assert_eq!(recall_at(&ranking, &relevant, 4), 2.0 / 3.0);
        assert_eq!(reciprocal_rank_at(&ranking, &relevant, 10), 0.5);
        assert_eq!(reciprocal_rank_at(&ranking, &relevant, 1), 0.0);
        assert_eq!(all_support_at(&ranking, &relevant, 4), 0.0);
        assert_eq!(all_support_at(&["c", "b", "x", "a"], &relevant, 4), 1.0);
        assert_eq!(all_support_at(&["c", "b", "x", "a"], &relevant, 3), 0.0);
        // DCG = 3 / log2 3 + 1 / log2 5 = 2.323466; ideal = 3 + 2 / log2 3 + 1 / 2 = 4.761860.
        assert!((ndcg_at(&ranking, &relevant, 10) - 0.487_932).abs() < 1e-6);
        // Cut at 2: 1.892789 of 3 + 2 / log2 3 = 4.261860.
        assert!((ndcg_at(&ranking, &relevant, 2) - 0.444_123).abs() < 1e-6);
    }

    #[test]
    fn where_nothing_is_relevant_everything_is_0() {
        let nothing = Relevance::new();
        for measure in [recall_at, all_support_at, reciprocal_rank_at, ndcg_at] {
            assert_eq!(measure(&["a"], &nothing, 10), 0.0);
        }
    }

    #[test]
    fn precision_is_not_known_where_nothing_is_named() {
        let relevant = relevance(&[("a", 1), ("b", 1)]);
        assert_eq!(precision_of([], &relevant), None);
        assert_eq!(precision_of(["a", "a", "x", "b"], &relevant), Some(0.75));
    }

    #[test]
    fn a_document_counts_at_the_place_of_its_best_chunk() {
        assert_eq!(distinct(["b", "a", "b", "c", "a"]), ["b", "a", "c"]);
    }

    /// Some of the letters are relevant, with grades; all of them are ranked in some order.
    fn labelled() -> impl Strategy<Value = (Vec<String>, Relevance)> {
        let ids: Vec<String> = ('a'..='p').map(String::from).collect();
        let relevant = prop::collection::btree_map("[a-p]", 1u32..4, 1..8);
        (Just(ids).prop_shuffle(), relevant)
    }

    proptest! {
        #[test]
        fn every_measure_is_between_0_and_1_and_1_for_a_perfect_ranking(
            (ids, relevant) in labelled(),
            k in 1usize..20,
        ) {
            let ranking: Vec<&str> = ids.iter().map(String::as_str).collect();
            let mut perfect = ranking.clone();
            perfect.sort_by_key(|id| std::cmp::Reverse(relevant.get(*id).copied().unwrap_or(0)));
            for measure in [recall_at, all_support_at, reciprocal_rank_at, ndcg_at] {
                prop_assert!((0.0..=1.0 + 1e-12).contains(&measure(&ranking, &relevant, k)));
                prop_assert!(measure(&perfect, &relevant, k) >= measure(&ranking, &relevant, k) - 1e-12);
                prop_assert!((measure(&perfect, &relevant, k.max(relevant.len())) - 1.0).abs() < 1e-12);
            }
        }

        #[test]
        fn looking_further_down_never_finds_less((ids, relevant) in labelled(), k in 1usize..20) {
            let ranking: Vec<&str> = ids.iter().map(String::as_str).collect();
            for measure in [recall_at, all_support_at, reciprocal_rank_at] {
                prop_assert!(measure(&ranking, &relevant, k) <= measure(&ranking, &relevant, k + 1));
            }
        }

        #[test]
        fn moving_a_better_document_up_never_lowers_a_measure((ids, relevant) in labelled(), at in 0usize..15) {
            let ranking: Vec<&str> = ids.iter().map(String::as_str).collect();
            let grade = |id: &str| relevant.get(id).copied().unwrap_or(0);
            let (mut better, mut worse) = (ranking.clone(), ranking);
            better[at..at + 2].sort_by_key(|id| std::cmp::Reverse(grade(id)));
            worse[at..at + 2].sort_by_key(|id| grade(id));
            for measure in [recall_at, all_support_at, reciprocal_rank_at, ndcg_at] {
                prop_assert!(measure(&better, &relevant, 10) >= measure(&worse, &relevant, 10));
            }
        }
    }
}
