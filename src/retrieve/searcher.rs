//! The knowledge base as the agent sees it.

use super::{CollectionStats, KnowledgeBase, Mode, SearchRequest};
use crate::agent::ports::{CollectionView, Found, SearchLimits, Searcher, Strategy};
use crate::cancel::Cancel;
use crate::document::NEVER_SEND;
use crate::error::{Error, Result};
use futures_util::future::LocalBoxFuture;

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

impl Searcher for KnowledgeBase {
    fn search<'a>(
        &'a self,
        question: &'a str,
        collection: &'a str,
        limits: &'a SearchLimits,
    ) -> LocalBoxFuture<'a, Result<Found>> {
        Box::pin(async move {
            let mut request = SearchRequest {
                query: question.to_owned(),
                collections: Some(vec![collection.to_owned()]),
                mode: mode_of(limits.mode),
                limit: limits.limit,
                threshold: limits.threshold.unwrap_or_else(|| self.default_threshold()),
                filters: limits.filters.clone(),
                hops: limits.hops,
                ..SearchRequest::default()
            };
            let is_loading = self.embedder.as_ref().is_some_and(|embedder| !embedder.is_ready());
            let mut degraded = None;
            if is_loading && request.mode != Mode::Keyword {
                (request.mode, degraded) = (Mode::Keyword, Some(Error::EmbedderLoading));
            }
            // The run that asks is what can be cancelled; it drops this future.
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
            Ok(Found { hits: response.hits, mode, degraded: failed.or(degraded) })
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
}
