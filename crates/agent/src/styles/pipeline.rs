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
use vademecum_protocol::range::Range;
#[cfg(feature = "schema")]
use vademecum_protocol::schema as host;

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

/// Chunks of a search.
pub(super) const LIMIT: Range<usize> = Range::from("limit", 1);
/// Searches, or calls of functions, at once.
pub(super) const CONCURRENCY: Range<usize> = Range::from("concurrency", 1);
/// Bytes of a reply.
pub(super) const REPLY_BYTES: Range<usize> = Range::from("maxReplyBytes", 1);
/// Tokens of the history.
#[cfg(feature = "schema")]
const HISTORY_TOKENS: Range<usize> = Range::from("historyTokens", 1);
/// Cosines.
#[cfg(feature = "schema")]
const THRESHOLD: Range<f32> = Range::new("threshold", 0.0, 1.0);

/// A pipeline as data: it can be sent, saved and read back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PipelineOptions", description = "Options of `agent.pipeline`: what a run searches, and how it is limited.", extend("x-extends" = ["RunOptions"])))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pipeline {
    /// What is asked.
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub question: String,
    /// Turns of the conversation so far.
    #[cfg_attr(feature = "schema", schemars(with = "Option<host::History>"))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Turn>,
    /// Maximum number of tokens of `history`, by estimate: older turns are summed up.
    #[cfg_attr(feature = "schema", schemars(transform = HISTORY_TOKENS.declared()))]
    #[serde(default = "default_history_tokens")]
    pub history_tokens: usize,
    /// Maximum number of chunks that each search keeps.
    #[cfg_attr(feature = "schema", schemars(transform = LIMIT.declared()))]
    #[serde(default = "default_limit")]
    pub limit: usize,
    /// Minimum cosine of vector hits. Default: that of the embedder, if it has one.
    #[cfg_attr(feature = "schema", schemars(transform = THRESHOLD.declared()))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f32>,
    /// Condition on the metadata of documents.
    #[cfg_attr(feature = "schema", schemars(with = "Option<host::Filter>"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filters: Option<Value>,
    /// Collections to search, where the search step names none.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<host::Name>>"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collections: Option<Vec<String>>,
    /// Model that requests name.
    #[cfg_attr(feature = "schema", schemars(with = "Option<host::Name>"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How the LLMs of the run take requests for JSON. Default: found out, and remembered for each `llm` function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<Capability>,
    /// The same of the LLMs that steps are given for themselves, by the names the steps call them.
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub capabilities: BTreeMap<String, Capability>,
    /// Maximum number of searches, or calls of functions of yours, at once.
    #[cfg_attr(feature = "schema", schemars(transform = CONCURRENCY.declared()))]
    #[serde(default = "default_concurrency")]
    pub concurrency: usize,
    /// Maximum number of bytes of text and of calls that a reply of an LLM may have; a longer one fails with `llm_reply`.
    #[cfg_attr(feature = "schema", schemars(transform = REPLY_BYTES.declared()))]
    #[serde(default = "default_max_reply_bytes")]
    pub max_reply_bytes: usize,
    /// What a run may spend. A limit of a run takes precedence over the agent's.
    #[serde(default)]
    pub budget: Budget,
    /// Whether a failure of an LLM is the run's `error`. Otherwise, the step continues by a rule, and `failures` tells why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// The steps, in order; none where a style says what is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub steps: Vec<StepSpec>,
    /// The style, in the place of steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub style: Option<StyleSpec>,
    /// One node of the graph style, to be taken alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub only: Option<Box<Only>>,
    /// Tools of the caller's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub tools: Vec<UserTool>,
    /// Whether the run's LLM is known to take tools, or not to; found out where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub takes_tools: Option<bool>,
    /// Whether the state is reported after every step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub checkpoints: bool,
    /// A run that was stopped, to be gone on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
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
