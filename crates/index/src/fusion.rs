//! Joins the keyword arm and the vector arm into one ranking.

use super::chunk_key::ChunkKey;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use vademecum_vectors::Method;
use vademecum_vectors::top::Best;

/// The outcome of one search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matches {
    /// The best, best first.
    pub best: Vec<Found>,
    /// How many chunks matched before the limit: exact up to 1,000 keyword matches, at least that beyond.
    pub total: usize,
}

/// How two rankings become one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fusion {
    /// Distribution-based: each arm's scores are placed between three standard deviations below and above their mean,
    /// and averaged by weight. The default: unlike the other two it neither forgets by how much a hit is better nor
    /// lets one outstanding hit press all others together, and it ranked best (docs/evaluation.md).
    #[default]
    Dbsf,
    /// Each arm's scores are stretched to [0, 1] and averaged by weight.
    MinMax,
    /// Reciprocal rank fusion with k = 60 (Cormack, Clarke and Büttcher, SIGIR 2009), scaled so that the first
    /// place in both arms scores 1.
    Rrf,
}

impl Fusion {
    /// What a hit at a place from 1 with a score adds, before it is weighed.
    fn part(self, spread: &Spread, place: usize, score: f32) -> f32 {
        match self {
            Self::Dbsf if spread.deviation > 0.0 => {
                // One that stands out by more keeps its lead: what is above 1 is scaled down together with the rest.
                (0.5 + (score - spread.mean) / (6.0 * spread.deviation)).max(0.0)
            }
            Self::MinMax if spread.high > spread.low => (score - spread.low) / (spread.high - spread.low),
            Self::Dbsf | Self::MinMax => 1.0, // all are equally good
            Self::Rrf => 61.0 / (60.0 + place as f32),
        }
    }
}

/// How an arm's scores lie.
struct Spread {
    high: f32,
    low: f32,
    mean: f32,
    deviation: f32,
}

impl Spread {
    fn of(arm: &Ranking) -> Self {
        let count = arm.len().max(1) as f32;
        let mean = arm.iter().map(|one| one.1).sum::<f32>() / count;
        let variance = arm.iter().map(|one| (one.1 - mean).powi(2)).sum::<f32>() / count;
        Self {
            high: arm.first().map_or(0.0, |one| one.1),
            low: arm.last().map_or(0.0, |one| one.1),
            mean,
            deviation: variance.sqrt(),
        }
    }
}

/// How much each arm counts; only their proportion matters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// The keyword arm.
    pub keyword: f32,
    /// The vector arm.
    pub vector: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self { keyword: 1.0, vector: 1.0 }
    }
}

/// What one arm thought of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Arm {
    /// Its place in that arm, from 1.
    pub rank: usize,
    /// BM25, or cosine.
    pub score: f32,
    /// How the vector arm searched the segment the chunk is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
}

/// A chunk that was found, and why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// Which chunk.
    pub key: ChunkKey,
    /// BM25 or cosine where one arm searched, in [0, 1] where both did.
    pub score: f32,
    /// The keyword arm's view, if it found the chunk.
    pub keyword: Option<Arm>,
    /// The vector arm's view, if it found the chunk.
    pub vector: Option<Arm>,
}

/// What the keyword arm found, best first, and how many matched.
pub(super) type Words = (Vec<(u32, f32)>, usize);
/// What the vector arm found, best first.
pub(super) type Near = Vec<(u32, f32, Method)>;

/// What either arm found, best first.
type Ranking = Vec<(u32, f32, Option<Method>)>;

