//! Implements the agent's `Searcher` port.

use super::collection::Collection;
use super::{DocumentView, FacetRequest, KnowledgeBase, ListRequest, Mode, SearchRequest};
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use std::rc::Rc;
use vademecum_index::filter::Facet;
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::document::{DocumentSummary, Hit, Listing, NEVER_SEND, SUMMARY};
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::relevance::Frequencies;
#[cfg(feature = "meaning")]
use vademecum_protocol::relevance::{Relevance, RelevanceRequest};
use vademecum_protocol::searcher::{CollectionView, Found, NeverSentText, SearchLimits, Searcher, Strategy};

fn mode_of(strategy: Strategy) -> Mode {
    match strategy {
        Strategy::Keyword => Mode::Keyword,
        Strategy::Semantic => Mode::Vector,
        Strategy::Hybrid => Mode::Hybrid,
    }
}

fn strategy_of(mode: Mode) -> Strategy {
    match mode {
        Mode::Keyword => Strategy::Keyword,
        Mode::Vector => Strategy::Semantic,
        Mode::Hybrid => Strategy::Hybrid,
    }
}

/// Maximum number of values of a field that are counted.
const MAX_VALUES: usize = 1_000;

/// Maximum number of matches reported by a view without `neverSend` documents; searches count exactly up to
/// here.
const EXACT_COUNT: usize = 1_000;

/// A knowledge base behind the `Searcher` port.
#[derive(Debug, Clone, Copy)]
pub struct View<'k> {
    /// The knowledge base.
    pub kb: &'k KnowledgeBase,
    /// Exclude documents marked `neverSend`.
    pub sendable: bool,
}

impl KnowledgeBase {
    fn view(&self) -> View<'_> {
        View { kb: self, sendable: false }
    }
}

impl View<'_> {
    /// Searches several collections with comparable scores, for a run of this number.
    ///
    /// # Errors
    /// Those of [`KnowledgeBase::search`].
    pub async fn search_as(
        &self,
        run: Option<u32>,
        question: &str,
        collections: &[String],
        limits: &SearchLimits,
    ) -> Result<Found> {
        let mut request = SearchRequest {
            query: question.to_owned(),
            collections: Some(collections.to_vec()),
            mode: mode_of(limits.mode),
            limit: limits.limit,
            threshold: limits.threshold.unwrap_or(0.0),
            filters: limits.filters.clone(),
            documents: limits.documents.clone(),
            hops: limits.hops,
            sendable: self.sendable,
            run,
            ..SearchRequest::default()
        };
        let is_loading = self.kb.embedder.as_ref().is_some_and(|embedder| !embedder.is_ready());
        let mut degraded = None;
        if is_loading && request.mode != Mode::Keyword {
            (request.mode, degraded) = (Mode::Keyword, Some(Error::EmbedderLoading));
        }
        // Callers cancel by dropping this future.
        let cancel = Cancel::default();
        let mut found = self.kb.search_with_fields_of(&limits.fields_of, &request, &cancel).await;
        if let (Mode::Vector, Err(error)) = (request.mode, &found)
            && !error.is_of_remote()
        {
            // Vector mode was chosen by a model's plan, not by the caller, so fall back to keyword
            // search. An error with another cause will recur.
            (request.mode, degraded) = (Mode::Keyword, Some(error.clone()));
            found = self.kb.search_with_fields_of(&limits.fields_of, &request, &cancel).await;
        }
        let (response, failed) = found?;
        let mode = strategy_of(response.mode);
        // Beyond this the count depends on pruning, and thus on excluded documents.
        let total = if self.sendable { response.total.min(EXACT_COUNT) } else { response.total };
        #[cfg(feature = "meaning")]
        let lost = response.failed;
        #[cfg(not(feature = "meaning"))]
        let lost = Vec::new();
        Ok(Found { hits: response.hits, total, mode, degraded: failed.or(degraded), lost })
    }
}

/// A document with its passages, as runs read it.
type Read = (DocumentSummary, Vec<Hit>);

