//! The search tools under their several names: `search` and `refine_and_search` of the react style, `search_text` and
//! `search_semantic` of investigate, `vector_search` and `keyword_search` of graph.

use super::tool::{Outcome, Tool, Use};
use crate::context::{Context, SearchResult};
use crate::ports::{SearchLimits, Strategy};
use crate::reply::json::{field, text};
use crate::run::Step;
use crate::steps::Rerank;
use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value, json};
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::{Error, Result, excerpt};
use vademecum_protocol::hops::Hops;
use vademecum_util::small_sort::sort_by;

/// A search tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search {
    name: &'static str,
    description: &'static str,
    /// The name of the query argument.
    query: &'static str,
    mode: Strategy,
    /// How the model may restrict the search.
    scope: Scope,
    /// Default number of characters of each passage that the model sees; 0 for all.
    context_chars: usize,
}

/// How a model may restrict a search to a collection, a document, or matching documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Restrictions are not offered.
    Untold,
    /// Restrictions are optional; an unusable one is an error.
    Optional,
    /// The collection is required; other unusable restrictions are ignored.
    Named,
}

pub(super) const SEARCH: Search = Search {
    name: "search",
    description: "Search the user's documents.",
    query: "query",
    mode: Strategy::Hybrid,
    scope: Scope::Optional,
    context_chars: 0,
};
pub(super) const REFINE: Search = Search {
    name: "refine_and_search",
    description: "Search again with another query, when what was found is not enough.",
    query: "refined_query",
    ..SEARCH
};
pub(super) const SEARCH_TEXT: Search = Search {
    name: "search_text",
    description: "Keyword search in a collection: for names, codes and exact words.",
    mode: Strategy::Keyword,
    scope: Scope::Named,
    context_chars: 400,
    ..SEARCH
};
pub(super) const SEARCH_SEMANTIC: Search = Search {
    name: "search_semantic",
    description: "Search by meaning in a collection: for ideas and questions.",
    mode: Strategy::Hybrid,
    context_chars: 500,
    ..SEARCH_TEXT
};
pub(super) const VECTOR: Search = Search {
    name: "vector_search",
    description: "Search by meaning: for open questions.",
    mode: Strategy::Hybrid,
    scope: Scope::Untold,
    ..SEARCH
};
pub(super) const KEYWORD: Search = Search {
    name: "keyword_search",
    description: "Search by words: for names, codes and exact phrases.",
    mode: Strategy::Keyword,
    scope: Scope::Untold,
    ..SEARCH
};

impl Search {
    /// Uses vector search alone if the plan says so; otherwise the tool's own mode.
    fn mode_in(&self, context: &Context) -> Strategy {
        match (self.mode, context.workspace.strategy) {
            (Strategy::Hybrid, Strategy::Semantic) => Strategy::Semantic,
            (own, _) => own,
        }
    }
}

impl Tool for Search {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> &str {
        self.description
    }

    fn asks(&self) -> bool {
        true
    }

    fn parameters(&self) -> Value {
        let mut properties = Map::new();
        if self.scope == Scope::Named {
            properties.insert("bucket".into(), json!({ "type": "string", "description": "The collection." }));
        }
        properties
            .insert(self.query.into(), json!({ "type": "string", "description": "What to search for." }));
        if self.scope == Scope::Optional {
            let only = json!({ "type": "string", "description": "Search this collection alone." });
            properties.insert("collection".into(), only);
        }
        if self.scope != Scope::Untold {
            let filters = json!({
                "type": "object",
                "description": "Conditions on metadata fields, such as {\"total\": {\">\": 1000}}.",
                "additionalProperties": true,
            });
            properties.insert("filters".into(), filters);
        }
        if self.scope == Scope::Named {
            properties.insert("top_k".into(), json!({ "type": "integer", "default": 10 }));
            properties
                .insert("context_chars".into(), json!({ "type": "integer", "default": self.context_chars }));
        }
        if self.scope != Scope::Untold {
            let document = json!({ "type": "string", "description": "Search within this document alone." });
            properties.insert("doc_id".into(), document);
        }
        let required =
            if self.scope == Scope::Named { json!(["bucket", self.query]) } else { json!([self.query]) };
        json!({ "type": "object", "properties": properties, "required": required })
    }

