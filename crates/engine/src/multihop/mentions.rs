//! Ranks chunks by the mentions around the best ones: personalised PageRank (Haveliwala, WWW 2002) over the graph whose edges
//! are mentions of titles and links. Documents that many mention, and lists of many, have no edges ([`neighbours`](super::neighbours)).

use super::neighbours::chunks_around;
use vademecum_index::{ChunkKey, Searcher};
use vademecum_util::vec_map;

/// Number of chunks that the graph begins from.
const SEEDS: usize = 50;
/// Probability of following a mention; the rest returns to the seeds.
const DAMPING: f32 = 0.8;
/// Number of rounds: afterwards a thirtieth of the weight still moves.
const ROUNDS: usize = 15;

/// The chunks around the seeds. Edges go both ways.
struct Graph {
    /// Sorted.
    keys: Vec<ChunkKey>,
    /// For each chunk, those that it mentions or that mention it.
    edges: Vec<Vec<usize>>,
}

/// Returns the rank of each chunk around `seeds`, which have scores and are sorted, best first. The largest rank is 1.
pub(super) fn ranks(searcher: &Searcher, seeds: &[(ChunkKey, f32)]) -> vec_map::Map<ChunkKey, f32> {
    let seeds = seeds.get(..SEEDS).unwrap_or(seeds);
    let graph = Graph::around(searcher, seeds);
    let ranks = graph.ranks(seeds);
    let largest = ranks.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    graph.keys.into_iter().zip(ranks).map(|(key, rank)| (key, rank / largest)).collect()
}

impl Graph {
    fn around(searcher: &Searcher, seeds: &[(ChunkKey, f32)]) -> Self {
        let mentions =
            |key: ChunkKey| chunks_around(searcher, key).into_iter().map(move |other| (key, other));
        let pairs: Vec<(ChunkKey, ChunkKey)> = seeds.iter().flat_map(|(key, _)| mentions(*key)).collect();
        let ends = pairs.iter().flat_map(|(one, other)| [*one, *other]);
        let keys = vec_map::set(seeds.iter().map(|(key, _)| *key).chain(ends));
        let mut edges = vec![Vec::new(); keys.len()];
        let place = |key: &ChunkKey| keys.binary_search(key).ok();
        for (one, other) in pairs.iter().filter_map(|(one, other)| place(one).zip(place(other))) {
            for (from, to) in [(one, other), (other, one)] {
                edges.get_mut(from).into_iter().for_each(|edges: &mut Vec<usize>| edges.push(to));
            }
        }
        Self { keys, edges }
    }

    fn ranks(&self, seeds: &[(ChunkKey, f32)]) -> Vec<f32> {
        let mut start = vec![0.0; self.keys.len()];
        let all = seeds.iter().map(|(_, score)| score).sum::<f32>().max(f32::MIN_POSITIVE);
        for (key, score) in seeds {
            if let Ok(place) = self.keys.binary_search(key) {
                add(&mut start, place, score / all);
            }
        }
        let mut ranks = start.clone();
        for _ in 0..ROUNDS {
            let mut next: Vec<f32> = start.iter().map(|share| (1.0 - DAMPING) * share).collect();
            for (place, (rank, edges)) in ranks.iter().zip(&self.edges).enumerate() {
                let moved = DAMPING * rank;
                // A chunk without edges keeps its weight.
                let to = if edges.is_empty() { std::slice::from_ref(&place) } else { edges.as_slice() };
                for other in to {
                    add(&mut next, *other, moved / to.len() as f32);
                }
            }
            ranks = next;
        }
        ranks
    }
}

fn add(ranks: &mut [f32], place: usize, share: f32) {
    if let Some(rank) = ranks.get_mut(place) {
        *rank += share;
    }
}
