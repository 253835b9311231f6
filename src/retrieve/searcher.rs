//! The knowledge base as the agent sees it.

use super::{KnowledgeBase, SearchRequest};
use crate::agent::ports::{SearchLimits, Searcher};
use crate::cancel::Cancel;
use crate::document::Hit;
use crate::error::Result;
use futures_util::future::LocalBoxFuture;

impl Searcher for KnowledgeBase {
    fn search<'a>(
        &'a self,
        question: &'a str,
        collection: &'a str,
        limits: SearchLimits,
    ) -> LocalBoxFuture<'a, Result<Vec<Hit>>> {
        Box::pin(async move {
            let request = SearchRequest {
                query: question.to_owned(),
                collections: Some(vec![collection.to_owned()]),
                limit: limits.limit,
                threshold: limits.threshold.unwrap_or_else(|| self.default_threshold()),
                hops: limits.hops,
                ..SearchRequest::default()
            };
            // The run that asks is what can be cancelled; it drops this future.
            Ok(self.search(&request, &Cancel::default()).await?.hits)
        })
    }
}
