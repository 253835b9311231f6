//! Finds chunks for every question in every collection.

use crate::agent::context::{Context, SearchResult};
use crate::agent::ports::SearchLimits;
use crate::agent::run::{Run, Step};
use crate::error::{Error, Result};
use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The search step. Collections are chosen in this order: `collection`, `collections`, the run's, `default`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Search {
    /// One collection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// Several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collections: Option<Vec<String>>,
    /// Searches in the place of the knowledge base: the name of a function of the caller's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searcher: Option<String>,
    /// How many passages long a chain of evidence may be; 1 unless named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hops: Option<usize>,
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

    fn limits(&self, context: &Context) -> SearchLimits {
        SearchLimits {
            limit: context.limit,
            threshold: context.threshold,
            filters: context.filters.clone(),
            hops: self.hops.unwrap_or(1),
        }
    }

    async fn one(
        &self,
        run: &Run<'_>,
        context: &Context,
        question: String,
        collection: String,
    ) -> Result<SearchResult> {
        let limits = self.limits(context);
        let found = run.search(self.name(), self.searcher.as_deref(), &question, &collection, &limits).await;
        let (chunks, iterations) = match found {
            Ok(chunks) => (chunks, 1),
            // What was found so far is what there is to answer from.
            Err(Error::BudgetExhausted { .. }) => (Vec::new(), 0),
            Err(error) => return Err(error),
        };
        Ok(SearchResult { question, collection, chunks, iterations })
    }
}

impl Step for Search {
    fn name(&self) -> &str {
        "search"
    }

    fn describe(&self, context: &Context) -> Value {
        json!({
            "question": context.asked(),
            "subQuestions": context.queries(),
            "collections": self.chosen(context),
            "searcher": self.searcher,
        })
    }

    fn run<'a>(&'a self, run: &'a Run<'_>, context: &'a mut Context) -> LocalBoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            let collections = if context.skip_retrieval { Vec::new() } else { self.chosen(context) };
            let queries = context.queries();
            let pairs = queries.iter().flat_map(|question| {
                collections.iter().map(move |collection| (question.clone(), collection.clone()))
            });
            let searches: Vec<_> =
                pairs.map(|(question, collection)| self.one(run, context, question, collection)).collect();
            let found: Vec<Result<SearchResult>> =
                futures_util::stream::iter(searches).buffered(run.concurrency.max(1)).collect().await;
            let results = found.into_iter().collect::<Result<Vec<_>>>()?;
            let total_chunks: usize = results.iter().map(|result| result.chunks.len()).sum();
            let iterations = results.iter().map(|result| result.iterations).max().unwrap_or(0);
            let metadata = json!({ "resultCount": results.len(), "totalChunks": total_chunks, "iterations": iterations });
            context.results = Some(results);
            context.ranked = None;
            Ok(metadata)
        })
    }
}
