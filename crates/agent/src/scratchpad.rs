//! The scratchpad of a style: its chat with a model, and the pending and finished tool calls.

use super::ports::Message;
use super::step_id::StepId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use vademecum_protocol::document::Hit;

/// The progress of a style. Plain data, so that a run can be stopped and resumed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Progress {
    /// The chat in which the model calls tools.
    pub messages: Vec<Message>,
    /// The number in the fences of that chat, in hexadecimal; a resumed chat keeps it.
    pub fence: Option<String>,
    /// Pending calls.
    pub pending: Vec<Pending>,
    /// Finished calls, in order.
    pub made: Vec<Made>,
    /// Texts by models that equal sentences of documents that must never be sent, by chance or by guessing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guessed: Vec<String>,
    /// The chunks the model was shown, in order; it cites the n-th as `[n]`.
    pub shown: Vec<Hit>,
    /// How often a model, or the rule that replaces it, chose the next action.
    pub rounds: usize,
    /// How many of the calls were searches.
    pub searches: usize,
    /// The query of the last one that found something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_search: Option<String>,
    /// Whether the endpoint accepts native tools; unknown before the first reply.
    pub takes_tools: Option<bool>,
    /// The judgement of the evidence.
    pub verdict: Option<Verdict>,
    /// Whether the evidence has been pruned to the size of a prompt since the last call.
    pub pruned: bool,
    /// Whether relaxing has been tried.
    pub relaxed: bool,
    /// The analysis of the question, in styles that begin with one.
    pub analysis: Option<Value>,
    /// The caller's own filter, before conditions of the question were added.
    pub own_filters: Option<Value>,
    /// The caller's own collections, if any.
    pub own_collections: Option<Vec<String>>,
    /// Whether all matching documents are requested as rows, without a limit.
    pub export: bool,
    /// Whether a model determined the intent and the collections.
    pub routed_by_model: bool,
    /// Whether a model planned the searches, whose queries are then no sub-questions.
    pub planned_by_model: bool,
    /// Whether the user was told how many results there are and still wants an answer.
    pub accepted: bool,
    /// Whether the user has changed the conditions, so that those of the question hold no longer.
    pub changed: bool,
    /// The number of rows of the answer.
    pub rows: usize,
    /// The filter that selects those rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_of: Option<RowsOf>,
    /// The next node, if the caller's function named one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goto: Option<StepId>,
    /// Whether nothing more is to be searched.
    pub done: bool,
    /// Whether a model has read text of documents or tools. Default in a checkpoint without the field: true.
    #[serde(default = "yes")]
    pub tainted: bool,
}

/// Selects the rows of an answer: all documents of these collections that match the filters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RowsOf {
    /// The collections.
    pub collections: Vec<String>,
    /// The filters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filters: Option<Value>,
}

fn yes() -> bool {
    true
}

impl Progress {
    /// Returns the number in the chat's fences; `own`, the run's, if the chat has none.
    pub fn fence_number(&self, own: u64) -> u64 {
        self.fence.as_deref().and_then(|hex| u64::from_str_radix(hex, 16).ok()).unwrap_or(own)
    }
}

/// The judgement of the evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It suffices for an answer.
    Enough,
    /// More is needed, and calls to find it are pending.
    More,
    /// The user must be asked.
    Clarify,
}

/// A pending tool call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pending {
    /// The id in the model's message; empty if no message requested the call.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The arguments; a string if they could not be parsed as JSON.
    pub arguments: Value,
}

/// A finished tool call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Made {
    /// The tool.
    pub tool: String,
    /// The arguments as used.
    pub arguments: Value,
    /// The number of chunks found.
    pub found: usize,
    /// The number of matching chunks, if the searcher counts them.
    pub total: usize,
    /// The number of chunks that were new.
    pub new: usize,
    /// The output besides passages, or the error message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
