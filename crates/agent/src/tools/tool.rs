//! The [`Tool`] trait, and the interpretation of arguments common to all tools.

use crate::context::{Context, SearchResult};
use crate::coverage::conditions;
use crate::plan::{Condition, Draft, checked, fields};
use crate::ports::{CollectionView, SearchLimits, Strategy};
use crate::reply::json::field;
use crate::run::Run;
use crate::step_id::StepId;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vademecum_firewall::escape::label;
use vademecum_protocol::error::{Error, Result, excerpt};
use vademecum_protocol::hops::Hops;

/// The tool that ends a run of the react style.
pub const FINAL_ANSWER: &str = "final_answer";

/// The tool that lists all documents that match conditions.
pub const LIST: &str = "list_documents";

/// The tool that returns the metadata of a document.
pub const METADATA: &str = "get_document_metadata";

/// The tool that finds documents to search within.
pub const SUMMARIES: &str = "search_summaries";

/// The environment of a tool call.
#[derive(Debug)]
pub struct Use<'a> {
    /// The run.
    pub run: &'a Run<'a>,
    /// The context so far.
    pub context: &'a Context,
    /// The step that makes the call.
    pub step: &'a StepId,
    /// Default number of chunks.
    pub top_k: usize,
    /// Maximum number of passages in a chain that a search follows.
    pub hops: Hops,
}

/// The outcome of a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// The results of each search; empty for other tools.
    pub results: Vec<SearchResult>,
    /// The number of matching chunks or documents, if known.
    pub total: usize,
    /// Output besides or instead of passages.
    pub told: Option<Value>,
}

/// A tool that a model may call.
pub trait Tool {
    /// Returns the name.
    fn name(&self) -> &str;

    /// Describes in one sentence when to use it.
    fn description(&self) -> &str;

    /// Returns the JSON schema of the arguments.
    fn parameters(&self) -> Value;

    /// Returns whether a call counts as a search.
    fn searches(&self) -> bool {
        true
    }

    /// Returns whether an answer may be to its query: not where documents are looked up or listed.
    fn asks(&self) -> bool {
        false
    }

    /// Returns whether it is the caller's.
    fn is_own(&self) -> bool {
        false
    }

    /// Calls the tool. An error is returned to the model as the result.
    fn call<'a>(&'a self, at: &'a Use<'a>, arguments: &'a Value) -> LocalBoxFuture<'a, Result<Outcome>>;
}

