//! Several hops: from the best passages on to those they name, that name them, or that answer what they leave open of
//! the question. No LLM takes part.
//!
//! A path is a row of chunks of different documents, the first of which the question found. At every hop the best paths
//! go on: each asks for what it has not found yet ([`residual`]) among what the question found and what lies next to it
//! by links ([`neighbours`]). A chunk's score is what the question thought of it and what the best path to it adds.

mod neighbours;
mod residual;

use super::KnowledgeBase;
use super::search_request::SearchRequest;
use neighbours::Neighbours;
use residual::residual;
use std::collections::HashSet;
use std::rc::Rc;
use vademecum_index::{ChunkKey, Found, Matches, Query, Searcher};
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::error::{Error, Result};
use vademecum_util::small_sort::sort_by;
use vademecum_util::vec_map;

/// More hops than any question takes; each is another wait for the encoder.
pub(super) const MOST_HOPS: usize = 4;
/// How many of the question's own hits a path may lead to: all that its two arms hand on.
pub(super) const POOL: usize = 200;
/// How many paths are followed at a time.
const BEAM: usize = 5;
/// How much of a step is that a link leads there; the rest is how well the chunk answers what was left open.
const LINK: f32 = 0.4;

/// A chunk that was found.
#[derive(Debug, Clone)]
pub(super) struct Reached {
    /// What the arms thought of it for the question, with the score it has by all hops.
    pub(super) found: Found,
    /// The chunks it was reached through, the first one first; none where the question itself says more for it.
    pub(super) via: Vec<ChunkKey>,
}

#[derive(Debug, Clone)]
struct Path {
    before: Rc<Vec<ChunkKey>>,
    end: ChunkKey,
    /// The product of its steps, in [0, 1].
    score: f32,
}

impl Path {
    fn chunks(&self) -> Vec<ChunkKey> {
        self.before.iter().copied().chain([self.end]).collect()
    }
}

/// The state of a search between two hops.
pub(super) struct Walk<'a> {
    searcher: &'a Searcher,
    query: &'a Query<'a>,
    question: &'a str,
    /// What the question found, with scores in [0, 1].
    found: vec_map::Map<ChunkKey, Found>,
    /// The best path to each chunk.
    reached: vec_map::Map<ChunkKey, Path>,
    /// The paths to go on with.
    paths: Vec<Path>,
    /// Documents that were gone on from, each by the key of its first chunk.
    left: HashSet<ChunkKey>,
}

impl KnowledgeBase {
    /// Goes on from what `query` found, and says why without vectors, where the embedder failed on the way.
    pub(super) async fn follow(
        &self,
        mut walk: Walk<'_>,
        request: &SearchRequest,
        cancel: &Cancel,
    ) -> Result<(Vec<Reached>, Option<Error>)> {
        let mut degraded = None;
        for _ in 1..request.hops {
            cancel.check()?;
            let texts = walk.residuals();
            if texts.is_empty() {
                break;
            }
            let mut vectors = Vec::new();
            if walk.query.vector.is_some() && degraded.is_none() {
                (vectors, degraded) = self.question_vectors(&texts, request.mode, cancel).await?;
                self.open_state()?;
            }
            walk.step(&texts, &vectors)?;
        }
        Ok((walk.ranking(request.limit), degraded))
    }
}

impl<'a> Walk<'a> {
    /// Begins with what the question found.
    pub(super) fn new(
        searcher: &'a Searcher,
        query: &'a Query<'a>,
        question: &'a str,
        first: &Matches,
    ) -> Self {
        let share = shares(first);
        let found: Vec<Found> = first.best.iter().map(|one| Found { score: share(one), ..*one }).collect();
        let start = |found: &Found| Path { before: Rc::default(), end: found.key, score: found.score };
        let mut walk = Self {
            searcher,
            query,
            question,
            found: found.iter().map(|one| (one.key, *one)).collect(),
            reached: vec_map::Map::default(),
            paths: Vec::new(),
            left: HashSet::new(),
        };
        walk.go_on_with(found.iter().map(start));
        walk
    }

    /// What each path asks for next.
    fn residuals(&self) -> Vec<String> {
        let text = |path: &Path| residual(self.searcher, self.question, &path.chunks());
        self.paths.iter().map(text).collect()
    }

