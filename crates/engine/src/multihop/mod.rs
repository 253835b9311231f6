//! Multi-hop search without an LLM: continues from the best passages to those that they mention, that mention
//! them, or that answer the rest of the question.
//!
//! A path is a sequence of chunks of different documents, beginning with a hit of the question. In each hop
//! the best paths are extended: each searches for its [`residual`] query among the question's hits and the
//! chunks linked to the path ([`neighbours`]). The score of a chunk is its score for the question, plus the
//! score of the best path to it, plus its rank in the [`mentions`] around the best chunks.
//!
//! The best hits of the question keep their places: chains enter behind them. With [`Hops::Auto`] the search goes on only while its
//! best path leaves a part of the question open.

#[cfg(feature = "meaning")]
mod mentions;
mod neighbours;
mod residual;

use super::KnowledgeBase;
use super::search_request::SearchRequest;
use neighbours::Neighbours;
use residual::{Residual, Residuals};
use std::rc::Rc;
use vademecum_index::{ChunkKey, Found, Matches, Query, Searcher};
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::hops::Hops;
use vademecum_util::small_sort::sort_by;
use vademecum_util::vec_map;

/// Number of the question's hits that paths may use: all that two retrievers pass to fusion.
pub(super) const POOL: usize = 200;
/// Number of paths extended in the first hop. A question that compares two chains begins with both.
const FIRST_BEAM: usize = 4;
/// Number of paths extended per later hop; more find nothing further on the labelled sets.
const BEAM: usize = 2;
/// Weight of a link within the score of a step; the rest is the weight of the match with the residual query.
const LINK: f32 = 0.4;
/// Weight of a link to a likely subject of the residual query.
#[cfg(feature = "meaning")]
const SUBJECT_LINK: f32 = 0.8;
/// Factor of the score of a path with each hop after the first: passages further away are less likely needed.
const LATER: f32 = 0.8;
/// Weight of the rank among mentions. Larger weights move plain answers down.
#[cfg(feature = "meaning")]
const MENTIONS: f32 = 0.3;
/// Number of the question's best hits that keep their places in a search that decides itself.
const KEPT: usize = 4;
/// The same in a search with a fixed number of hops.
const KEPT_IF_FIXED: usize = 1;

/// A ranked chunk.
#[derive(Debug, Clone)]
pub(super) struct Ranked {
    /// The hit for the question, with the score over all hops.
    pub(super) found: Found,
    /// The path that led to it, in order; empty if its own score for the question is higher.
    pub(super) via: Vec<ChunkKey>,
}

#[derive(Debug, Clone)]
struct Path {
    before: Rc<Vec<ChunkKey>>,
    end: ChunkKey,
    /// The product of the scores of its steps, of which the first counts by its square root (not in the lite build). May
    /// exceed 1, since a step to a likely subject that also matches its query does.
    score: f32,
}

impl Path {
    fn chunks(&self) -> Vec<ChunkKey> {
        self.before.iter().copied().chain([self.end]).collect()
    }
}

/// The state between two hops.
pub(super) struct Walk<'a> {
    searcher: &'a Searcher,
    query: &'a Query<'a>,
    residuals: Residuals<'a>,
    /// The best hits of the question, which keep their places.
    kept: Vec<ChunkKey>,
    /// The hits of the question, with scores in [0, 1].
    found: vec_map::Map<ChunkKey, Found>,
    /// The best path to each chunk.
    reached: vec_map::Map<ChunkKey, Path>,
    /// The paths to extend next.
    paths: Vec<Path>,
    /// Documents already extended from, each as the key of its first chunk.
    extended: Vec<ChunkKey>,
}

