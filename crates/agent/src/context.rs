//! The data that flows through the steps and becomes the result.

pub use super::records::{By, StepError, TerminatedBy, Thought, ToolCall, Usage};

use super::budget::Limit;
use super::budget_plan::PlannedCalls;
use super::capability::Capability;
use super::clarify::Clarification;
use super::coverage::{Coverage, Relaxation};
use super::evidence::interleave;
use super::ports::Strategy;
use super::scratchpad::Progress;
use super::step_id::StepId;
use super::table::Output;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use vademecum_firewall::{FoundSuspicion, Removed};
use vademecum_grounding::citation::{Citation, CitationStyle};
use vademecum_grounding::grounding::GroundedSentence;
use vademecum_grounding::questions::Questions;
use vademecum_protocol::document::{DEFAULT_COLLECTION, Hit, Span};
use vademecum_protocol::searcher::decimal;

/// The result of one search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchResult {
    /// The query.
    pub question: String,
    /// The collection, or several separated by commas.
    pub collection: String,
    /// The hits, best first.
    pub chunks: Vec<Hit>,
    /// The number of searches it took.
    pub iterations: usize,
}

/// The sentence of the passages that comes nearest to a question which they do not seem to answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NearestSentence {
    /// Index of its passage into `contextUsed`, from 1.
    pub number: usize,
    /// Its position in the document's text, in UTF-16 code units.
    pub span: Span,
}

/// An earlier question and answer of the conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// What was asked.
    #[cfg_attr(feature = "schema", schemars(with = "vademecum_protocol::schema::TurnQuestion"))]
    pub question: String,
    /// What was answered. Default: nothing.
    #[serde(default)]
    pub answer: String,
    /// Whether the answer quotes documents that must never be sent, so that no LLM sees it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withheld: bool,
    /// What an LLM is shown as the answer, where the answer is withheld: a result's `told`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
    /// Who answered: a result's `answeredBy`. A model may be shown what it has written itself.
    #[serde(default, rename = "answeredBy", skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<By>,
    /// Whether this sums up the turns before it: then `question` is empty, and `answer` is the summary.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub summary: bool,
}

impl Turn {
    /// Returns the turn as an LLM may see it.
    pub fn sendable(&self) -> Self {
        match (self.withheld, &self.told) {
            (false, _) => Self { told: None, ..self.clone() },
            (true, Some(told)) => Self { answer: told.clone(), withheld: false, told: None, ..self.clone() },
            (true, None) => Self { answer: String::new(), ..self.clone() },
        }
    }
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// The caller's request: the question and the limits of each search.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Request {
    /// The question.
    pub question: String,
    /// The earlier turns of the conversation, within `historyTokens`: pass them on with the next question.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Turn>"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Turn>,
    /// Maximum number of chunks that a search keeps.
    pub limit: usize,
    /// Minimum cosine of a vector hit; null where the run has none.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f32>"))]
    #[serde(serialize_with = "decimal")]
    pub threshold: Option<f32>,
}

/// Data that steps pass on and the result omits. All of it is in the checkpoint, except what follows from the library.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Workspace {
    /// The state of the style.
    pub progress: Progress,
    /// The collections from which a step has chosen; filters may name fields of any of them.
    pub candidates: Vec<String>,
    /// The names of the collections with documents, if `default` has none: they are searched if none are given or chosen.
    pub scope: Vec<String>,
    /// The search mode of the plan.
    pub strategy: Strategy,
    /// The name of the caller's function that searched last, if one did.
    pub searcher: Option<String>,
    /// The citation format of the answer.
    pub citation_style: CitationStyle,
}

impl Workspace {
    /// Returns the collections that are searched if none are given or chosen.
    pub fn scope(&self) -> Vec<String> {
        if self.scope.is_empty() { vec![DEFAULT_COLLECTION.into()] } else { self.scope.clone() }
    }
}