    fn call<'a>(&'a self, at: &'a Use<'a>, arguments: &'a Value) -> LocalBoxFuture<'a, Result<Outcome>> {
        Box::pin(async move {
            let query = query_of(arguments, self.query)?;
            let optional = self.scope == Scope::Optional;
            let collections =
                if optional { at.named_collections(arguments)? } else { at.collections(arguments) };
            let (filters, dropped) = at.filters(arguments, &collections);
            if optional {
                at.check_filters(arguments, &collections, &dropped)?;
            }
            let limits = at.limits(arguments, self.mode_in(at.context), filters);
            if optional {
                at.check_document(arguments, &collections, &limits)?;
            }
            let mut outcome = ranked(at, &query, &collections, limits).await?;
            outcome.told = (!dropped.is_empty()).then(|| json!({ "filters_left_out": dropped }));
            Ok(outcome)
        })
    }
}

/// Returns the query among the arguments.
fn query_of(arguments: &Value, name: &'static str) -> Result<String> {
    let names = [name, "query", "refined_query", "refinedQuery", "question", "text", "q", "search"];
    let query = field(arguments, &names).and_then(text).or_else(|| text(arguments));
    let query = query.map(|query| query.trim().to_owned()).filter(|query| !query.is_empty());
    query
        .map(|query| excerpt(&query, 1_000))
        .ok_or_else(|| Error::invalid(name, "a text to search for", excerpt(&arguments.to_string(), 80)))
}

/// Searches all of these collections together, and reranks the hits if the style has a reranker.
async fn ranked(
    at: &Use<'_>,
    query: &str,
    collections: &[String],
    mut limits: SearchLimits,
) -> Result<Outcome> {
    let wanted = limits.limit;
    let Some(rerank) = at.run.search_overrides.rerank.as_ref().map(Rerank::from) else {
        return everywhere(at, query, collections, &limits).await;
    };
    limits.limit = rerank.wanted(at.run).max(wanted);
    let mut outcome = everywhere(at, query, collections, &limits).await?;
    for result in &mut outcome.results {
        // If fewer calls are left than were planned, the original order is kept.
        if at.run.account.take_planned(rerank.id(), rerank.calls_for(at.run, &result.chunks)) {
            let hits = std::mem::take(&mut result.chunks);
            result.chunks = rerank.rank(at.run, query, &[], hits).await?.hits;
        }
        // Documents that must never be sent take no place from those that a model may see.
        let mut left = wanted;
        result.chunks.retain(|hit| {
            let kept = left > 0;
            left -= usize::from(kept && !hit.chunk.never_sent());
            kept
        });
    }
    Ok(outcome)
}

/// Searches all of these collections together.
async fn everywhere(
    at: &Use<'_>,
    query: &str,
    collections: &[String],
    limits: &SearchLimits,
) -> Result<Outcome> {
    let found = at.run.find(at.step, query, collections, limits).await?;
    let result = SearchResult {
        question: query.to_owned(),
        collection: collections.join(", "),
        chunks: found.hits,
        iterations: 1,
    };
    Ok(Outcome { results: vec![result], total: found.total, told: None })
}

/// Maximum number of summaries returned.
const MAX_SUMMARIES: usize = 5;
/// Number of chunks examined to find them.
const MAX_EXAMINED: usize = 50;

/// `search_summaries`: finds documents to search within. The summary of a document consists of its title, headings and beginning,
/// and of the author's summary if there is one, which is indexed with the first passage. Documents are ranked by their best
/// passages.
#[derive(Debug)]
pub(super) struct Summaries;

