//! Measures the agent on labelled questions: retrieval, answers and costs.

use super::answers::{exact_match, f1};
use super::metrics::{all_support_at, distinct, ndcg_at, recall_at};
use super::mistaken::mistaken;
use super::{Caller, LabelledQuery, Oracle};
use serde::Serialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use vademecum_agent::context::Context;
use vademecum_agent::ports::{Llm, NoFunctions, NoLlm, NoObserver};
use vademecum_agent::styles::pipeline::{Pipeline, Ports};
use vademecum_engine::KnowledgeBase;
use vademecum_grounding::citation::without_citations;
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::document::Span;
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::platform::Platform;

/// Number of chunks per search. Documents are ranked by their best chunk.
const CHUNKS: usize = 20;

/// A way of answering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// A single search.
    SingleShot,
    /// Decomposition by rule.
    Decompose,
    /// Multi-hop search by rule (the step `reason`).
    Reason,
    /// The annotators' decomposition, whose later parts contain the answers of earlier ones.
    Oracle,
    /// The annotators' decomposition, with two hops per part.
    OracleHops,
    /// A looping style, driven by a model that only searches for the question and then answers.
    Caller(StyleName),
    /// A looping style, driven by the oracle, with a search per part.
    OracleStyle(StyleName),
    /// `react`, driven by the caller, which answers with a wrong name or number of the supporting passages.
    MistakenCaller,
    /// The same, driven by the oracle.
    MistakenOracle,
}

/// A looping style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StyleName {
    /// Tool calls in a conversation.
    React,
    /// Plan, review, search.
    Investigate,
    /// Analyse, execute, grade.
    Graph,
}

/// All strategies.
pub const STRATEGIES: [Strategy; 13] = [
    Strategy::SingleShot,
    Strategy::Decompose,
    Strategy::Reason,
    Strategy::Caller(StyleName::React),
    Strategy::Caller(StyleName::Investigate),
    Strategy::Caller(StyleName::Graph),
    Strategy::MistakenCaller,
    Strategy::Oracle,
    Strategy::OracleHops,
    Strategy::OracleStyle(StyleName::React),
    Strategy::OracleStyle(StyleName::Investigate),
    Strategy::OracleStyle(StyleName::Graph),
    Strategy::MistakenOracle,
];

/// Maximum number of iterations of a style: the number of parts of the longest question, plus one.
const MAX_ROUNDS: usize = 5;

impl StyleName {
    /// Returns the style's configuration, with `hops` per search.
    fn spec(self, hops: usize) -> Value {
        let tokens = 100_000;
        match self {
            Self::React => {
                json!({ "name": "react", "maxIterations": MAX_ROUNDS, "topK": CHUNKS, "hops": hops })
            }
            Self::Investigate => json!({
                "name": "investigate", "maxToolCalls": MAX_ROUNDS, "topK": CHUNKS, "hops": hops, "maxQueries": 8,
                "maxTokens": tokens, "clarify": false,
            }),
            Self::Graph => json!({
                "name": "graph", "maxIterations": MAX_ROUNDS, "maxCalls": 8, "topK": CHUNKS, "hops": hops, "maxTokens": tokens,
            }),
        }
    }

    /// Returns the maximum number of LLM calls of the style, whatever the model does.
    pub fn most_calls(self) -> usize {
        match self {
            // One more if the endpoint turns out not to support tools, and one to write the answer.
            Self::React => MAX_ROUNDS + 2,
            // Decompose, plan, a review before and after every call, compose.
            Self::Investigate => 2 + MAX_ROUNDS + 1 + 1,
            // Analyse, a grade per round, synthesise.
            Self::Graph => 1 + MAX_ROUNDS + 1,
        }
    }
}

impl Strategy {
    /// Returns the name used in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::SingleShot => "single shot",
            Self::Decompose => "decompose, by rule",
            Self::Reason => "reason, by rule",
            Self::Oracle => "decompose, by the oracle",
            Self::OracleHops => "decompose, by the oracle; two hops",
            Self::Caller(StyleName::React) => "react, by a plain caller",
            Self::Caller(StyleName::Investigate) => "investigate, by a plain caller",
            Self::Caller(StyleName::Graph) => "graph, by a plain caller",
            Self::MistakenCaller => "react, by a mistaken caller",
            Self::MistakenOracle => "react, by a mistaken oracle",
            Self::OracleStyle(StyleName::React) => "react, by the oracle",
            Self::OracleStyle(StyleName::Investigate) => "investigate, by the oracle",
            Self::OracleStyle(StyleName::Graph) => "graph, by the oracle",
        }
    }

    /// Returns whether the strategy can answer a question: the oracle needs its decomposition.
    fn knows(self, query: &LabelledQuery) -> bool {
        !matches!(self, Self::Oracle | Self::OracleHops | Self::OracleStyle(_) | Self::MistakenOracle)
            || !query.decomposition.is_empty()
    }

    /// Returns the style, if it is one.
    pub fn style(self) -> Option<StyleName> {
        match self {
            Self::Caller(style) | Self::OracleStyle(style) => Some(style),
            Self::MistakenCaller | Self::MistakenOracle => Some(StyleName::React),
            _ => None,
        }
    }

    /// Returns the pipeline's configuration.
    fn spec(self) -> Value {
        let all = json!({ "step": "answer", "maxTokens": 100_000 });
        let steps = match self {
            Self::SingleShot => json!([{ "step": "search" }, { "step": "answer" }]),
            Self::Decompose | Self::Oracle => {
                json!([{ "step": "decompose", "max": 8 }, { "step": "search" }, all])
            }
            Self::OracleHops => {
                json!([{ "step": "decompose", "max": 8 }, { "step": "search", "hops": 2 }, all])
            }
            Self::Reason => json!([{ "step": "search" }, { "step": "reason" }, { "step": "answer" }]),
            Self::Caller(style) => return json!({ "style": style.spec(2) }),
            Self::MistakenCaller => return json!({ "style": StyleName::React.spec(2) }),
            Self::MistakenOracle => return json!({ "style": StyleName::React.spec(1) }),
            Self::OracleStyle(style) => return json!({ "style": style.spec(1) }),
        };
        json!({ "steps": steps })
    }
}

