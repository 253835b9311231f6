//! Finds chunks for the question in each collection.

use crate::agent::context::{Context, SearchResult};
use crate::agent::ports::SearchLimits;
use crate::agent::run::{Run, Step};
use crate::error::Result;
use futures_util::future::{LocalBoxFuture, try_join_all};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The search step. Collections are chosen in this order: `collection`, `collections`, the run's, `default`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Search {
    /// One collection.
    pub collection: Option<String>,
    /// Several.
    pub collections: Option<Vec<String>>,
}

impl Search {
    fn chosen(&self, context: &Context) -> Vec<String> {
        self.collection
            .clone()
            .map(|one| vec![one])
            .or_else(|| self.collections.clone())
            .or_else(|| context.collections.clone())
            .filter(|chosen| !chosen.is_empty())
            .unwrap_or_else(|| vec!["default".into()])
    }
}

impl Step for Search {
    fn name(&self) -> &'static str {
        "search"
    }

    fn describe(&self, context: &Context) -> Value {
        json!({ "question": context.question, "collections": self.chosen(context) })
    }

    fn run<'a>(&'a self, run: &'a Run<'_>, context: &'a mut Context) -> LocalBoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            let limits = SearchLimits { limit: context.limit, threshold: context.threshold, hops: 1 };
            let question = context.question.clone();
            let collections = self.chosen(context);
            let searches = collections.iter().map(|name| run.searcher.search(&question, name, limits));
            let found = try_join_all(searches).await?;
            let results: Vec<SearchResult> = collections
                .iter()
                .zip(found)
                .map(|(collection, chunks)| SearchResult {
                    question: question.clone(),
                    collection: collection.clone(),
                    chunks,
                    iterations: 1,
                })
                .collect();
            let total_chunks: usize = results.iter().map(|result| result.chunks.len()).sum();
            let metadata =
                json!({ "resultCount": results.len(), "totalChunks": total_chunks, "iterations": 1 });
            context.results = Some(results);
            Ok(metadata)
        })
    }
}
