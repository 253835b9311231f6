//! The knowledge base as the agent sees it.

use super::{CollectionStats, FacetRequest, KnowledgeBase, ListRequest, Mode, SearchRequest};
use crate::agent::ports::{CollectionView, Found, SearchLimits, Searcher, Strategy};
use crate::cancel::Cancel;
use crate::document::{DocumentSummary, Hit, Listing, NEVER_SEND};
use crate::error::{Error, Result};
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};

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

/// The most values of a field that are looked at.
const MOST_VALUES: usize = 1_000;

impl Searcher for KnowledgeBase {
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
        Box::pin(async move {
            let mut request = SearchRequest {
                query: question.to_owned(),
                collections: Some(collections.to_vec()),
                mode: mode_of(limits.mode),
                limit: limits.limit,
                threshold: limits.threshold.unwrap_or_else(|| self.default_threshold()),
                filters: limits.filters.clone(),
                documents: limits.documents.clone(),
                hops: limits.hops,
                ..SearchRequest::default()
            };
            let is_loading = self.embedder.as_ref().is_some_and(|embedder| !embedder.is_ready());
            let mut degraded = None;
            if is_loading && request.mode != Mode::Keyword {
                (request.mode, degraded) = (Mode::Keyword, Some(Error::EmbedderLoading));
            }
            // Whoever asks can be cancelled, and drops this future then.
            let cancel = Cancel::default();
            let mut found = self.search_with_fields_of(&limits.fields_of, &request, &cancel).await;
            if let (Mode::Vector, Err(error)) = (request.mode, &found) {
                // It was a model's plan, and not the caller, that wanted vectors. What has failed for another reason
                // fails again.
                (request.mode, degraded) = (Mode::Keyword, Some(error.clone()));
                found = self.search_with_fields_of(&limits.fields_of, &request, &cancel).await;
            }
            let (response, failed) = found?;
            let mode = strategy_of(response.mode);
            Ok(Found { hits: response.hits, total: response.total, mode, degraded: failed.or(degraded) })
        })
    }

    fn collections(&self) -> Vec<CollectionView> {
        let stats = self.stats().map(|stats| stats.collections).unwrap_or_default();
        let view = |one: CollectionStats| {
            let CollectionStats { name, description, mut schema, .. } = one;
            // It is for the agent to keep, and not for a model to plan with.
            if let Some(fields) = schema.as_object_mut() {
                fields.remove(NEVER_SEND);
            }
            CollectionView { name, description, schema }
        };
        stats.into_iter().map(view).collect()
    }

    fn never_sent(&self) -> Result<Vec<Hit>> {
        let marked = json!({ "field": NEVER_SEND, "operator": "=", "value": true });
        let request = ListRequest { filters: Some(marked), limit: usize::MAX, ..ListRequest::default() };
        let listed = match self.documents(&request) {
            Ok(listing) => listing.documents,
            // Where no document has the field, none is marked.
            Err(Error::UnknownField { .. }) => Vec::new(),
            Err(error) => return Err(error),
        };
        let mut hits = Vec::new();
        for one in &listed {
            let chunks = self.document(&one.collection, &one.id)?.chunks;
            hits.extend(chunks.into_iter().map(|chunk| Hit { chunk, score: 0.0, explain: None }));
        }
        Ok(hits)
    }

    fn fingerprint(&self) -> Option<String> {
        self.fingerprint().ok()
    }

    fn document(
        &self,
        collections: &[String],
        id: &str,
        filters: Option<&Value>,
    ) -> Option<(DocumentSummary, Vec<Hit>)> {
        let fits = |name: &&String| self.fulfils(name, id, filters).unwrap_or(false);
        let view =
            collections.iter().filter(fits).find_map(|name| Some((name, self.document(name, id).ok()?)));
        let (collection, view) = view?;
        let summary = DocumentSummary {
            id: view.document.id,
            collection: collection.clone(),
            title: view.document.title,
            url: view.document.url,
            metadata: view.document.metadata,
            chunks: view.chunks.len(),
        };
        let hit = |chunk| Hit { chunk, score: 0.0, explain: None };
        Some((summary, view.chunks.into_iter().map(hit).collect()))
    }

    fn listing(
        &self,
        collection: &str,
        filters: Option<&Value>,
        fields_of: &[String],
        limit: usize,
    ) -> Result<Listing> {
        let collections = Some(vec![collection.to_owned()]);
        let request = ListRequest { collections, filters: filters.cloned(), offset: 0, limit };
        self.documents_with_fields_of(fields_of, &request)
    }

    fn values(&self, collection: &str, field: &str, filters: Option<&Value>) -> Vec<(Value, usize)> {
        let request = FacetRequest {
            field: field.to_owned(),
            collections: Some(vec![collection.to_owned()]),
            filters: filters.cloned(),
            limit: MOST_VALUES,
        };
        let facets = self.facets(&request).unwrap_or_default();
        facets
            .into_iter()
            .filter_map(|facet| Some((serde_json::to_value(facet.value).ok()?, facet.count)))
            .collect()
    }
}