/// Joins what the arms found; an arm that is `None` did not search.
pub(super) fn join(
    words: Option<Words>,
    near: Option<Near>,
    how: Fusion,
    weights: Weights,
    limit: usize,
) -> Matches {
    let both = words.is_some() && near.is_some();
    let (words, counted) = words.unwrap_or_default();
    let words = words.into_iter().map(|(key, score)| (key, score, None)).collect();
    let near =
        near.unwrap_or_default().into_iter().map(|(key, score, method)| (key, score, Some(method))).collect();
    let sum = weights.keyword + weights.vector;
    let mut found: BTreeMap<u32, Found> = BTreeMap::new();
    let arms: [(Ranking, f32); 2] = [(words, weights.keyword / sum), (near, weights.vector / sum)];
    for (which, (arm, weight)) in arms.iter().enumerate() {
        let spread = Spread::of(arm);
        for (at, (key, score, method)) in arm.iter().enumerate() {
            let seen = Arm { rank: at + 1, score: *score, method: *method };
            let entry = found.entry(*key).or_insert(Found {
                key: ChunkKey(*key),
                score: 0.0,
                keyword: None,
                vector: None,
            });
            entry.score += if both { weight * how.part(&spread, seen.rank, *score) } else { *score };
            *(if which == 0 { &mut entry.keyword } else { &mut entry.vector }) = Some(seen);
        }
    }
    let highest = found.values().map(|one| one.score).fold(0.0, f32::max);
    if both && highest > 1.0 {
        found.values_mut().for_each(|one| one.score /= highest);
    }
    let mut best = Best::new(limit);
    found.values().for_each(|one| best.push(one.key.0, one.score));
    let total = counted.max(found.len());
    let best = best.into_sorted().into_iter().filter_map(|(key, _)| found.get(&key).copied()).collect();
    Matches { best, total }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(matches: &Matches) -> Vec<u32> {
        matches.best.iter().map(|found| found.key.0).collect()
    }

    fn words(scores: &[(u32, f32)]) -> Option<Words> {
        Some((scores.to_vec(), scores.len()))
    }

    fn near(scores: &[(u32, f32)]) -> Option<Near> {
        Some(scores.iter().map(|(key, score)| (*key, *score, Method::Exact)).collect())
    }

    #[test]
    fn a_chunk_that_both_arms_like_comes_first() {
        for how in [Fusion::Dbsf, Fusion::MinMax, Fusion::Rrf] {
            let matches = join(
                words(&[(1, 9.0), (2, 8.0), (3, 1.0)]),
                near(&[(2, 0.9), (4, 0.8), (3, 0.1)]),
                how,
                Weights::default(),
                3,
            );
            assert_eq!(keys(&matches)[0], 2, "{how:?}");
            assert_eq!(matches.total, 4);
            assert_eq!(matches.best[0].keyword, Some(Arm { rank: 2, score: 8.0, method: None }));
        }
    }

    #[test]
    fn a_hit_that_stands_out_keeps_its_lead_and_scores_one_at_most() {
        let crowd: Vec<(u32, f32)> = [(0, 100.0)].into_iter().chain((1..60).map(|key| (key, 1.0))).collect();
        let near: Vec<(u32, f32)> = (0..60).map(|key| (key, 0.9 - key as f32 / 100.0)).collect();
        let matches = join(words(&crowd), super::tests::near(&near), Fusion::Dbsf, Weights::default(), 3);
        assert_eq!((keys(&matches)[0], matches.best[0].score), (0, 1.0));
        assert!(matches.best[1].score < 0.9);
    }

    #[test]
    fn an_arm_of_no_weight_has_no_say() {
        let weights = Weights { keyword: 0.0, vector: 1.0 };
        let matches =
            join(words(&[(1, 9.0), (2, 8.0)]), near(&[(2, 0.9), (3, 0.8)]), Fusion::MinMax, weights, 1);
        assert_eq!(keys(&matches), [2]);
    }

    #[test]
    fn one_arm_alone_keeps_its_own_scores() {
        let matches = join(None, near(&[(2, 0.6), (1, 0.4)]), Fusion::MinMax, Weights::default(), 5);
        assert_eq!(keys(&matches), [2, 1]);
        assert_eq!(matches.best[0].score, 0.6);
    }

    #[test]
    fn equal_scores_are_ordered_the_same_every_time() {
        let matches =
            join(words(&[(1, 1.0), (2, 1.0), (3, 1.0)]), near(&[]), Fusion::MinMax, Weights::default(), 3);
        assert_eq!(keys(&matches), [1, 2, 3]);
    }
}
