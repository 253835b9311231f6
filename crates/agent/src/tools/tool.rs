//! What every tool is: its names, how it is called, and what comes of a call.

use crate::context::{Context, SearchResult};
use crate::coverage::conditions;
use crate::plan::{Condition, Draft, checked, fields};
use crate::ports::{CollectionView, SearchLimits, Strategy};
use crate::reply::json::field;
use crate::run::Run;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vademecum_firewall::escape::label;
use vademecum_protocol::error::{Error, Result, excerpt};

/// The tool that ends a run of the style that has it.
pub const FINAL_ANSWER: &str = "final_answer";

/// The tool that lists all documents that fulfil conditions.
pub const LIST: &str = "list_documents";

/// The tool that tells of one document what is known beside its text.
pub const METADATA: &str = "get_document_metadata";

/// The tool that finds which documents to search within.
pub const SUMMARIES: &str = "search_summaries";

/// How a tool is used in a run.
#[derive(Debug)]
pub struct Use<'a> {
    /// The run.
    pub run: &'a Run<'a>,
    /// What is known so far.
    pub context: &'a Context,
    /// The step on whose behalf it is used.
    pub step: &'a str,
    /// The most chunks it finds, unless the model says.
    pub top_k: usize,
    /// How many passages a chain may have that a search follows.
    pub hops: usize,
}

/// What came of a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// What was found, search by search; none where the tool does not search.
    pub results: Vec<SearchResult>,
    /// How many chunks or documents there are, as far as is known.
    pub total: usize,
    /// What is told beside the passages, or in their place.
    pub told: Option<Value>,
}

/// Something a model may call.
pub trait Tool {
    /// Its name.
    fn name(&self) -> &str;

    /// When to use it, in a sentence.
    fn description(&self) -> &str;

    /// The JSON schema of its arguments.
    fn parameters(&self) -> Value;

    /// Whether a call counts as a search.
    fn searches(&self) -> bool {
        true
    }

    /// Whether it is the caller's.
    fn is_own(&self) -> bool {
        false
    }

    /// Uses it. An error goes back to the model as the tool's result.
    fn call<'a>(&'a self, at: &'a Use<'a>, arguments: &'a Value) -> LocalBoxFuture<'a, Result<Outcome>>;
}

impl Use<'_> {
    /// The collections that a call searches: those it names, else those of the run, else all.
    pub(super) fn collections(&self, arguments: &Value) -> Vec<String> {
        let all = self.views();
        let named = field(arguments, &COLLECTION);
        let said = named.map(crate::reply::json::texts).unwrap_or_default();
        let is_named =
            |one: &&CollectionView| said.iter().any(|name| name.trim().eq_ignore_ascii_case(&one.name));
        let known: Vec<String> = all.iter().filter(is_named).map(|one| one.name.clone()).collect();
        if known.is_empty() { all.into_iter().map(|one| one.name).collect() } else { known }
    }

    /// The collections that a call searches; an error where it names one that the run does not have.
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

    /// Refuses conditions of a call that cannot be used, rather than to search without them.
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

    /// Refuses a document that is not there. One that is never sent is not there for a model.
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
            // A searcher of the caller's has documents that nobody else knows.
            (Some(ids), _) if self.run.parts.searcher.is_none() => ids.iter().try_for_each(|id| {
                let found = self.run.searcher.document(collections, id, None);
                found.filter(|(summary, _)| !summary.never_sent()).map(drop).ok_or_else(|| unknown(id))
            }),
            _ => Ok(()),
        }
    }

    /// The collections of the run.
    pub(crate) fn views(&self) -> Vec<CollectionView> {
        let known = self.run.searcher.collections();
        match &self.context.collections {
            // One that is not there is searched all the same, and the search says so.
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

    /// The filter of a call: what the run demands, always, and what the call asks for besides. What of it cannot be used is
    /// left out, and told.
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

    /// What a search of a call keeps to.
    pub(super) fn limits(&self, arguments: &Value, mode: Strategy, filters: Option<Value>) -> SearchLimits {
        let number = field(arguments, &["top_k", "topK", "limit", "k"]).and_then(crate::reply::json::number);
        let limit = number.filter(|number| *number >= 1.0).map_or(self.top_k, |number| number as usize);
        let documents = document_of(arguments).and_then(crate::reply::json::text).map(|id| vec![id]);
        SearchLimits {
            limit: limit.min(MOST_CHUNKS),
            threshold: self.context.request.threshold,
            filters,
            hops: if documents.is_some() { 1 } else { self.hops },
            documents,
            mode,
            fields_of: self.run.searcher.collections().into_iter().map(|one| one.name).collect(),
        }
    }
}

/// What the id of a document is called.
const DOCUMENT: [&str; 4] = ["doc_id", "docId", "document_id", "document"];

/// What a collection is called.
const COLLECTION: [&str; 4] = ["bucket", "buckets", "collection", "collections"];

/// The id of a document that a call names, by itself or among its filters.
fn document_of(arguments: &Value) -> Option<&Value> {
    field(arguments, &DOCUMENT).or_else(|| field(field(arguments, &["filters", "filter"])?, &DOCUMENT))
}

/// The names that something may have.
fn one_of(names: &[String]) -> String {
    if names.is_empty() {
        "there are none".to_owned()
    } else {
        format!("one of {}", excerpt(&names.join(", "), 400))
    }
}

/// The conditions of a call, without the id of a document, which is no metadata.
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

/// However many chunks a model asks for.
const MOST_CHUNKS: usize = 50;