/// The log of a run: what happened, why it ended, and what it cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct RunLog {
    /// Suspicious texts in the passages that models were shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suspicions: Vec<FoundSuspicion>,
    /// Decisions with their reasons.
    pub reasoning_trace: Vec<Thought>,
    /// Every call of an LLM, a searcher or a function.
    pub tool_calls: Vec<ToolCall>,
    /// The cost.
    pub usage: Usage,
    /// The form of JSON requests that the agent's LLM was found to accept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capability: Option<Capability>,
    /// The forms that LLMs of single steps were found to accept, by the steps' names in the pipeline's data; a function that
    /// several steps have goes by the first.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub capabilities: BTreeMap<String, Capability>,
    /// Whether the LLM was found to accept tools; absent if none were offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub takes_tools: Option<bool>,
    /// How many LLM calls each step wanted, and how many were planned before the run began; absent if neither calls nor tokens
    /// are limited. Of a looping style, `rerank` is what ranking its searches by an LLM asks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub budget_plan: Vec<PlannedCalls>,
    /// The limit that was exhausted first, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_exhausted: Option<Limit>,
    /// Failures that did not end the run: of the LLM in the answer step, for one, whose answer is then quoted. With the code
    /// `llm_cut_off`, an answer that ends too early; with `never_sent` and `send_denied`, a step that worked without the LLM;
    /// with `tool_denied`, a tool that was not run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<StepError>,
    /// The error that ended the run.
    pub error: Option<StepError>,
    /// Why the run ended.
    pub terminated_by: TerminatedBy,
}

/// The context of a run, which becomes its result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Context {
    /// The caller's request.
    #[serde(flatten)]
    pub request: Request,
    /// Minimum number of chunks a search should find, because a later step ranks them; 0 for no minimum. Set before each step.
    #[serde(skip)]
    pub fetch: usize,
    /// Restricts searches to documents whose metadata match this filter.
    #[cfg_attr(feature = "schema", schemars(with = "vademecum_protocol::schema::Filter"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filters: Option<Value>,
    /// Whether no search is needed.
    pub skip_retrieval: bool,
    /// The question rewritten to be understood without the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewritten_question: Option<String>,
    /// The question with synonyms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expanded_query: Option<String>,
    /// The collections chosen for the run, if any.
    pub collections: Option<Vec<String>>,
    /// The reason for the choice of collections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection_reasoning: Option<String>,
    /// The sub-questions: the question alone where it is simple; absent if it was not decomposed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sub_questions: Vec<String>,
    /// The query plan, after decomposition in two phases.
    #[cfg_attr(feature = "schema", schemars(with = "vademecum_protocol::schema::Fields"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Value>,
    /// The results of all searches, including follow-up queries; absent if nothing was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<SearchResult>>,
    /// The chunks in the order given by a later step; if absent, the order is that of `results`.
    #[serde(skip_serializing_if = "Option::is_none", rename = "evidence")]
    pub ranked: Option<Vec<Hit>>,
    /// The answer; null where there is none.
    pub answer: Option<String>,
    /// Whether no answer is given because the library does not say; `contextUsed` then has the nearest passages.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub abstained: bool,
    /// Why, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The sentence that comes nearest, if no answer is given and one is near: it may answer all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<NearestSentence>,
    /// The question with the words that no document contains replaced by similar ones of the documents, if no answer is given and
    /// there are such words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<String>,
    /// Estimated probability that the passages found answer the question, in [0, 1]; absent if nothing was searched or rows of
    /// documents answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f32>,
    /// What a model wrote, if no passage supports it and the run abstained instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
    /// Who wrote the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<By>,
    /// What an LLM is told in later questions in place of the answer: the answer without passages that must never be sent, if a
    /// rule has quoted such passages, or that the library does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
    /// Matching passages of documents that must never be sent, in a run that may call an LLM. For the user only: no step sees
    /// them except `answer` when it quotes by rule.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<Hit>,
    /// The chunks the answer is based on; citation `[n]` refers to the n-th.
    pub context_used: Vec<Hit>,
    /// The citations of the answer, in order.
    pub citations: Vec<Citation>,
    /// Citations that name no passage; they were removed from the answer.
    pub invalid_citations: Vec<String>,
    /// What the firewall removed from the answer: tags, images, and addresses that the evidence does not contain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Removed>,
    /// The support of each sentence of the answer, after `ground`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounding: Option<Vec<GroundedSentence>>,
    /// Which parts of the question and which conditions the evidence covers; absent if nothing was searched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub coverage: Vec<Coverage>,
    /// What was dropped to find anything, and what that would find.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relaxations: Vec<Relaxation>,
    /// The question to the user without whose answer the run cannot continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clarification: Option<Clarification>,
    /// The answer as rows, if a list, a table, a count or a sum is requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
    /// How often a model, or the rule that replaces it, chose the next action.
    #[serde(skip_serializing_if = "is_none")]
    pub iterations: usize,
    /// How many of its tool calls were searches.
    #[serde(skip_serializing_if = "is_none")]
    pub search_count: usize,
    /// The analysis of the question, and the calls planned for it.
    #[cfg_attr(feature = "schema", schemars(with = "vademecum_protocol::schema::Fields"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_analysis: Option<Value>,
    /// The steps taken, in order.
    pub steps_taken: Vec<StepId>,
    /// Data that steps of yours left for others.
    #[cfg_attr(feature = "schema", schemars(with = "vademecum_protocol::schema::Fields"))]
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub custom: serde_json::Map<String, Value>,
    /// The log.
    #[serde(flatten)]
    pub log: RunLog,
    /// Whether the library has changed since the run was stopped, in a run that was resumed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub index_changed: bool,
    /// The checkpoint to resume from, if the run did not complete.
    #[cfg_attr(feature = "schema", schemars(with = "vademecum_protocol::schema::Fields"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// Data between steps: part of a checkpoint, but not of the result.
    #[serde(skip)]
    pub workspace: Workspace,
}