fn read(collection: &str, DocumentView { document, chunks }: DocumentView) -> Read {
    let summary = DocumentSummary {
        id: document.id,
        collection: collection.to_owned(),
        title: document.title,
        url: document.url,
        metadata: document.metadata,
        chunks: chunks.len(),
    };
    (summary, chunks.into_iter().map(|chunk| Hit { chunk, score: 0.0, explain: None }).collect())
}

#[cfg(feature = "meaning")]
impl View<'_> {
    /// Returns a document of a remote collection, for a run of this number.
    ///
    /// # Errors
    /// Those of [`KnowledgeBase::remote_document`].
    pub async fn document_as(&self, run: Option<u32>, collection: &str, id: &str) -> Result<Option<Read>> {
        Ok(self.kb.remote_document(collection, id, run).await?.map(|view| read(collection, view)))
    }
}

impl Searcher for View<'_> {
    fn search<'a>(
        &'a self,
        question: &'a str,
        collection: &'a str,
        limits: &'a SearchLimits,
    ) -> LocalBoxFuture<'a, Result<Found>> {
        Box::pin(async move { self.search_all(question, &[collection.to_owned()], limits).await })
    }

    fn search_all<'a>(
        &'a self,
        question: &'a str,
        collections: &'a [String],
        limits: &'a SearchLimits,
    ) -> LocalBoxFuture<'a, Result<Found>> {
        Box::pin(self.search_as(None, question, collections, limits))
    }

    fn threshold(&self) -> Option<f32> {
        self.kb.default_threshold()
    }

    fn collections(&self) -> Result<Vec<CollectionView>> {
        let snapshot = self.kb.snapshot(self.sendable)?;
        let state = self.kb.open_state()?.borrow();
        let view = |(name, collection): (&Rc<str>, &Collection)| {
            let schema = snapshot.schema_of(name).map(serde_json::to_value).and_then(std::result::Result::ok);
            let mut schema = schema.unwrap_or_else(|| json!({}));
            // Reserved fields are for the agent, not for a model to plan with.
            if let Some(fields) = schema.as_object_mut() {
                fields.remove(NEVER_SEND);
                fields.remove(SUMMARY);
            }
            // A view has schemas of what it contains; others may be declared.
            let is_empty = if self.sendable {
                snapshot.schema_of(name).is_none()
            } else {
                state.index.size(Some(name)).documents == 0
            };
            CollectionView {
                name: name.to_string(),
                description: collection.description.clone(),
                schema,
                is_empty,
                is_remote: false,
            }
        };
        let own = state.collections.iter().map(view);
        #[cfg(feature = "meaning")]
        return Ok(own.chain(state.remote_views()).collect());
        #[cfg(not(feature = "meaning"))]
        Ok(own.collect())
    }

    fn never_sent_in(&self, text: &str) -> Result<NeverSentText> {
        Ok(self.kb.snapshot(false)?.never_sent_in(text))
    }

    fn frequencies(&self, terms: &[String]) -> Result<Frequencies> {
        let searcher = self.kb.snapshot(self.sendable)?;
        let terms = terms.iter().map(|term| searcher.chunks_with(term)).collect();
        Ok(Frequencies { terms, chunks: searcher.chunks() })
    }

    fn did_you_mean<'a>(&'a self, question: &'a str) -> LocalBoxFuture<'a, Result<Option<String>>> {
        Box::pin(self.kb.did_you_mean(question, false, self.sendable))
    }

    #[cfg(feature = "meaning")]
    fn relevance<'a>(&'a self, request: &'a RelevanceRequest) -> LocalBoxFuture<'a, Result<Relevance>> {
        self.kb.relevance(request, self.sendable)
    }

    fn fingerprint(&self) -> Option<String> {
        self.kb.fingerprint().ok()
    }

    fn document(&self, collections: &[String], id: &str, filters: Option<&Value>) -> Result<Option<Read>> {
        for collection in collections {
            if !self.kb.fulfils(collection, id, filters, self.sendable)? {
                continue;
            }
            return self.kb.document(collection, id).map(|view| Some(read(collection, view)));
        }
        Ok(None)
    }

    #[cfg(feature = "meaning")]
    fn document_elsewhere<'a>(
        &'a self,
        collection: &'a str,
        id: &'a str,
    ) -> LocalBoxFuture<'a, Result<Option<Read>>> {
        Box::pin(self.document_as(None, collection, id))
    }

    fn listing(
        &self,
        collection: &str,
        filters: Option<&Value>,
        fields_of: &[String],
        limit: usize,
    ) -> Result<Listing> {
        let collections = Some(vec![collection.to_owned()]);
        let request =
            ListRequest { collections, filters: filters.cloned(), offset: 0, limit, sendable: self.sendable };
        self.kb.documents_with_fields_of(fields_of, &request)
    }

    fn values(&self, collection: &str, field: &str, filters: Option<&Value>) -> Result<Vec<(Value, usize)>> {
        let request = FacetRequest {
            field: field.to_owned(),
            collections: Some(vec![collection.to_owned()]),
            filters: filters.cloned(),
            limit: MAX_VALUES,
            sendable: self.sendable,
        };
        let facets = match self.kb.facets(&request) {
            // No document has the field.
            Err(Error::UnknownField { .. }) => Vec::new(),
            facets => facets?,
        };
        let value = |facet: Facet| Some((serde_json::to_value(facet.value).ok()?, facet.count));
        Ok(facets.into_iter().filter_map(value).collect())
    }

    fn sendable(&self) -> Option<Box<dyn Searcher + '_>> {
        Some(Box::new(View { sendable: true, ..*self }))
    }
}