impl Tool for Summaries {
    fn name(&self) -> &str {
        super::tool::SUMMARIES
    }

    fn description(&self) -> &str {
        "Find the long documents to look into, each with its headings; then search within one by doc_id."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "bucket": { "type": "string", "description": "The collection." },
                "query": { "type": "string", "description": "What to search for." },
            },
            "required": ["bucket", "query"],
        })
    }

    fn call<'a>(&'a self, at: &'a Use<'a>, arguments: &'a Value) -> LocalBoxFuture<'a, Result<Outcome>> {
        Box::pin(async move {
            let query = query_of(arguments, "query")?;
            let collections = at.collections(arguments);
            let (filters, _) = at.filters(arguments, &collections);
            let wide = SearchLimits {
                limit: MAX_EXAMINED,
                hops: Hops::default(),
                ..at.limits(&Value::Null, Strategy::Hybrid, filters)
            };
            let found = everywhere(at, &query, &collections, &wide).await?;
            let best = best_documents(&found.results);
            let mut results = Vec::new();
            for (collection, id) in best.iter().take(MAX_SUMMARIES) {
                let known = at.run.searcher.document(std::slice::from_ref(collection), id, None);
                // A custom searcher may not know the document, so only its hits are available.
                let is_of = |hit: &&Hit| hit.chunk.collection == *collection && hit.chunk.doc_id == *id;
                let found =
                    || found.results.iter().flat_map(|one| &one.chunks).filter(is_of).cloned().collect();
                let chunks = known.map_or_else(found, |(_, chunks)| chunks);
                if !chunks.is_empty() {
                    let chunks = summary(chunks);
                    results.push(SearchResult {
                        question: query.clone(),
                        collection: collection.clone(),
                        chunks,
                        iterations: 1,
                    });
                }
            }
            let told: Vec<Value> = results.iter().filter_map(own_summary).collect();
            let told = (!told.is_empty()).then(|| json!({ "summaries": told }));
            Ok(Outcome { results, total: best.len(), told })
        })
    }
}

/// Returns the author's summary of a document for a model.
fn own_summary(result: &SearchResult) -> Option<Value> {
    let chunk = &result.chunks.first().filter(|hit| !hit.chunk.never_sent())?.chunk;
    Some(
        json!({ "doc_id": chunk.doc_id, "title": chunk.title, "summary": excerpt(chunk.summary()?, MAX_SUMMARY) }),
    )
}

/// Maximum length of a summary in characters.
const MAX_SUMMARY: usize = 800;

/// Ranks documents by the sum of their three best passages.
fn best_documents(results: &[SearchResult]) -> Vec<(String, String)> {
    let mut scores: Vec<((String, String), Vec<f32>)> = Vec::new();
    for hit in results.iter().flat_map(|result| &result.chunks) {
        let key = (hit.chunk.collection.clone(), hit.chunk.doc_id.clone());
        match scores.iter_mut().find(|(known, _)| *known == key) {
            Some((_, scores)) => scores.push(hit.score),
            None => scores.push((key, vec![hit.score])),
        }
    }
    let sum = |scores: &[f32]| scores.iter().take(3).sum::<f32>();
    sort_by(&mut scores, |(_, one), (_, other)| sum(other).total_cmp(&sum(one)));
    scores.into_iter().map(|(key, _)| key).collect()
}

/// Returns a document's first chunk with the headings of all chunks.
fn summary(chunks: Vec<Hit>) -> Vec<Hit> {
    let mut outline: Vec<String> = Vec::new();
    for heading in chunks.iter().filter_map(|hit| hit.chunk.headings.last()) {
        if outline.last() != Some(heading) {
            outline.push(heading.clone());
        }
    }
    let first = chunks.into_iter().next().map(|mut first| {
        first.chunk.headings = vec![excerpt(&outline.join("; "), 600)];
        first
    });
    first.into_iter().collect()
}