impl KnowledgeBase {
    /// Runs the remaining hops. Returns no ranking if the search decides itself and one hop leaves nothing open; and the
    /// error of the embedder if it failed in between: the hops then continue by keyword.
    pub(super) async fn run_hops(
        &self,
        mut walk: Walk<'_>,
        request: &SearchRequest,
        cancel: &Cancel,
    ) -> Result<(Option<Vec<Ranked>>, Option<Error>)> {
        let mut degraded = None;
        for hop in 1..request.hops.most() {
            cancel.check()?;
            let residuals = walk.residuals();
            let is_closed = residuals.first().is_none_or(|best| best.is_closed);
            if request.hops == Hops::Auto && is_closed {
                if hop == 1 {
                    return Ok((None, None));
                }
                break;
            }
            if residuals.is_empty() {
                break;
            }
            let texts: Vec<String> = residuals.iter().map(|one| one.text.clone()).collect();
            let mut vectors = Vec::new();
            if walk.query.vector.is_some() && degraded.is_none() {
                (vectors, degraded) = self.question_vectors(&texts, request.mode, cancel).await?;
                self.open_state()?;
            }
            walk.step(&residuals, &vectors)?;
        }
        Ok((Some(walk.ranking(request.limit)), degraded))
    }
}

impl<'a> Walk<'a> {
    /// Starts from the hits of the question.
    pub(super) fn new(
        searcher: &'a Searcher,
        query: &'a Query<'a>,
        question: &'a str,
        hops: Hops,
        first: &Matches,
    ) -> Self {
        let normalised = normaliser(first);
        let found: Vec<Found> =
            first.best.iter().map(|one| Found { score: normalised(one), ..*one }).collect();
        // By the square root, chains from all hits of a comparison compete with each other, not only those from the best
        // hit. The lite build has no room for it.
        let weight = |score: f32| if cfg!(feature = "meaning") { score.sqrt() } else { score };
        let start =
            |found: &Found| Path { before: Rc::default(), end: found.key, score: weight(found.score) };
        let mut walk = Self {
            searcher,
            query,
            residuals: Residuals::new(searcher, question),
            kept: found
                .iter()
                .take(if hops == Hops::Auto { KEPT } else { KEPT_IF_FIXED })
                .map(|one| one.key)
                .collect(),
            found: found.iter().map(|one| (one.key, *one)).collect(),
            reached: vec_map::Map::default(),
            paths: Vec::new(),
            extended: Vec::new(),
        };
        walk.select_paths(found.iter().map(start));
        walk
    }

    /// Returns what each path leaves open.
    fn residuals(&mut self) -> Vec<Residual> {
        let Self { residuals, paths, .. } = self;
        paths.iter().map(|path| residuals.of(&path.chunks())).collect()
    }