impl Searcher for KnowledgeBase {
    fn search<'a>(
        &'a self,
        question: &'a str,
        collection: &'a str,
        limits: &'a SearchLimits,
    ) -> LocalBoxFuture<'a, Result<Found>> {
        Box::pin(async move { self.view().search(question, collection, limits).await })
    }

    fn search_all<'a>(
        &'a self,
        question: &'a str,
        collections: &'a [String],
        limits: &'a SearchLimits,
    ) -> LocalBoxFuture<'a, Result<Found>> {
        Box::pin(async move { self.view().search_all(question, collections, limits).await })
    }

    fn threshold(&self) -> Option<f32> {
        self.default_threshold()
    }

    fn collections(&self) -> Result<Vec<CollectionView>> {
        self.view().collections()
    }

    fn never_sent_in(&self, text: &str) -> Result<NeverSentText> {
        self.view().never_sent_in(text)
    }

    fn frequencies(&self, terms: &[String]) -> Result<Frequencies> {
        self.view().frequencies(terms)
    }

    fn did_you_mean<'a>(&'a self, question: &'a str) -> LocalBoxFuture<'a, Result<Option<String>>> {
        Box::pin(KnowledgeBase::did_you_mean(self, question, false, false))
    }

    #[cfg(feature = "meaning")]
    fn relevance<'a>(&'a self, request: &'a RelevanceRequest) -> LocalBoxFuture<'a, Result<Relevance>> {
        KnowledgeBase::relevance(self, request, false)
    }

    fn fingerprint(&self) -> Option<String> {
        self.view().fingerprint()
    }

    fn document(&self, collections: &[String], id: &str, filters: Option<&Value>) -> Result<Option<Read>> {
        self.view().document(collections, id, filters)
    }

    #[cfg(feature = "meaning")]
    fn document_elsewhere<'a>(
        &'a self,
        collection: &'a str,
        id: &'a str,
    ) -> LocalBoxFuture<'a, Result<Option<Read>>> {
        Box::pin(async move { self.view().document_as(None, collection, id).await })
    }

    fn listing(
        &self,
        collection: &str,
        filters: Option<&Value>,
        fields_of: &[String],
        limit: usize,
    ) -> Result<Listing> {
        self.view().listing(collection, filters, fields_of, limit)
    }

    fn values(&self, collection: &str, field: &str, filters: Option<&Value>) -> Result<Vec<(Value, usize)>> {
        self.view().values(collection, field, filters)
    }

    fn sendable(&self) -> Option<Box<dyn Searcher + '_>> {
        Some(Box::new(View { kb: self, sendable: true }))
    }
}
