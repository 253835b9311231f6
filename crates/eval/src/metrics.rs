//! Ranking metrics, each in [0, 1]. A ranking is a list of distinct documents, best first.

use std::collections::{BTreeMap, HashSet};
use vademecum_util::small_sort::sort_by;

/// The relevant documents of a question with their grades, which are positive.
pub type Relevance = BTreeMap<String, u32>;

/// Returns Recall@k: the share of the relevant documents among the first `k`. Like all metrics here, 0 if
/// nothing is relevant.
pub fn recall_at(ranking: &[&str], relevant: &Relevance, k: usize) -> f64 {
    match relevant.len() {
        0 => 0.0,
        all => found(ranking, relevant, k) as f64 / all as f64,
    }
}

/// Returns 1 if all relevant documents are among the first `k`, as multi-hop questions need, else 0.
pub fn all_support_at(ranking: &[&str], relevant: &Relevance, k: usize) -> f64 {
    let complete = !relevant.is_empty() && found(ranking, relevant, k) == relevant.len();
    f64::from(u8::from(complete))
}

/// Returns the reciprocal rank of the first relevant document among the first `k`, else 0. Its mean over
/// questions is MRR@k.
pub fn reciprocal_rank_at(ranking: &[&str], relevant: &Relevance, k: usize) -> f64 {
    let first = ranking.iter().take(k).position(|id| relevant.contains_key(*id));
    first.map_or(0.0, |at| 1.0 / (at + 1) as f64)
}

/// Returns nDCG@k (Järvelin and Kekäläinen, "Cumulated Gain-Based Evaluation of IR Techniques", TOIS 2002),
/// with the grade itself as gain, as in BEIR.
pub fn ndcg_at(ranking: &[&str], relevant: &Relevance, k: usize) -> f64 {
    let mut ideal: Vec<u32> = relevant.values().copied().collect();
    ideal.sort_unstable_by(|one, other| other.cmp(one));
    let best = gain(ideal.into_iter().take(k));
    if best == 0.0 {
        return 0.0;
    }
    gain(ranking.iter().take(k).map(|id| relevant.get(*id).copied().unwrap_or(0))) / best
}

/// Returns the share of `named` that is relevant, such as the precision of citations; `None` if nothing is
/// named.
pub fn precision_of<'a>(named: impl IntoIterator<Item = &'a str>, relevant: &Relevance) -> Option<f64> {
    let (mut all, mut right) = (0_usize, 0_usize);
    for id in named {
        all += 1;
        right += usize::from(relevant.contains_key(id));
    }
    (all > 0).then(|| right as f64 / all as f64)
}

/// Returns the documents of ranked chunks, each at the rank of its best chunk.
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

/// Returns the area under the ROC curve: the probability that a value of `higher` is above one of `lower`; a tie counts half.
pub fn area_under_curve(higher: &[f32], lower: &[f32]) -> f64 {
    let wins = |value: &f32| -> f64 {
        let against = |other: &f32| match value.total_cmp(other) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        };
        lower.iter().map(against).sum()
    };
    let pairs = (higher.len() * lower.len()).max(1) as f64;
    higher.iter().map(wins).sum::<f64>() / pairs
}

/// Share of the `higher` values that a threshold keeps when [`share_above`] counts.
const KEPT: f64 = 0.95;

/// Returns the share of `lower` values that reach the threshold which keeps 95 % of the `higher` ones.
pub fn share_above(higher: &[f32], lower: &[f32]) -> f64 {
    let mut sorted = higher.to_vec();
    sort_by(&mut sorted, f32::total_cmp);
    let Some(least) = sorted.get(((1.0 - KEPT) * sorted.len() as f64) as usize) else { return 0.0 };
    lower.iter().filter(|value| *value >= least).count() as f64 / lower.len().max(1) as f64
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
    fn every_metric_is_0_if_nothing_is_relevant() {
        let nothing = Relevance::new();
        for measure in [recall_at, all_support_at, reciprocal_rank_at, ndcg_at] {
            assert_eq!(measure(&["a"], &nothing, 10), 0.0);
        }
    }

    #[test]
    fn the_area_under_the_curve_is_the_share_of_pairs_in_order() {
        assert_eq!(area_under_curve(&[0.9, 0.8], &[0.1, 0.2]), 1.0);
        assert_eq!(area_under_curve(&[0.5], &[0.5]), 0.5);
        assert_eq!(area_under_curve(&[0.9, 0.1], &[0.5]), 0.5);
    }

    #[test]
    fn precision_is_unknown_if_nothing_is_named() {
        let relevant = relevance(&[("a", 1), ("b", 1)]);
        assert_eq!(precision_of([], &relevant), None);
        assert_eq!(precision_of(["a", "a", "x", "b"], &relevant), Some(0.75));
    }

    #[test]
    fn a_document_has_the_rank_of_its_best_chunk() {
        assert_eq!(distinct(["b", "a", "b", "c", "a"]), ["b", "a", "c"]);
    }

    /// Generates a ranking, some of whose documents are relevant.
    fn labelled() -> impl Strategy<Value = (Vec<String>, Relevance)> {
        let ids: Vec<String> = ('a'..='p').map(String::from).collect();
        let relevant = prop::collection::btree_map("[a-p]", 1u32..4, 1..8);
        (Just(ids).prop_shuffle(), relevant)
    }

    proptest! {
        #[test]
        fn every_metric_is_between_0_and_1_and_1_for_a_perfect_ranking(
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
        fn recall_does_not_decrease_with_k((ids, relevant) in labelled(), k in 1usize..20) {
            let ranking: Vec<&str> = ids.iter().map(String::as_str).collect();
            for measure in [recall_at, all_support_at, reciprocal_rank_at] {
                prop_assert!(measure(&ranking, &relevant, k) <= measure(&ranking, &relevant, k + 1));
            }
        }

        #[test]
        fn moving_a_better_document_up_never_lowers_a_metric((ids, relevant) in labelled(), at in 0usize..15) {
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