    /// One hop, given what each path asks for, and its vector where there is one.
    fn step(&mut self, texts: &[String], vectors: &[Vec<f32>]) -> Result<()> {
        let neighbours: Vec<Neighbours> =
            self.paths.iter().map(|path| Neighbours::of(self.searcher, path.end)).collect();
        let pool = self.pool(&neighbours);
        let mut next: Vec<Path> = Vec::new();
        for (at, ((path, near), text)) in self.paths.iter().zip(&neighbours).zip(texts).enumerate() {
            let query = Query {
                keywords: self.query.keywords.map(|_| text.as_str()),
                vector: vectors.get(at).map(Vec::as_slice),
                typos: self.query.typos,
                threshold: self.query.threshold,
                among: Some(&pool),
                fusion: self.query.fusion,
                weights: self.query.weights,
                effort: self.query.effort,
                limit: pool.len(),
                ..Query::default()
            };
            let matches = self.searcher.search(&query)?;
            let share = shares(&matches);
            let mut answers: vec_map::Map<ChunkKey, f32> =
                matches.best.iter().map(|found| (found.key, share(found))).collect();
            if query.keywords.is_some() {
                // A link leads on even where no word does. Where vectors alone search, the threshold has the say.
                for key in near.chunks.iter().filter(|key| pool.binary_search(key).is_ok()) {
                    answers.entry(*key);
                }
            }
            let before = Rc::new(path.chunks());
            let passed: Vec<ChunkKey> =
                before.iter().filter_map(|key| self.searcher.document_of(*key)).collect();
            for (end, answer) in answers {
                let document = self.searcher.document_of(end).filter(|document| !passed.contains(document));
                let Some(document) = document else { continue };
                let link = if near.has(document) { LINK } else { 0.0 };
                let score = path.score * ((1.0 - LINK) * answer + link);
                next.push(Path { before: before.clone(), end, score });
            }
        }
        next.retain(|path| path.score > 0.0);
        sort_by(&mut next, |one, other| other.score.total_cmp(&one.score).then(one.end.cmp(&other.end)));
        for path in &next {
            match self.reached.get(&path.end) {
                Some(known) if known.score >= path.score => {}
                _ => self.reached.insert(path.end, path.clone()),
            }
        }
        self.go_on_with(next.into_iter());
        Ok(())
    }

    /// What a path may lead to next: what the question found, and what lies next to a path and may be found at all.
    fn pool(&self, neighbours: &[Neighbours]) -> Vec<ChunkKey> {
        let near: Vec<ChunkKey> = neighbours.iter().flat_map(|near| near.chunks.iter().copied()).collect();
        let mut pool = self.searcher.admitted(self.query, &near);
        pool.extend(self.found.keys());
        pool.sort_unstable();
        pool.dedup();
        pool
    }

    /// Takes the best of `paths`, which come best first, no two to the same document and none to one where others
    /// went on before.
    fn go_on_with(&mut self, paths: impl Iterator<Item = Path>) {
        self.paths.clear();
        for path in paths {
            let document = self.searcher.document_of(path.end);
            if self.paths.len() < BEAM && document.is_some_and(|document| self.left.insert(document)) {
                self.paths.push(path);
            }
        }
    }

    /// Everything that was found, best first.
    fn ranking(self, limit: usize) -> Vec<Reached> {
        let mut all: Vec<Reached> =
            self.found.values().map(|found| Reached { found: *found, via: Vec::new() }).collect();
        let fresh = self.reached.keys().filter(|key| self.found.get(key).is_none());
        all.extend(fresh.map(|key| Reached {
            found: Found { key: *key, score: 0.0, keyword: None, vector: None },
            via: Vec::new(),
        }));
        for one in &mut all {
            if let Some(path) = self.reached.get(&one.found.key) {
                if path.score > one.found.score {
                    one.via = path.before.to_vec();
                }
                one.found.score += path.score;
            }
        }
        sort_by(&mut all, |one, other| {
            other.found.score.total_cmp(&one.found.score).then(one.found.key.cmp(&other.found.key))
        });
        all.truncate(limit);
        let highest = all.first().map_or(1.0, |best| best.found.score).max(1.0);
        all.iter_mut().for_each(|one| one.found.score /= highest);
        all
    }
}

/// A hit's score as a share of the best one's.
fn shares(matches: &Matches) -> impl Fn(&Found) -> f32 + use<> {
    let highest = matches.best.first().map_or(1.0, |best| best.score).max(f32::MIN_POSITIVE);
    move |found| (found.score / highest).clamp(0.0, 1.0)
}
