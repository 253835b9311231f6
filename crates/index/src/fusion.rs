//! Fuses the keyword ranking and the vector ranking into one.

use super::chunk_key::ChunkKey;
use serde::{Deserialize, Serialize};
use vademecum_protocol::range::Range;
use vademecum_vectors::Method;
use vademecum_vectors::top::TopK;

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matches {
    /// Hits, best first.
    pub best: Vec<Found>,
    /// The number of matching chunks before `limit` is applied: exact up to 1,000 keyword matches, a lower
    /// bound beyond.
    pub total: usize,
    /// The number of chunks that the keyword retriever matched, counted as in `total`.
    pub by_words: usize,
}

/// Fusion method of a hybrid search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Fusion {
    /// Distribution-based score fusion (as in Qdrant): the scores of each retriever are mapped linearly so
    /// that mean − 3σ becomes 0 and mean + 3σ becomes 1, then averaged by weight. Scores below 0 are clamped;
    /// if a fused score exceeds 1, all are divided by the highest instead of clamped, so an outstanding hit
    /// keeps its lead.
    ///
    /// The default: unlike reciprocal ranks it keeps score differences, unlike min-max one outstanding hit
    /// does not compress the others, and it ranked best on the labelled sets (docs/evaluation.md).
    #[default]
    Dbsf,
    /// Min-max normalisation of each retriever's scores to [0, 1], averaged by weight.
    MinMax,
    /// Reciprocal rank fusion with k = 60 (Cormack, Clarke and Büttcher, SIGIR 2009), scaled so that rank 1
    /// in both retrievers scores 1.
    Rrf,
}

impl Fusion {
    /// Returns the normalised score of a hit, before weighting. `place` is its rank, counted from 1.
    fn normalised(self, distribution: &Distribution, place: usize, score: f32) -> f32 {
        match self {
            Self::Dbsf if distribution.deviation > 0.0 => {
                // Not clamped at 1: `join` rescales all scores instead.
                (0.5 + (score - distribution.mean) / (6.0 * distribution.deviation)).max(0.0)
            }
            Self::MinMax if distribution.high > distribution.low => {
                (score - distribution.low) / (distribution.high - distribution.low)
            }
            Self::Dbsf | Self::MinMax => 1.0, // all scores are equal
            Self::Rrf => 61.0 / (60.0 + place as f32),
        }
    }
}

/// Statistics of one retriever's scores.
struct Distribution {
    high: f32,
    low: f32,
    mean: f32,
    deviation: f32,
}

impl Distribution {
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

/// Weights of retrievers.
pub const WEIGHT: Range<f32> = Range::from("weights", 0.0);

/// Weights of the two retrievers; only their ratio matters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// Weight of the keyword retriever.
    #[cfg_attr(feature = "schema", schemars(transform = WEIGHT.declared()))]
    pub keyword: f32,
    /// Weight of the vector retriever.
    #[cfg_attr(feature = "schema", schemars(transform = WEIGHT.declared()))]
    pub vector: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self { keyword: 1.0, vector: 1.0 }
    }
}

/// Rank and score that one retriever gave to a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Arm {
    /// Rank within that retriever, from 1.
    pub rank: usize,
    /// BM25 score, or cosine similarity.
    pub score: f32,
    /// The vector search method used for the chunk's segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
}

/// A hit: a chunk with its score, and its rank in each retriever.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// The chunk.
    pub key: ChunkKey,
    /// The BM25 score or cosine if one retriever was used, in [0, 1] if both were.
    pub score: f32,
    /// Rank and score of the keyword retriever, if it returned the chunk.
    pub keyword: Option<Arm>,
    /// Rank and score of the vector retriever, if it returned the chunk.
    pub vector: Option<Arm>,
}

/// Keyword hits, best first, and the number of matches.
pub type KeywordHits = (Vec<(u32, f32)>, usize);
/// Vector hits, best first.
pub type VectorHits = Vec<(u32, f32, Option<Method>)>;

/// The hits of either retriever, best first.
type Ranking = Vec<(u32, f32, Option<Method>)>;