    /// Runs one hop, given what each path leaves open and, if embedded, the vector of its residual query.
    fn step(&mut self, residuals: &[Residual], vectors: &[Vec<f32>]) -> Result<()> {
        let neighbours: Vec<Neighbours> =
            self.paths.iter().map(|path| Neighbours::of(self.searcher, path.end)).collect();
        let pool = self.pool(&neighbours);
        let documents: Vec<Option<ChunkKey>> =
            pool.iter().map(|key| self.searcher.document_of(*key)).collect();
        let document_of = |key: &ChunkKey| documents.get(pool.binary_search(key).ok()?).copied().flatten();
        let mut next: Vec<Path> = Vec::new();
        for (at, ((path, near), residual)) in self.paths.iter().zip(&neighbours).zip(residuals).enumerate() {
            let query = Query {
                keywords: self.query.keywords.map(|_| residual.text.as_str()),
                vector: vectors.get(at).map(Vec::as_slice),
                typos: self.query.typos,
                threshold: self.query.threshold,
                among: Some(&pool),
                fusion: self.query.fusion,
                weights: self.query.weights,
                effort: self.query.effort,
                limit: pool.len(),
                read: self.query.read,
                ..Query::default()
            };
            let matches = self.searcher.search(&query)?;
            let normalised = normaliser(&matches);
            let mut answers: vec_map::Map<ChunkKey, f32> =
                matches.best.iter().map(|found| (found.key, normalised(found))).collect();
            if query.keywords.is_some() {
                // In keyword and hybrid mode a link counts without a matching word. In vector mode the
                // threshold decides.
                for key in near.chunks.iter().filter(|key| pool.binary_search(key).is_ok()) {
                    answers.entry(*key);
                }
            }
            let start = if path.before.is_empty() { path.score } else { LATER * path.score };
            let before = Rc::new(path.chunks());
            let passed: Vec<ChunkKey> =
                before.iter().filter_map(|key| self.searcher.document_of(*key)).collect();
            for (end, answer) in answers {
                let document = document_of(&end).filter(|document| !passed.contains(document));
                let Some(document) = document else { continue };
                let link = if near.has(document) { self.weight_of_link(document, residual) } else { 0.0 };
                let score = start * ((1.0 - LINK) * answer + link);
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
        self.select_paths(next.into_iter());
        Ok(())
    }

    /// Returns the weight of a link to a document.
    fn weight_of_link(&self, document: ChunkKey, residual: &Residual) -> f32 {
        #[cfg(feature = "meaning")]
        if self.searcher.name_of(document).is_some_and(|name| residual.is_about(name))
            && !neighbours::is_hub(self.searcher, document)
        {
            return SUBJECT_LINK;
        }
        #[cfg(not(feature = "meaning"))]
        let _ = (document, residual);
        LINK
    }

    /// Returns the chunks that paths may be extended to: the question's hits, and linked chunks that pass its
    /// restrictions.
    fn pool(&self, neighbours: &[Neighbours]) -> Vec<ChunkKey> {
        let near: Vec<ChunkKey> = neighbours.iter().flat_map(|near| near.chunks.iter().copied()).collect();
        let mut pool = self.searcher.admitted(self.query, &near);
        pool.extend(self.found.keys());
        pool.sort_unstable();
        pool.dedup();
        pool
    }

    /// Keeps the best of `paths`, which must be sorted: one per document, and none to a document extended
    /// before.
    fn select_paths(&mut self, paths: impl Iterator<Item = Path>) {
        self.paths.clear();
        let beam = if self.extended.is_empty() { FIRST_BEAM } else { BEAM };
        for path in paths {
            if self.paths.len() == beam {
                break;
            }
            let document = self.searcher.document_of(path.end).filter(|one| !self.extended.contains(one));
            if let Some(document) = document {
                self.extended.push(document);
                self.paths.push(path);
            }
        }
    }

    /// Moves the best hits of the question to the front, in their order.
    fn keep_best(&self, all: &mut [Ranked]) {
        for (to, kept) in self.kept.iter().enumerate() {
            if let Some(from) = all.iter().position(|one| one.found.key == *kept)
                && let Some(passed) = all.get_mut(to..=from)
            {
                passed.rotate_right(1);
            }
        }
        // Scores still fall from hit to hit.
        let mut least = 0.0;
        for one in all.iter_mut().rev() {
            least = one.found.score.max(least);
            one.found.score = least;
        }
    }

    /// Returns all chunks found, best first.
    fn ranking(self, limit: usize) -> Vec<Ranked> {
        let mut all: Vec<Ranked> =
            self.found.values().map(|found| Ranked { found: *found, via: Vec::new() }).collect();
        let fresh = self.reached.keys().filter(|key| self.found.get(key).is_none());
        all.extend(fresh.map(|key| Ranked {
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
        let is_better = |one: &Ranked, other: &Ranked| {
            other.found.score.total_cmp(&one.found.score).then(one.found.key.cmp(&other.found.key))
        };
        #[cfg(feature = "meaning")]
        {
            sort_by(&mut all, is_better);
            let seeds: Vec<(ChunkKey, f32)> =
                all.iter().map(|one| (one.found.key, one.found.score)).collect();
            let ranks = mentions::ranks(self.searcher, &seeds);
            for one in &mut all {
                one.found.score += MENTIONS * ranks.get(&one.found.key).copied().unwrap_or_default();
            }
        }
        sort_by(&mut all, is_better);
        self.keep_best(&mut all);
        all.truncate(limit);
        let highest = all.first().map_or(1.0, |best| best.found.score).max(1.0);
        all.iter_mut().for_each(|one| one.found.score /= highest);
        all
    }
}

/// Normalises scores by the best one.
fn normaliser(matches: &Matches) -> impl Fn(&Found) -> f32 + use<> {
    let highest = matches.best.first().map_or(1.0, |best| best.score).max(f32::MIN_POSITIVE);
    move |found| (found.score / highest).clamp(0.0, 1.0)
}
