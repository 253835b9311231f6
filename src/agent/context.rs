//! What flows through the steps, and what comes out at the end.

use super::citation::Citation;
use crate::document::Hit;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The outcome of one search of the search step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchResult {
    /// The question that was searched.
    pub question: String,
    /// The collection that was searched.
    pub collection: String,
    /// What was found, best first.
    pub chunks: Vec<Hit>,
    /// How many searches it took.
    pub iterations: usize,
}

/// An error as it stands in a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepError {
    /// The stable code.
    pub code: &'static str,
    /// The step that failed.
    pub step: &'static str,
    /// What happened and how to mend it.
    pub message: String,
    /// Whether the same run may succeed later.
    pub retryable: bool,
}

/// What the run cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Calls of the LLM callback.
    pub llm_calls: usize,
    /// Tokens of all prompts.
    pub prompt_tokens: usize,
    /// Tokens of all replies.
    pub completion_tokens: usize,
    /// Whether an endpoint left its count out, so that some tokens are estimated from the text.
    pub estimated: bool,
}

/// Why the run ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TerminatedBy {
    /// Every step ran.
    #[default]
    Completed,
    /// A step failed; `error` says which.
    Error,
    /// The caller's signal was aborted.
    Aborted,
}

/// Who wrote an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// The LLM callback.
    Llm,
    /// A rule, without an LLM.
    Rule,
}

/// The context of a run, and its result.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// What was asked.
    pub question: String,
    /// The most chunks a search keeps.
    pub limit: usize,
    /// The least cosine of a vector hit; the searcher's default where absent.
    pub threshold: Option<f32>,
    /// The collections chosen for the run, if any.
    pub collections: Option<Vec<String>>,
    /// What the search step found; absent if none ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<SearchResult>>,
    /// The answer, once there is one.
    pub answer: Option<String>,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<By>,
    /// The chunks the answer was made from: citation `[n]` names the n-th of them.
    pub context_used: Vec<Hit>,
    /// The answer's citations, in the order they stand in it.
    pub citations: Vec<Citation>,
    /// Numbers the LLM cited that name no passage. They were removed from the answer.
    pub invalid_citations: Vec<usize>,
    /// What it cost.
    pub usage: Usage,
    /// The first step that failed, and why.
    pub error: Option<StepError>,
    /// Why the run ended.
    pub terminated_by: TerminatedBy,
}

impl Context {
    /// All found chunks, each once. Where several searches ran, their first hits come first, then their second:
    /// scores of different searches cannot be compared.
    pub fn evidence(&self) -> Vec<Hit> {
        let results = self.results.as_deref().unwrap_or_default();
        let deepest = results.iter().map(|result| result.chunks.len()).max().unwrap_or(0);
        let mut seen = HashSet::new();
        (0..deepest)
            .flat_map(|place| results.iter().filter_map(move |result| result.chunks.get(place)))
            .filter(|hit| seen.insert(hit.chunk.id.as_str()))
            .cloned()
            .collect()
    }
}
