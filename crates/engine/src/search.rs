//! Searching: the question is embedded if need be, then the index answers in one step.

use super::KnowledgeBase;
use super::multihop::{MOST_HOPS, POOL, Reached, Walk};
use super::search_request::{Mode, SearchRequest};
use serde::Serialize;
use serde_json::json;
use std::collections::HashSet;
use vademecum_encoder::Kind;
use vademecum_index::filter::Filter;
use vademecum_index::vectors::Effort;
use vademecum_index::{ChunkKey, Query, Searcher, Weights};
use vademecum_protocol::address::harmless;
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::{Error, Result};
use vademecum_text::terms;

/// More hits than anybody reads; a search for more costs what nobody expects.
const MOST_HITS: usize = 10_000;

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchResponse {
    /// The best hits, best first.
    pub hits: Vec<Hit>,
    /// How many chunks matched, before the limit: exact up to 1,000 keyword matches, at least that beyond. By vector
    /// every chunk matches more or less, so that arm counts only what it hands on.
    pub total: usize,
    /// How long it took, the embedding of the question included.
    pub took_ms: f64,
    /// The arms that really searched.
    pub mode: Mode,
    /// The least cosine that was asked of vector hits.
    pub threshold: f32,
    /// Why hybrid mode had to do without vectors, where its embedder failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<serde_json::Value>,
}

impl KnowledgeBase {
    /// Searches. The index is read as it is once the question's vector is there: nothing changes under it, however many
    /// hops follow. A hit's address that a page must not make a link of is left out; [`KnowledgeBase::document`] has it.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::EmptyQuestion`], [`Error::UnknownCollection`], [`Error::NoEmbedder`] in vector
    /// mode, [`Error::InvalidArgument`] for a number out of its range, those of [`Filter::parse`],
    /// [`Error::Aborted`], and in vector mode the embedder's.
    pub async fn search(&self, request: &SearchRequest, cancel: &Cancel) -> Result<SearchResponse> {
        let (mut response, degraded) = self.search_with_fields_of(&[], request, cancel).await?;
        response.hits.iter_mut().for_each(|hit| hit.clear_address(harmless));
        Ok(SearchResponse { degraded: degraded.as_ref().map(told), ..response })
    }

    /// Searches. The filter may also name fields of collections that are not searched, where `others` are named. What
    /// hybrid mode had to do without is told beside the response, as the error it was.
    pub(super) async fn search_with_fields_of(
        &self,
        others: &[String],
        request: &SearchRequest,
        cancel: &Cancel,
    ) -> Result<(SearchResponse, Option<Error>)> {
        let started = self.platform.now();
        self.check_request(request)?;
        cancel.check()?;
        let question = std::slice::from_ref(&request.query);
        let (vectors, degraded) = self.question_vectors(question, request.mode, cancel).await?;
        let searcher = self.snapshot(request.sendable)?;
        let collections: HashSet<String> = request.collections.iter().flatten().cloned().collect();
        // No names are all collections.
        let mut with_fields = collections.clone();
        if !collections.is_empty() {
            with_fields.extend(others.iter().cloned());
        }
        let filter =
            request.filters.as_ref().map(|filters| Filter::parse(filters, &searcher.schema(&with_fields)));
        let filter = filter.transpose()?;
        let among = request.documents.as_ref().map(|ids| chunks_of(&searcher, &collections, ids));
        let mut query = Query {
            keywords: (request.mode != Mode::Vector).then_some(request.query.as_str()),
            prefix: request.prefix,
            typos: request.typos,
            strict_phrases: request.strict_phrases,
            vector: vectors.first().map(Vec::as_slice),
            threshold: request.threshold,
            collections,
            filter: filter.as_ref(),
            among: among.as_deref(),
            fusion: request.fusion,
            weights: request.weights,
            effort: Effort { method: request.method, ef: request.ef, candidates: None },
            limit: if request.hops > 1 { request.limit.max(POOL) } else { request.limit },
        };
        let (matches, mut degraded) = match searcher.search(&query) {
            // The question's vector has another length than the documents': the embedder's fault, like any other.
            Err(error) if request.mode == Mode::Hybrid => {
                query.vector = None;
                (searcher.search(&query)?, Some(error))
            }
            matches => (matches?, degraded),
        };
        let mode = match request.mode {
            Mode::Hybrid if query.vector.is_none() => Mode::Keyword,
            mode => mode,
        };
        let mut reached: Vec<Reached> = Vec::new();
        if request.hops > 1 {
            let walk = Walk::new(&searcher, &query, &request.query, &matches);
            let (ranking, failed) = self.follow(walk, request, cancel).await?;
            (reached, degraded) = (ranking, degraded.or(failed));
        } else {
            reached.extend(matches.best.iter().map(|found| Reached { found: *found, via: Vec::new() }));
        }
        let hits = reached.iter().filter_map(|one| {
            let chunk = searcher.chunk(one.found.key)?.to_chunk();
            let explain = request.explain.then(|| explain(one, &searcher));
            Some(Hit { chunk, score: one.found.score, explain })
        });
        let response = SearchResponse {
            hits: hits.collect(),
            total: matches.total.max(reached.len()),
            took_ms: self.platform.now() - started,
            mode,
            threshold: request.threshold,
            degraded: None,
        };
        Ok((response, degraded))
    }