/// Means over the questions of a set.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentRow {
    /// Name of the set.
    pub set: String,
    /// Name of the strategy.
    pub strategy: &'static str,
    /// Number of questions.
    pub queries: usize,
    /// Recall@10, of documents.
    pub recall_10: f64,
    /// Share of questions with all relevant documents among the first 10.
    pub all_support_10: f64,
    /// nDCG@10.
    pub ndcg_10: f64,
    /// Share of answers that match exactly.
    pub exact_match: f64,
    /// Token F1 of the answers.
    pub f1: f64,
    /// LLM calls per question.
    pub llm_calls: f64,
    /// Prompt tokens per question.
    pub prompt_tokens: f64,
    /// Completion tokens per question.
    pub completion_tokens: f64,
    /// Milliseconds per question.
    pub took_ms: f64,
}

/// Asks every question that `strategy` can answer. Returns one row per set, ordered by name.
///
/// # Errors
/// The error that ended a run.
pub async fn measure_agent(
    kb: &KnowledgeBase,
    queries: &[LabelledQuery],
    strategy: Strategy,
    threshold: f32,
    platform: &dyn Platform,
) -> Result<Vec<AgentRow>> {
    let mut rows: BTreeMap<&str, AgentRow> = BTreeMap::new();
    for query in queries.iter().filter(|query| strategy.knows(query)) {
        let set = &query.set;
        let query = match strategy {
            Strategy::MistakenCaller | Strategy::MistakenOracle => mistaken(kb, query)?.map(Cow::Owned),
            _ => Some(Cow::Borrowed(query)),
        };
        let Some(query) = query.as_deref() else { continue };
        let started = platform.now();
        let context = ask(kb, query, strategy, threshold, platform).await?;
        let took_ms = platform.now() - started;
        let evidence = context.evidence();
        let ranking = distinct(evidence.iter().map(|hit| hit.chunk.doc_id.as_str()));
        // Compare the answer's text only.
        let cited: Vec<Span> = context.citations.iter().map(|citation| citation.at).collect();
        let answer = without_citations(&context.answer.unwrap_or_default(), &cited);
        let row = rows.entry(set).or_default();
        row.queries += 1;
        row.recall_10 += recall_at(&ranking, &query.relevant, 10);
        row.all_support_10 += all_support_at(&ranking, &query.relevant, 10);
        row.ndcg_10 += ndcg_at(&ranking, &query.relevant, 10);
        row.exact_match += f64::from(u8::from(exact_match(&answer, &query.answers)));
        row.f1 += f1(&answer, &query.answers);
        row.llm_calls += context.log.usage.llm_calls as f64;
        row.prompt_tokens += context.log.usage.prompt_tokens as f64;
        row.completion_tokens += context.log.usage.completion_tokens as f64;
        row.took_ms += took_ms;
    }
    Ok(rows.into_iter().map(|(set, sums)| sums.mean(set, strategy.name())).collect())
}

async fn ask(
    kb: &KnowledgeBase,
    query: &LabelledQuery,
    strategy: Strategy,
    threshold: f32,
    platform: &dyn Platform,
) -> Result<Context> {
    let mut pipeline = json!({ "question": query.text, "limit": CHUNKS, "threshold": threshold });
    if let (Value::Object(whole), Value::Object(what)) = (&mut pipeline, strategy.spec()) {
        whole.extend(what);
    }
    let pipeline: Pipeline = serde_json::from_value(pipeline)
        .map_err(|error| Error::invalid("steps", "a pipeline", error.to_string()))?;
    let (oracle, caller) = (Oracle(query), Caller(query));
    let llm: &dyn Llm = match strategy {
        Strategy::Oracle | Strategy::OracleHops | Strategy::OracleStyle(_) | Strategy::MistakenOracle => {
            &oracle
        }
        Strategy::Caller(_) | Strategy::MistakenCaller => &caller,
        _ => &NoLlm,
    };
    let ports = Ports {
        llm,
        searcher: kb,
        functions: &NoFunctions,
        observer: &NoObserver,
        platform,
        cancel: Cancel::default(),
    };
    let context = pipeline.run(ports).await;
    let most = strategy.style().map_or(usize::MAX, StyleName::most_calls);
    if context.log.usage.llm_calls > most {
        let reason = format!("{}: {} calls, of at most {most}", query.id, context.log.usage.llm_calls);
        return Err(Error::LlmFailed { reason });
    }
    match &context.log.error {
        Some(error) => Err(Error::LlmFailed { reason: format!("{}: {}", query.id, error.message) }),
        None => Ok(context),
    }
}

impl AgentRow {
    fn mean(self, set: &str, strategy: &'static str) -> Self {
        let share = 1.0 / self.queries.max(1) as f64;
        Self {
            set: set.to_owned(),
            strategy,
            queries: self.queries,
            recall_10: self.recall_10 * share,
            all_support_10: self.all_support_10 * share,
            ndcg_10: self.ndcg_10 * share,
            exact_match: self.exact_match * share,
            f1: self.f1 * share,
            llm_calls: self.llm_calls * share,
            prompt_tokens: self.prompt_tokens * share,
            completion_tokens: self.completion_tokens * share,
            took_ms: self.took_ms * share,
        }
    }
}
