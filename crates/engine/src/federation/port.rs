//! The contract of a remote collection: its requests and its declaration.

use crate::search_request::Mode;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::rc::Rc;
use vademecum_protocol::error::Result;
use vademecum_protocol::range::Range;

/// Milliseconds that a search waits for a remote collection.
const DEADLINE: Range<f64> = Range::from("deadlineMs", 1.0);
/// Hits per retriever that are pooled with those of the library.
const CANDIDATES: Range<usize> = Range::new("candidates", 1, 1_000);

/// A collection that is kept elsewhere. Replies are JSON, because they are checked field by field: see [`super::reply`].
pub trait RemoteCollection {
    /// Searches. The reply is `{ hits: [{ id, text, … }], total? }`. Dropping the future ends the search.
    fn search<'a>(&'a self, request: &'a RemoteRequest) -> LocalBoxFuture<'a, Result<Value>>;

    /// Returns documents by id, as `{ documents: [{ id, text, … }] }`; `None` if the collection cannot.
    fn documents<'a>(&'a self, _ids: &'a RemoteIds) -> LocalBoxFuture<'a, Result<Option<Value>>> {
        Box::pin(std::future::ready(Ok(None)))
    }
}

/// A search of a remote collection, with what it may be told alone.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteRequest {
    /// The question; `None` if the collection is not told it.
    pub query: Option<String>,
    /// The question's unit vector; `None` without one, and if the collection is not told it.
    #[serde(skip)]
    pub vector: Option<Rc<Vec<f32>>>,
    /// The id of the embedder that made the vector, if it has one.
    pub embedder: Option<String>,
    /// Maximum number of hits.
    pub limit: usize,
    /// Condition on metadata, in the form of [`Filter::plain`](vademecum_index::filter::Filter::plain).
    pub filters: Option<Value>,
    /// The retrievers: by words if there is no vector.
    pub mode: Mode,
    /// Minimum cosine of hits by vector.
    pub threshold: f32,
    /// The ids of the documents to search in; `None` for all.
    pub documents: Option<Vec<String>>,
    /// The number of the run that asks, if one does.
    pub run: Option<u32>,
}

/// Documents that a remote collection is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RemoteIds {
    /// Their ids.
    pub ids: Vec<String>,
    /// The number of the run that asks, if one does.
    pub run: Option<u32>,
}

/// Where a question goes, and what of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Leaves {
    /// The address, for reports.
    pub url: String,
    /// Whether the collection receives the question.
    pub query: bool,
    /// Whether the collection receives the question's vector.
    pub vector: bool,
}

impl Default for Leaves {
    fn default() -> Self {
        Self { url: String::new(), query: true, vector: true }
    }
}

/// What is declared of a remote collection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RemoteOptions {
    /// What it holds, for people and for the agent.
    pub description: String,
    /// The types of its metadata fields. Without them, a filter may name any field.
    pub schema: Option<Value>,
    /// The id of the embedder that made its vectors. Without it, they are taken to be comparable.
    pub embedder: Option<String>,
    /// Where the question goes; `None` if nothing leaves the device.
    pub leaves: Option<Leaves>,
    /// Milliseconds that a search waits for it.
    pub deadline_ms: f64,
    /// Maximum number of hits that it is asked for in hybrid mode, where both rankings are fused from more hits than are returned.
    pub candidates: usize,
}

impl Default for RemoteOptions {
    fn default() -> Self {
        Self {
            description: String::new(),
            schema: None,
            embedder: None,
            leaves: Some(Leaves::default()),
            deadline_ms: 2_000.0,
            candidates: 100,
        }
    }
}

impl RemoteOptions {
    /// Checks that the numbers are within range.
    pub(super) fn check(&self) -> Result<()> {
        DEADLINE.check(self.deadline_ms)?;
        CANDIDATES.check(self.candidates)
    }
}