    fn check_request(&self, request: &SearchRequest) -> Result<()> {
        let state = self.open_state()?.borrow();
        if terms::is_blank(&request.query) {
            return Err(Error::EmptyQuestion);
        }
        if !(1..=MOST_HITS).contains(&request.limit) {
            return Err(Error::invalid("limit", format!("from 1 to {MOST_HITS}"), request.limit.to_string()));
        }
        if !(-1.0..=1.0).contains(&request.threshold) {
            return Err(Error::invalid("threshold", "a cosine in [-1, 1]", request.threshold.to_string()));
        }
        let Weights { keyword, vector } = request.weights;
        if !(keyword >= 0.0 && vector >= 0.0 && (keyword + vector).is_finite() && keyword + vector > 0.0) {
            return Err(Error::invalid(
                "weights",
                "two numbers from 0, of which one is more",
                format!("{{ keyword: {keyword}, vector: {vector} }}"),
            ));
        }
        if request.ef.is_some_and(|ef| !(1..=MOST_HITS).contains(&ef)) {
            return Err(Error::invalid(
                "ef",
                format!("from 1 to {MOST_HITS}"),
                format!("{:?}", request.ef.unwrap_or(0)),
            ));
        }
        if !(1..=MOST_HOPS).contains(&request.hops) {
            return Err(Error::invalid("hops", format!("from 1 to {MOST_HOPS}"), request.hops.to_string()));
        }
        if request.collections.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::invalid(
                "collections",
                "at least one collection, or absent for all",
                "an empty list",
            ));
        }
        request.collections.iter().flatten().try_for_each(|name| state.known(name).map(|_| ()))
    }

    /// The vectors of questions where the mode has use for them; none otherwise, or where hybrid mode does without, and
    /// why.
    pub(super) async fn question_vectors(
        &self,
        texts: &[String],
        mode: Mode,
        cancel: &Cancel,
    ) -> Result<(Vec<Vec<f32>>, Option<Error>)> {
        let embedder = match (mode, &self.embedder) {
            (Mode::Keyword, _) | (Mode::Hybrid, None) => return Ok((Vec::new(), None)),
            (Mode::Vector, None) => return Err(Error::NoEmbedder { what: "Vector search" }),
            (Mode::Hybrid, Some(embedder)) if !embedder.is_ready() => return Ok((Vec::new(), None)),
            (_, Some(embedder)) => embedder.clone(),
        };
        let embedded = cancel.guard(embedder.embed(texts, Kind::Query)).await?;
        match embedded.and_then(|rows| rows.into_rows(texts.len())) {
            Ok(rows) => Ok((rows.into_iter().map(|(vector, _)| vector).collect(), None)),
            Err(error) if mode == Mode::Hybrid => Ok((Vec::new(), Some(error))),
            Err(error) => Err(error),
        }
    }
}

/// The chunks of these documents, in any of the collections; in all where there are none.
fn chunks_of(searcher: &Searcher, collections: &HashSet<String>, ids: &[String]) -> Vec<ChunkKey> {
    let everywhere = searcher.collections();
    let named = everywhere.iter().filter(|name| collections.is_empty() || collections.contains(**name));
    named
        .flat_map(|name| ids.iter().filter_map(|id| Some(searcher.document(name, id)?.1)))
        .flatten()
        .collect()
}

fn told(error: &Error) -> serde_json::Value {
    json!({ "code": error.code(), "message": error.to_string() })
}

fn explain(reached: &Reached, searcher: &Searcher) -> serde_json::Value {
    let via: Vec<String> = reached.via.iter().filter_map(|key| Some(searcher.chunk(*key)?.id())).collect();
    json!({ "keyword": reached.found.keyword, "vector": reached.found.vector, "via": via })
}
