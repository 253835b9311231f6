//! What flows through the steps, and what comes out at the end.

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
use vademecum_protocol::document::{DEFAULT_COLLECTION, Hit};
use vademecum_protocol::searcher::decimal;

/// The outcome of one search of the search step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

/// A question that was answered before, in the same conversation.
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
    /// Whether the answer is of documents that no LLM may read, so that none is shown it.
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
    /// The turn as an LLM may be shown it.
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

/// What the caller wants: the question and the limits of each search.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Request {
    /// What was asked.
    pub question: String,
    /// What was asked and answered before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Turn>,
    /// The most chunks a search keeps.
    pub limit: usize,
    /// The least cosine of a vector hit; the searcher's default where absent.
    #[serde(serialize_with = "decimal")]
    pub threshold: Option<f32>,
}

/// What steps leave for later ones and a result does not show. All of it is checkpointed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Workspace {
    /// What a style keeps between its steps.
    pub progress: Progress,
    /// The collections that they were chosen from, where a step has chosen: filters may name fields of any.
    pub candidates: Vec<String>,
    /// How to search, as that plan says.
    pub strategy: Strategy,
    /// Who searched last, where that was a function of the caller's: its name.
    pub searcher: Option<String>,
    /// How the answer cites.
    pub citation_style: CitationStyle,
}

/// What happened in a run, why it ended, and what it cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunLog {
    /// What is suspicious in the passages that models were shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suspicions: Vec<FoundSuspicion>,
    /// What was decided on the way, and why.
    pub reasoning_trace: Vec<Thought>,
    /// Every call of an LLM, a searcher or a function.
    pub tool_calls: Vec<ToolCall>,
    /// What it cost.
    pub usage: Usage,
    /// How the LLM was found to take requests for JSON; pass it on to the next run with the same one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capability: Option<Capability>,
    /// The same of the LLMs that steps were given for themselves, by the names the steps call them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub capabilities: BTreeMap<String, Capability>,
    /// Whether the model was found to take tools; absent where none were offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub takes_tools: Option<bool>,
    /// How often each step was to ask an LLM, where calls or tokens are limited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub budget_plan: Vec<PlannedCalls>,
    /// What ran out first, if anything did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_exhausted: Option<Limit>,
    /// What failed and was gone on after, by a rule or without.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<StepError>,
    /// The first step that failed, and why.
    pub error: Option<StepError>,
    /// Why the run ended.
    pub terminated_by: TerminatedBy,
}