/// Fuses two rankings; `None` for a retriever that was not used.
pub fn join(
    words: Option<KeywordHits>,
    near: Option<VectorHits>,
    how: Fusion,
    weights: Weights,
    limit: usize,
) -> Matches {
    let both = words.is_some() && near.is_some();
    let (words, counted) = words.unwrap_or_default();
    let words: Ranking = words.into_iter().map(|(key, score)| (key, score, None)).collect();
    let near = near.unwrap_or_default();
    let sum = weights.keyword + weights.vector;
    let mut found: Vec<Found> = Vec::with_capacity(words.len() + near.len());
    // The keys of the hits, sorted, with their places in `found`.
    let mut places: Vec<(u32, u32)> = Vec::new();
    let arms: [(Ranking, f32); 2] = [(words, weights.keyword / sum), (near, weights.vector / sum)];
    for (which, (arm, weight)) in arms.iter().enumerate() {
        let distribution = Distribution::of(arm);
        for (at, (key, score, method)) in arm.iter().enumerate() {
            let seen = Arm { rank: at + 1, score: *score, method: *method };
            let score = if both { weight * how.normalised(&distribution, seen.rank, *score) } else { *score };
            let place = place_of(&places, *key).unwrap_or(found.len());
            if place == found.len() {
                found.push(Found { key: ChunkKey(*key), score: 0.0, keyword: None, vector: None });
            }
            let Some(one) = found.get_mut(place) else { continue };
            one.score += score;
            *(if which == 0 { &mut one.keyword } else { &mut one.vector }) = Some(seen);
        }
        places = found.iter().zip(0..).map(|(one, place)| (one.key.0, place)).collect();
        places.sort_unstable();
    }
    let highest = found.iter().map(|one| one.score).fold(0.0, f32::max);
    if both && highest > 1.0 {
        found.iter_mut().for_each(|one| one.score /= highest);
    }
    let mut best = TopK::new(limit);
    found.iter().for_each(|one| best.push(one.key.0, one.score));
    let total = counted.max(found.len());
    let best = best.into_sorted().into_iter();
    let best = best.filter_map(|(key, _)| found.get(place_of(&places, key)?).copied()).collect();
    Matches { best, total, by_words: counted }
}

/// Returns the place of a key.
fn place_of(places: &[(u32, u32)], key: u32) -> Option<usize> {
    let at = places.binary_search_by_key(&key, |one| one.0).ok()?;
    places.get(at).map(|one| one.1 as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(matches: &Matches) -> Vec<u32> {
        matches.best.iter().map(|found| found.key.0).collect()
    }

    fn words(scores: &[(u32, f32)]) -> Option<KeywordHits> {
        Some((scores.to_vec(), scores.len()))
    }

    fn near(scores: &[(u32, f32)]) -> Option<VectorHits> {
        Some(scores.iter().map(|(key, score)| (*key, *score, Some(Method::Exact))).collect())
    }

    #[test]
    fn a_chunk_found_by_both_retrievers_comes_first() {
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
    fn an_outstanding_hit_keeps_its_lead_and_scores_at_most_one() {
        let crowd: Vec<(u32, f32)> = [(0, 100.0)].into_iter().chain((1..60).map(|key| (key, 1.0))).collect();
        let near: Vec<(u32, f32)> = (0..60).map(|key| (key, 0.9 - key as f32 / 100.0)).collect();
        let matches = join(words(&crowd), super::tests::near(&near), Fusion::Dbsf, Weights::default(), 3);
        assert_eq!((keys(&matches)[0], matches.best[0].score), (0, 1.0));
        assert!(matches.best[1].score < 0.9);
    }

    #[test]
    fn a_retriever_of_weight_zero_has_no_effect() {
        let weights = Weights { keyword: 0.0, vector: 1.0 };
        let matches =
            join(words(&[(1, 9.0), (2, 8.0)]), near(&[(2, 0.9), (3, 0.8)]), Fusion::MinMax, weights, 1);
        assert_eq!(keys(&matches), [2]);
    }

    #[test]
    fn a_single_retriever_keeps_its_scores() {
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
