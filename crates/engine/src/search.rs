//! Search: embeds the question if the mode needs it, then queries a snapshot of the index.

use super::KnowledgeBase;
#[cfg(feature = "meaning")]
use super::federation::SourceReport;
use super::multihop::{POOL, Ranked, Walk};
use super::search_request::{EF, LIMIT, Mode, SearchRequest, THRESHOLD};
use futures_util::future::LocalBoxFuture;
use serde::Serialize;
use serde_json::json;
use std::collections::HashSet;
#[cfg(feature = "meaning")]
use std::rc::Rc;
use vademecum_encoder::Kind;
use vademecum_index::filter::Filter;
use vademecum_index::vectors::Effort;
use vademecum_index::{ChunkKey, Query, ReadWords, Searcher, WEIGHT, Weights};
use vademecum_protocol::address::harmless;
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::{Error, Result};
use vademecum_text::terms;

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SearchResponse {
    /// Hits, best first.
    pub hits: Vec<Hit>,
    /// Number of matching chunks before `limit`: exact up to 1,000 keyword matches, a lower bound beyond. The vector retriever
    /// matches every chunk to some degree, so only the hits it returns are counted.
    pub total: usize,
    /// Milliseconds in the engine, including the embedding of the question.
    pub took_ms: f64,
    /// The retrievers used.
    pub mode: Mode,
    /// The minimum cosine of vector hits.
    pub threshold: f32,
    /// The embedder's error, if hybrid mode had to proceed without vectors.
    #[cfg_attr(feature = "schema", schemars(with = "vademecum_protocol::schema::Failure"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<serde_json::Value>,
    /// The query with every word that no document contains replaced by the most probable word of the library; absent if there
    /// is nothing to replace, and in vector mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<String>,
    /// The query that was searched for instead, if the words as typed match nothing: `didYouMean`. Absent if the query was
    /// searched for as typed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searched_for: Option<String>,
    /// What became of the question in each remote collection that was searched; absent if none was.
    #[cfg(feature = "meaning")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<Vec<SourceReport>>,
    /// The errors of remote collections.
    #[cfg(feature = "meaning")]
    #[serde(skip)]
    pub failed: Vec<Error>,
    /// Number of chunks that match by words.
    #[serde(skip)]
    by_words: usize,
}

impl SearchResponse {
    /// Returns whether the question may be asked again in other words: it left the device only if a remote collection was asked, and
    /// a word of the library that it did not have must not follow it.
    fn may_correct(&self) -> bool {
        #[cfg(feature = "meaning")]
        return self.sources.is_none() && self.by_words == 0;
        #[cfg(not(feature = "meaning"))]
        return self.by_words == 0;
    }
}

impl KnowledgeBase {
    /// Searches a snapshot that is taken once the question is embedded and used for all hops. Omits URLs that
    /// must not be rendered as links; [`KnowledgeBase::document`] returns them.
    ///
    /// If no word of the query matches, searches for the corrected query as well: another question to embed.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::EmptyQuestion`], [`Error::UnknownCollection`], [`Error::NoEmbedder`] in vector
    /// mode, [`Error::InvalidArgument`] for a number out of its range, those of [`Filter::parse`],
    /// [`Error::Aborted`], and in vector mode the embedder's.
    pub async fn search(&self, request: &SearchRequest, cancel: &Cancel) -> Result<SearchResponse> {
        let started = self.platform.now();
        let (mut response, mut degraded) = self.search_with_fields_of(&[], request, cancel).await?;
        if request.mode != Mode::Vector {
            response.did_you_mean =
                self.did_you_mean(&request.query, request.prefix, request.sendable).await?;
        }
        if let (true, Some(query)) = (response.may_correct(), response.did_you_mean.clone()) {
            let request = SearchRequest { query: query.clone(), ..request.clone() };
            let (other, failed) = self.search_with_fields_of(&[], &request, cancel).await?;
            if other.by_words > 0 {
                let (did_you_mean, searched_for) = (Some(query.clone()), Some(query));
                response = SearchResponse { did_you_mean, searched_for, ..other };
                degraded = failed;
            }
        }
        response.took_ms = self.platform.now() - started;
        response.hits.iter_mut().for_each(|hit| hit.clear_address(harmless));
        Ok(SearchResponse { degraded: degraded.as_ref().map(error_json), ..response })
    }