/// The context of a run, and its result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Context {
    /// What the caller wants.
    #[serde(flatten)]
    pub request: Request,
    /// How many chunks a search finds at least, because a later step ranks them; 0 where none does. Set before each step.
    #[serde(skip)]
    pub fetch: usize,
    /// Only chunks of documents whose metadata this wants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filters: Option<Value>,
    /// Whether no search is needed.
    pub skip_retrieval: bool,
    /// The question as it would be asked by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewritten_question: Option<String>,
    /// The question with terms that mean the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expanded_query: Option<String>,
    /// The collections chosen for the run, if any.
    pub collections: Option<Vec<String>>,
    /// Why those.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection_reasoning: Option<String>,
    /// Questions that together answer it; empty where it was not taken apart.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sub_questions: Vec<String>,
    /// What the two-phase decomposition made of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Value>,
    /// What was found, search by search, follow-up queries included; absent if nothing was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<SearchResult>>,
    /// The chunks in the order a later step gave them; what was found, in turn, where absent.
    #[serde(skip_serializing_if = "Option::is_none", rename = "evidence")]
    pub ranked: Option<Vec<Hit>>,
    /// The answer, once there is one.
    pub answer: Option<String>,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<By>,
    /// The answer as it would be without the passages that are never sent, where a rule has quoted those: what an LLM is told of
    /// it in a later question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
    /// Passages of documents that are never sent which the question finds as well, in a run that may ask an LLM. They are for the
    /// user alone: no step knows of them but `answer`, where it goes by its rule.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<Hit>,
    /// The chunks the answer was made from: citation `[n]` names the n-th of them.
    pub context_used: Vec<Hit>,
    /// The answer's citations, in the order they stand in it.
    pub citations: Vec<Citation>,
    /// Citations by the LLM that name no passage. They were removed from the answer.
    pub invalid_citations: Vec<String>,
    /// What was taken out of the answer because it could carry something away.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Removed>,
    /// What supports each sentence of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounding: Option<Vec<GroundedSentence>>,
    /// Which parts of the question and which conditions are covered, by what, and which are not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub coverage: Vec<Coverage>,
    /// What was given up to find anything at all, and what that would find.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relaxations: Vec<Relaxation>,
    /// What the user is asked, where the run cannot go on without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clarification: Option<Clarification>,
    /// The answer as rows, where a list or a table is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
    /// How often a style's model, or a rule in its place, has decided what to do next.
    #[serde(skip_serializing_if = "is_none")]
    pub iterations: usize,
    /// How many of its calls of tools were searches.
    #[serde(skip_serializing_if = "is_none")]
    pub search_count: usize,
    /// What the question was found to want, and the calls that were planned for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_analysis: Option<Value>,
    /// The steps that were taken, in order.
    pub steps_taken: Vec<StepId>,
    /// What custom steps left for others.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub custom: serde_json::Map<String, Value>,
    /// What happened.
    #[serde(flatten)]
    pub log: RunLog,
    /// Whether the index is another than the one that the run began with, before it was stopped.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub index_changed: bool,
    /// What the run goes on from later, where it has not come to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// What steps leave for later ones: no part of the result, but of a checkpoint.
    #[serde(skip)]
    pub workspace: Workspace,
}

impl Context {
    /// The question, as far as it has been put into words that stand by themselves.
    pub fn asked(&self) -> &str {
        self.rewritten_question.as_deref().unwrap_or(&self.request.question)
    }

    /// The questions that the question was taken apart into; none where it was not, or where a model planned searches, whose
    /// queries are no questions.
    pub fn parts(&self) -> &[String] {
        if self.sub_questions.len() < 2 || self.workspace.progress.planned_by_model {
            &[]
        } else {
            &self.sub_questions
        }
    }

    /// What the search step is to look for: the parts of the question, or the whole. The only part of a simple question is the
    /// question itself, which may have been expanded.
    pub fn queries(&self) -> Vec<String> {
        let is_whole = matches!(self.sub_questions.as_slice(), [only] if only == self.asked());
        if !self.sub_questions.is_empty() && !is_whole {
            return self.sub_questions.clone();
        }
        vec![self.expanded_query.clone().unwrap_or_else(|| self.asked().to_owned())]
    }

    /// How often a step was taken.
    pub fn times_taken(&self, id: &StepId) -> usize {
        self.steps_taken.iter().filter(|one| *one == id).count()
    }

    /// Whether a step was taken.
    pub fn has_taken(&self, id: &StepId) -> bool {
        self.steps_taken.contains(id)
    }

    /// The collections that were searched; before any search, those that would be.
    pub fn searched(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for result in self.results.iter().flatten() {
            if !names.contains(&result.collection) {
                names.push(result.collection.clone());
            }
        }
        let chosen = || self.collections.clone().filter(|chosen| !chosen.is_empty());
        if names.is_empty() { chosen().unwrap_or_else(|| vec![DEFAULT_COLLECTION.into()]) } else { names }
    }

    /// All chunks there are to answer from, each once. Where several searches ran, and no later step has put them in
    /// order, their first hits come first, then their second: scores of different searches cannot be compared.
    pub fn evidence(&self) -> Vec<Hit> {
        if let Some(ranked) = &self.ranked {
            return ranked.clone();
        }
        interleave(self.results.iter().flatten().map(|result| result.chunks.as_slice()))
    }
}
