//! The pipeline: the author's steps, in the author's order.

use super::StyleSpec;
use super::nodes::Only;
use crate::budget::Budget;
use crate::capability::Capability;
use crate::context::Turn;
use crate::history::DEFAULT_TOKENS;
use crate::ports::{Functions, Llm, Observer, Searcher};
use crate::reply::MOST_BYTES;
use crate::run::Step;
use crate::steps::{
    Answer, Custom, Decompose, Expand, Gate, Ground, Reason, Rerank, Rewrite, Search, Select,
};
use crate::tools::UserTool;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::platform::Platform;

/// One step as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "lowercase")]
pub enum StepSpec {
    /// Decides whether to search.
    Gate(Gate),
    /// Makes the question stand by itself.
    Rewrite(Rewrite),
    /// Chooses collections.
    #[serde(alias = "route")]
    Select(Select),
    /// Adds related terms.
    Expand(Expand),
    /// Takes the question apart.
    Decompose(Decompose),
    /// Finds chunks.
    Search(Search),
    /// Ranks what was found and keeps the best.
    Rerank(Rerank),
    /// Looks for what is still missing.
    Reason(Reason),
    /// Writes the answer.
    Answer(Answer),
    /// Traces the answer's sentences to what supports them.
    Ground(Ground),
    /// A function of the caller's.
    Custom(Custom),
}

impl StepSpec {
    /// The step.
    pub(super) fn step(&self) -> &dyn Step {
        match self {
            Self::Gate(gate) => gate,
            Self::Rewrite(rewrite) => rewrite,
            Self::Select(select) => select,
            Self::Expand(expand) => expand,
            Self::Decompose(decompose) => decompose,
            Self::Search(search) => search,
            Self::Rerank(rerank) => rerank,
            Self::Reason(reason) => reason,
            Self::Answer(answer) => answer,
            Self::Ground(ground) => ground,
            Self::Custom(custom) => custom,
        }
    }
}

/// A pipeline as data: it can be sent, saved and read back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pipeline {
    /// What is asked.
    pub question: String,
    /// What was asked and answered before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Turn>,
    /// The tokens that the history may have; what is over is summed up.
    #[serde(default = "default_history_tokens")]
    pub history_tokens: usize,
    /// The most chunks each search keeps.
    #[serde(default = "default_limit")]
    pub limit: usize,
    /// The least cosine of a vector hit; the embedder's default where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f32>,
    /// Only chunks of documents whose metadata this wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filters: Option<Value>,
    /// The collections to search where the search step names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collections: Option<Vec<String>>,
    /// The model named in requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How the run's LLM takes requests for JSON; found out where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<Capability>,
    /// The same of the LLMs that steps are given for themselves, by the names the steps call them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub capabilities: BTreeMap<String, Capability>,
    /// How many searches, or calls of functions, go on at once.
    #[serde(default = "default_concurrency")]
    pub concurrency: usize,
    /// The most bytes of text and of calls that a reply of an LLM may have.
    #[serde(default = "default_max_reply_bytes")]
    pub max_reply_bytes: usize,
    /// What the run may spend.
    #[serde(default)]
    pub budget: Budget,
    /// Whether an LLM that fails ends the run, where a rule would go on without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// The steps, in order; none where a style says what is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepSpec>,
    /// The style, in the place of steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<StyleSpec>,
    /// One node of the graph style, to be taken alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Box<Only>>,
    /// Tools of the caller's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<UserTool>,
    /// Whether the run's LLM is known to take tools, or not to; found out where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub takes_tools: Option<bool>,
    /// Whether the state is told after every step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub checkpoints: bool,
    /// A run that was stopped, to be gone on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<Box<Resume>>,
}

/// What a stopped run is gone on with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Resume {
    /// What the result of that run, or its last checkpoint, held.
    pub state: Value,
    /// What the user answers to its clarification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

fn default_history_tokens() -> usize {
    DEFAULT_TOKENS
}

fn default_limit() -> usize {
    5
}

fn default_max_reply_bytes() -> usize {
    MOST_BYTES
}

fn default_concurrency() -> usize {
    4
}

/// What a pipeline runs on.
pub struct Ports<'a> {
    /// The models, if there are any.
    pub llm: &'a dyn Llm,
    /// Finds chunks.
    pub searcher: &'a dyn Searcher,
    /// The caller's own parts.
    pub functions: &'a dyn Functions,
    /// Is told of events.
    pub observer: &'a dyn Observer,
    /// The clock.
    pub platform: &'a dyn Platform,
    /// Ends the run early.
    pub cancel: Cancel,
}

impl std::fmt::Debug for Ports<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Ports").finish_non_exhaustive()
    }
}
