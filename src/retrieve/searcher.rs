//! The knowledge base as the agent sees it.

use super::{CollectionStats, KnowledgeBase, SearchRequest};
use crate::agent::ports::{CollectionView, SearchLimits, Searcher};
use crate::cancel::Cancel;
use crate::document::Hit;
use crate::error::Result;
use futures_util::future::LocalBoxFuture;

impl Searcher for KnowledgeBase {
    fn search<'a>(
        &'a self,
        question: &'a str,
        collection: &'a str,
        limits: &'a SearchLimits,
    ) -> LocalBoxFuture<'a, Result<Vec<Hit>>> {
        Box::pin(async move {
            let request = SearchRequest {
                query: question.to_owned(),
                collections: Some(vec![collection.to_owned()]),
                limit: limits.limit,
                threshold: limits.threshold.unwrap_or_else(|| self.default_threshold()),
                filters: limits.filters.clone(),
                hops: limits.hops,
                ..SearchRequest::default()
            };
            // The run that asks is what can be cancelled; it drops this future.
            Ok(self.search(&request, &Cancel::default()).await?.hits)
        })
    }

    fn collections(&self) -> Vec<CollectionView> {
        let stats = self.stats().map(|stats| stats.collections).unwrap_or_default();
        let view = |one: CollectionStats| CollectionView {
            name: one.name,
            description: one.description,
            schema: one.schema,
        };
        stats.into_iter().map(view).collect()
    }
}