    /// Returns `query` with misspelt words corrected, as [`Searcher::did_you_mean`](vademecum_index::searcher::Searcher::did_you_mean). A word
    /// that is one token to the embedder is common in its language, and not misspelt. Its tokenizer is not waited for
    /// while the model is loading.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub async fn did_you_mean(&self, query: &str, prefix: bool, sendable: bool) -> Result<Option<String>> {
        let meant = self.corrected(query, prefix, sendable, &|_| false)?;
        #[cfg(feature = "meaning")]
        if let Some(embedder) =
            self.embedder.as_ref().filter(|embedder| meant.is_some() && embedder.is_ready())
            && let Some(tokens) = embedder.counter().await
        {
            return self.corrected(query, prefix, sendable, &|word| tokens(word) == 1);
        }
        Ok(meant)
    }

    /// As [`KnowledgeBase::did_you_mean`], with the words that `is_word` recognises.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn corrected(
        &self,
        query: &str,
        prefix: bool,
        sendable: bool,
        is_word: &dyn Fn(&str) -> bool,
    ) -> Result<Option<String>> {
        Ok(self.snapshot(sendable)?.did_you_mean(query, prefix, is_word))
    }

    /// As [`KnowledgeBase::search`]. The filter may also use fields of the collections `others`. If hybrid
    /// mode had to proceed without vectors, the error is returned beside the response.
    ///
    /// Boxed, because a future that is awaited in two crates is compiled in both.
    pub(super) fn search_with_fields_of<'a>(
        &'a self,
        others: &'a [String],
        request: &'a SearchRequest,
        cancel: &'a Cancel,
    ) -> LocalBoxFuture<'a, Result<(SearchResponse, Option<Error>)>> {
        Box::pin(self.search_once(others, request, cancel))
    }

    async fn search_once(
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
        #[cfg(feature = "meaning")]
        if let Some(vector) = vectors.first() {
            let last = (request.query.clone(), Rc::new(vector.clone()));
            self.open_state()?.borrow_mut().last_question = Some(last);
        }
        #[cfg(feature = "meaning")]
        let mut asked = self.ask_remotes(others, request, vectors.first(), cancel).await?;
        let searcher = self.snapshot(request.sendable)?;
        let collections: HashSet<String> = request.collections.iter().flatten().cloned().collect();
        #[cfg(feature = "meaning")]
        let collections = asked.as_ref().map_or(collections, |asked| asked.local.clone());
        // An empty set means all collections.
        let mut with_fields = collections.clone();
        if !collections.is_empty() {
            with_fields.extend(others.iter().cloned());
        }
        let schema = searcher.schema(&with_fields);
        #[cfg(feature = "meaning")]
        let schema = asked.as_ref().map_or(schema, |asked| asked.schema.clone());
        let filter = request.filters.as_ref().map(|filters| Filter::parse(filters, &schema)).transpose()?;
        let among = request.documents.as_ref().map(|ids| chunks_of(&searcher, &collections, ids));
        let read = ReadWords::default();
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
            limit: if request.hops.most() > 1 { request.limit.max(POOL) } else { request.limit },
            read: Some(&read),
        };
        let used = |query: &Query<'_>| match request.mode {
            Mode::Hybrid if query.vector.is_none() => Mode::Keyword,
            mode => mode,
        };
        #[cfg_attr(not(feature = "meaning"), allow(unused_mut))]
        let mut search = |query: &Query<'_>| {
            #[cfg(feature = "meaning")]
            if let Some(asked) = asked.as_mut() {
                let others = asked.pooled(&searcher, request, query.filter, used(query));
                return searcher.search_with(query, &others);
            }
            searcher.search(query)
        };
        let (matches, mut degraded) = match search(&query) {
            // The query's vector has another length than the documents': handled like an error of the
            // embedder.
            Err(error) if request.mode == Mode::Hybrid => {
                query.vector = None;
                (search(&query)?, Some(error))
            }
            matches => (matches?, degraded),
        };
        let mode = used(&query);
        let mut ranking = None;
        if request.hops.most() > 1 {
            let walk = Walk::new(&searcher, &query, &request.query, request.hops, &matches);
            // Boxed: a browser then compiles it only for searches with hops.
            let hops: LocalBoxFuture<'_, _> = Box::pin(self.run_hops(walk, request, cancel));
            let (chains, failed) = hops.await?;
            (ranking, degraded) = (chains, degraded.or(failed));
        }
        let reached: Vec<Ranked> = ranking.unwrap_or_else(|| {
            let best = matches.best.iter().take(request.limit);
            best.map(|found| Ranked { found: *found, via: Vec::new() }).collect()
        });
        // What is found is what the user looks at: these chunks are embedded before others.
        self.open_state()?.borrow_mut().looked_at.note(reached.iter().map(|one| one.found.key));
        let chunk = |key: ChunkKey| {
            #[cfg(feature = "meaning")]
            if let Some(chunk) = asked.as_ref().and_then(|asked| asked.chunk(key)) {
                return Some(chunk);
            }
            Some(searcher.chunk(key)?.to_chunk())
        };
        let hits = reached.iter().filter_map(|one| {
            let chunk = chunk(one.found.key)?;
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
            did_you_mean: None,
            searched_for: None,
            #[cfg(feature = "meaning")]
            sources: asked.as_ref().map(|asked| asked.reports.clone()),
            #[cfg(feature = "meaning")]
            failed: asked.map(|asked| asked.failed).unwrap_or_default(),
            by_words: matches.by_words,
        };
        Ok((response, degraded))
    }

    fn check_request(&self, request: &SearchRequest) -> Result<()> {
        let state = self.open_state()?.borrow();
        if terms::is_blank(&request.query) {
            return Err(Error::EmptyQuestion);
        }
        LIMIT.check(request.limit)?;
        THRESHOLD.check(request.threshold)?;
        let Weights { keyword, vector } = request.weights;
        if !(WEIGHT.holds(keyword)
            && WEIGHT.holds(vector)
            && (keyword + vector).is_finite()
            && keyword + vector > 0.0)
        {
            return Err(Error::invalid(
                "weights",
                "two numbers from 0, of which one is more",
                format!("{{ keyword: {keyword}, vector: {vector} }}"),
            ));
        }
        request.ef.map_or(Ok(()), |ef| EF.check(ef))?;
        request.hops.check("hops")?;
        if request.collections.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::invalid(
                "collections",
                "at least one collection, or absent for all",
                "an empty list",
            ));
        }
        request.collections.iter().flatten().try_for_each(|name| state.searchable(name))
    }

    /// Returns the vectors of questions if the mode uses them, and the error if hybrid mode has to proceed
    /// without.
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

/// Returns the chunks of the documents with these ids, in the given collections or, if empty, in all.
fn chunks_of(searcher: &Searcher, collections: &HashSet<String>, ids: &[String]) -> Vec<ChunkKey> {
    let everywhere = searcher.collections();
    let named = everywhere.iter().filter(|name| collections.is_empty() || collections.contains(**name));
    named
        .flat_map(|name| ids.iter().filter_map(|id| Some(searcher.document(name, id)?.1)))
        .flatten()
        .collect()
}

fn error_json(error: &Error) -> serde_json::Value {
    json!({ "code": error.code(), "message": error.to_string() })
}

fn explain(reached: &Ranked, searcher: &Searcher) -> serde_json::Value {
    let via: Vec<String> = reached.via.iter().filter_map(|key| Some(searcher.chunk(*key)?.id())).collect();
    json!({ "keyword": reached.found.keyword, "vector": reached.found.vector, "via": via })
}
