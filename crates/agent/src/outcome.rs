//! Outcomes of steps: what their stop events report.

use super::coverage::Relaxation;
use super::plan::{Condition, Intent};
use super::ports::Strategy;
use super::records::By;
use super::scratchpad::{Made, Pending, Verdict};
use super::step_id::StepId;
use serde::Serialize;
use serde_json::Value;

/// Outcome of a step: who did the work, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepOutcome {
    /// Who did the work.
    pub by: By,
    /// What came of it.
    #[serde(flatten)]
    pub result: StepResult,
}

/// Result of a step. Each kind of step has its own fields.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum StepResult {
    /// Of `analyze_query`.
    Analyze(Analysis),
    /// Of `answer`.
    Answer {
        /// Number of passages it is written from.
        context_chunk_count: usize,
        /// Number of passages found.
        found_chunk_count: usize,
        /// Number of citations.
        citations: usize,
        /// Citations that lead nowhere.
        invalid_citations: Vec<String>,
        /// Why the reply ends, in the endpoint's word.
        finish_reason: Option<String>,
    },
    /// Of an edge of a graph that a function chooses.
    Branch {
        /// Node it follows.
        from: StepId,
        /// Node chosen; absent for the default.
        to: Option<StepId>,
    },
    /// Of a custom step.
    Custom {
        /// Names of the fields that it changed.
        changed: Vec<String>,
    },
    /// Of `decompose` in one phase.
    Decompose {
        /// Number of questions that are searched.
        sub_question_count: usize,
        /// The questions.
        sub_questions: Vec<String>,
        /// Why, in the model's words.
        reasoning: String,
    },
    /// Of `decompose` in two phases.
    QueryPlan {
        /// Number of questions that are searched.
        sub_question_count: usize,
        /// The questions.
        sub_questions: Vec<String>,
        /// Collections to search.
        collections: Vec<String>,
        /// What is wanted.
        intent: Intent,
        /// Conditions on metadata.
        filters: Vec<Condition>,
        /// How to search.
        search_strategy: Strategy,
        /// Why, in the model's words.
        reasoning: String,
        /// Who did each phase.
        phases: [By; 2],
    },
    /// Of `execute_tools`.
    ExecuteTools {
        /// The calls made.
        calls: Vec<Made>,
        /// Number of chunks that were new.
        new_chunks: usize,
    },
    /// Of `expand`.
    Expand {
        /// The query with its synonyms.
        expanded_query: Option<String>,
        /// The synonyms.
        terms: Vec<String>,
    },
    /// Of `gate`.
    Gate {
        /// Whether no search is needed.
        skip_retrieval: bool,
        /// Why.
        reasoning: String,
    },
    /// Of `ground`.
    Ground {
        /// Number of sentences.
        sentences: usize,
        /// Number of sentences that the passages support.
        supported: usize,
        /// Number of the others.
        unsupported: usize,
        /// Whether a model corrected the answer.
        corrected: bool,
        /// Number of sentences removed.
        dropped: usize,
    },
    /// Of `plan`.
    Plan {
        /// What is wanted.
        intent: Intent,
        /// The plan.
        #[serde(flatten)]
        search: PlannedSearch,
    },
    /// Of `prune`.
    Prune {
        /// Number of passages kept.
        kept: usize,
        /// Number of passages left out.
        left_out: usize,
    },
    /// Of `reason`.
    Reason {
        /// Number of rounds.
        iterations: usize,
        /// Queries searched.
        queries: Vec<String>,
        /// Number of chunks that were new.
        added_chunks: usize,
        /// Whether the evidence was judged sufficient; absent where nothing was searched.
        #[serde(skip_serializing_if = "Option::is_none")]
        sufficient: Option<bool>,
    },
    /// Of `relax`.
    Relax {
        /// What was given up, one at a time.
        tried: Vec<Relaxation>,
        /// Number of chunks found.
        found_chunks: usize,
    },
    /// Of `rerank`.
    Rerank {
        /// Number of chunks ranked.
        ranked_count: usize,
        /// Number of chunks kept.
        kept_count: usize,
        /// Number of batches.
        batches: usize,
        /// Number of batches without a usable reply.
        failed_batches: usize,
    },
    /// Of `review` and `grade_results`.
    Review {
        /// What is to become of the evidence.
        status: Option<Verdict>,
        /// Why.
        reason: String,
        /// Calls to make next; absent where the user is asked.
        #[serde(skip_serializing_if = "Option::is_none")]
        calls: Option<Vec<Pending>>,
    },
    /// Of `rewrite`.
    Rewrite {
        /// The question in its own words.
        rewritten_question: Option<String>,
    },
    /// Of the routing phase of `investigate`.
    Route {
        /// The intent and the collections.
        #[serde(flatten)]
        routed: RoutedTo,
        /// Why, in the model's words.
        reasoning: String,
    },
    /// Of `search`.
    Search {
        /// Number of searches.
        result_count: usize,
        /// Number of chunks found.
        total_chunks: usize,
        /// Number of rounds.
        iterations: usize,
    },
    /// Of `select`.
    Select {
        /// Collections chosen.
        collections: Option<Vec<String>>,
        /// Why.
        reasoning: String,
    },
    /// Of `summarize`.
    Summarize {
        /// Number of turns left.
        turns: usize,
        /// Tokens of the history.
        tokens: usize,
    },
    /// Of `tabulate`.
    Tabulate {
        /// Number of rows.
        rows: usize,
        /// Names of the columns.
        columns: Vec<String>,
    },
    /// Of `think`.
    Think {
        /// Number of the turn.
        iteration: usize,
        /// Tools to call next.
        calls: Vec<String>,
        /// Whether it gave the answer.
        answered: bool,
    },
}

/// What `analyze_query` found of a question.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Analysis {
    /// What is wanted, in a few words.
    pub intent: String,
    /// What it is about.
    pub concepts: Vec<String>,
    /// The calls that find it.
    pub retrieval_plan: Vec<PlannedCall>,
}

/// A planned call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlannedCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub args: Value,
}

/// What a question wants, and where to look for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoutedTo {
    /// What is wanted.
    pub intent: Intent,
    /// Collections to search.
    pub collections: Vec<String>,
}

/// The search that `plan` planned.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedSearch {
    /// Collections to search.
    pub target_buckets: Vec<String>,
    /// How to search.
    pub strategy: Strategy,
    /// Queries to begin with.
    pub initial_queries: Vec<String>,
    /// Conditions on metadata.
    pub filters_hint: Vec<Value>,
    /// Maximum number of calls of tools.
    pub max_tool_calls: usize,
}

impl StepOutcome {
    /// Combines both parts.
    pub fn new(by: By, result: StepResult) -> Self {
        Self { by, result }
    }

    /// Returns the outcome as a stop event holds it.
    pub fn to_value(&self) -> Value {
        let value = serde_json::to_value(self);
        debug_assert!(value.is_ok(), "an outcome is plain data");
        value.unwrap_or_default()
    }
}