impl Use<'_> {
    /// Returns the collections that a call searches: the named ones, or those of the run, or all.
    pub(super) fn collections(&self, arguments: &Value) -> Vec<String> {
        let all = self.views();
        let named = field(arguments, &COLLECTION);
        let said = named.map(crate::reply::json::texts).unwrap_or_default();
        let is_named =
            |one: &&CollectionView| said.iter().any(|name| name.trim().eq_ignore_ascii_case(&one.name));
        let known: Vec<String> = all.iter().filter(is_named).map(|one| one.name.clone()).collect();
        if known.is_empty() { all.into_iter().map(|one| one.name).collect() } else { known }
    }

    /// Returns the collections that a call searches; an error if it names one that the run does not have.
    pub(super) fn named_collections(&self, arguments: &Value) -> Result<Vec<String>> {
        let Some(named) = field(arguments, &COLLECTION).filter(|named| !named.is_null()) else {
            return Ok(self.collections(arguments));
        };
        let known: Vec<String> = self.views().into_iter().map(|one| one.name).collect();
        let said = crate::reply::json::texts(named);
        let find = |name: &String| known.iter().find(|one| name.trim().eq_ignore_ascii_case(one)).cloned();
        let found: Option<Vec<String>> = said.iter().map(find).collect();
        found
            .filter(|found| !found.is_empty())
            .ok_or_else(|| Error::invalid("collection", one_of(&known), excerpt(&named.to_string(), 80)))
    }

    /// Rejects unusable conditions of a call instead of searching without them.
    pub(super) fn check_filters(
        &self,
        arguments: &Value,
        collections: &[String],
        dropped: &[String],
    ) -> Result<()> {
        let Some(asked) = field(arguments, &["filters", "filter"]).filter(|asked| !asked.is_null()) else {
            return Ok(());
        };
        let read = match asked_filters(arguments) {
            Some(asked) => {
                Draft::read(&json!({ "filters": asked })).is_some_and(|draft| !draft.conditions.is_empty())
            }
            None => asked.is_object(),
        };
        let is_empty = asked.as_array().is_some_and(Vec::is_empty);
        if (read || is_empty) && dropped.is_empty() {
            return Ok(());
        }
        let views: Vec<CollectionView> =
            self.views().into_iter().filter(|one| collections.contains(&one.name)).collect();
        let refs: Vec<&CollectionView> = views.iter().collect();
        let known: Vec<String> = fields(&refs).into_keys().map(|name| label(name, 60)).collect();
        let expected = format!("conditions on fields that there are ({})", one_of(&known));
        let got = if dropped.is_empty() { asked.to_string() } else { dropped.join("; ") };
        Err(Error::invalid("filters", expected, excerpt(&got, 200)))
    }

    /// Rejects a document that does not exist. For a model, documents that must never be sent do not exist.
    pub(super) fn check_document(
        &self,
        arguments: &Value,
        collections: &[String],
        limits: &SearchLimits,
    ) -> Result<()> {
        let unknown =
            |id: &str| Error::UnknownDocument { collection: collections.join(", "), id: excerpt(id, 80) };
        let named = document_of(arguments).filter(|named| !named.is_null());
        match (&limits.documents, named) {
            (None, Some(named)) => Err(unknown(&named.to_string())),
            // A custom searcher, or a collection elsewhere, may have documents that are unknown here.
            (Some(ids), _)
                if self.run.search_overrides.searcher.is_none()
                    && !self.run.searcher.is_elsewhere(collections) =>
            {
                ids.iter().try_for_each(|id| {
                    let found = self.run.searcher.document(collections, id, None);
                    found.filter(|(summary, _)| !summary.never_sent()).map(drop).ok_or_else(|| unknown(id))
                })
            }
            _ => Ok(()),
        }
    }

    /// Returns the collections of the run.
    pub(crate) fn views(&self) -> Vec<CollectionView> {
        let known = self.run.searcher.collections();
        match &self.context.collections {
            // An unknown collection is kept, so that the search reports it.
            Some(chosen) if !chosen.is_empty() => {
                let view = |name: &String| {
                    let unknown = || CollectionView { name: name.clone(), ..CollectionView::default() };
                    known.iter().find(|one| one.name == *name).cloned().unwrap_or_else(unknown)
                };
                chosen.iter().map(view).collect()
            }
            _ => known,
        }
    }

    /// Returns the filter of a call: the run's own, and the conditions of the call. Unusable conditions are left out and returned
    /// separately.
    pub(super) fn filters(&self, arguments: &Value, collections: &[String]) -> (Option<Value>, Vec<String>) {
        let mut all = conditions(self.context.filters.as_ref());
        let mut dropped = Vec::new();
        if let Some(asked) = asked_filters(arguments) {
            let views: Vec<CollectionView> =
                self.views().into_iter().filter(|one| collections.contains(&one.name)).collect();
            let draft = Draft::read(&json!({ "filters": asked })).unwrap_or_default();
            let (conditions, unfit) = checked(draft, &views);
            for filter in conditions.iter().map(Condition::filter) {
                if !all.contains(&filter) {
                    all.push(filter);
                }
            }
            dropped = unfit;
        }
        ((!all.is_empty()).then_some(Value::Array(all)), dropped)
    }

    /// Returns the search options of a call.
    pub(super) fn limits(&self, arguments: &Value, mode: Strategy, filters: Option<Value>) -> SearchLimits {
        let number = field(arguments, &["top_k", "topK", "limit", "k"]).and_then(crate::reply::json::number);
        let limit = number.filter(|number| *number >= 1.0).map_or(self.top_k, |number| number as usize);
        let documents = document_of(arguments).and_then(crate::reply::json::text).map(|id| vec![id]);
        SearchLimits {
            limit: limit.min(MAX_CHUNKS),
            threshold: self.context.request.threshold,
            filters,
            hops: if documents.is_some() { Hops::default() } else { self.hops },
            documents,
            mode,
            fields_of: self.run.searcher.collections().into_iter().map(|one| one.name).collect(),
        }
    }
}

/// Names of the document argument.
const DOCUMENT: [&str; 4] = ["doc_id", "docId", "document_id", "document"];

/// Names of the collection argument.
const COLLECTION: [&str; 4] = ["bucket", "buckets", "collection", "collections"];

/// Returns the document id of a call, as an argument or among its filters.
fn document_of(arguments: &Value) -> Option<&Value> {
    field(arguments, &DOCUMENT).or_else(|| field(field(arguments, &["filters", "filter"])?, &DOCUMENT))
}

/// Lists the possible names for an error message.
fn one_of(names: &[String]) -> String {
    if names.is_empty() {
        "there are none".to_owned()
    } else {
        format!("one of {}", excerpt(&names.join(", "), 400))
    }
}

/// Returns the conditions of a call without the document id, which is no metadata.
fn asked_filters(arguments: &Value) -> Option<Value> {
    match field(arguments, &["filters", "filter"])? {
        Value::Null => None,
        Value::Object(parts) => {
            let left = parts.iter().filter(|(name, _)| !DOCUMENT.contains(&name.as_str()));
            let left: serde_json::Map<String, Value> =
                left.map(|(name, value)| (name.clone(), value.clone())).collect();
            (!left.is_empty()).then_some(Value::Object(left))
        }
        other => Some(other.clone()),
    }
}

/// Maximum number of chunks, whatever a model requests.
const MAX_CHUNKS: usize = 50;