impl Context {
    /// Returns the rewritten question if there is one, else the question.
    pub fn asked(&self) -> &str {
        self.rewritten_question.as_deref().unwrap_or(&self.request.question)
    }

    /// Returns the sub-questions; empty if there are none or if a model planned searches, whose queries are no questions.
    pub fn parts(&self) -> &[String] {
        if self.sub_questions.len() < 2 || self.workspace.progress.planned_by_model {
            &[]
        } else {
            &self.sub_questions
        }
    }

    /// Returns what an answer may be to.
    pub(crate) fn questions(&self) -> Questions<'_> {
        let asked = std::iter::once(self.asked()).chain(self.parts().iter().map(String::as_str)).collect();
        Questions { asked, searched: self.workspace.progress.last_search.as_deref() }
    }

    /// Returns the queries of the search step: the sub-questions or the whole question. If the only sub-question is the question
    /// itself, its expansion is used.
    pub fn queries(&self) -> Vec<String> {
        let is_whole = matches!(self.sub_questions.as_slice(), [only] if only == self.asked());
        if !self.sub_questions.is_empty() && !is_whole {
            return self.sub_questions.clone();
        }
        vec![self.expanded_query.clone().unwrap_or_else(|| self.asked().to_owned())]
    }

    /// Returns how often a step was taken.
    pub fn times_taken(&self, id: &StepId) -> usize {
        self.steps_taken.iter().filter(|one| *one == id).count()
    }

    /// Returns whether a step was taken.
    pub fn has_taken(&self, id: &StepId) -> bool {
        self.steps_taken.contains(id)
    }

    /// Returns the collections that were searched, or before any search those that would be.
    pub fn searched(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for result in self.results.iter().flatten() {
            if !names.contains(&result.collection) {
                names.push(result.collection.clone());
            }
        }
        let chosen = || self.collections.clone().filter(|chosen| !chosen.is_empty());
        if names.is_empty() { chosen().unwrap_or_else(|| self.workspace.scope()) } else { names }
    }

    /// Returns all chunks found, each once. Several unranked searches are interleaved, because their scores are not comparable.
    pub fn evidence(&self) -> Vec<Hit> {
        if let Some(ranked) = &self.ranked {
            return ranked.clone();
        }
        interleave(self.results.iter().flatten().map(|result| result.chunks.as_slice()))
    }
}
