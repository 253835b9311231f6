//! Evaluation of retrieval and of the agent.
//!
//! ```
//! use vademecum_eval::metrics::{Relevance, ndcg_at, recall_at};
//!
//! let relevant = Relevance::from([("a.md".into(), 1), ("b.md".into(), 1)]);
//! assert_eq!(recall_at(&["a.md", "x.md"], &relevant, 10), 0.5);
//! assert_eq!(ndcg_at(&["b.md", "a.md"], &relevant, 10), 1.0);
//! ```
//!
//! **Data flow.** A set of [`LabelledQuery`] is read by [`beir`], or generated from the documents by
//! [`make_cases`]. [`measure`] asks the questions of a knowledge base, by each of several ranking methods
//! ([`ARMS`]), and averages the [`metrics`] per set; [`measure_agent`] does so for the agent
//! ([`STRATEGIES`]), and [`measure_rule`] for the rules by which text becomes terms, with [`answers`] scoring what it says. [`measure_trials`] scores runs that were made
//! elsewhere, such as on a page.
//!
//! Start reading at `metrics.rs` and `measure.rs`.

mod agent;
mod answering;
pub mod answers;
pub mod beir;
mod cases;
pub mod errors;
mod gold_llm;
mod measure;
pub mod metrics;
mod mistaken;
mod question;
mod questions;
mod rows;
mod rules;
mod trial;

pub use agent::{AgentRow, STRATEGIES, Strategy, StyleName, measure_agent};
pub use answering::{ANSWERABLE, AnswerRow, Answered, answered_by_rule, measure_answers};
pub use cases::{Case, CaseOptions, Draft, draft_cases, make_cases, write_cases};
pub use gold_llm::{Caller, Oracle, filled};
pub use measure::{ARMS, Arm, Row, chunks_for, measure, table};
pub use questions::{Asked, Judged, Tally, Verdict, ask, parse_questions, tallies};
pub use rows::{RowsRow, measure_rows};
pub use rules::{RULES, measure_rule};
pub use trial::{Cited, FoundChunk, Measured, MeasuredCase, Trial, Trials, measure_trials};

use metrics::Relevance;

/// A question with known relevant documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledQuery {
    /// Unique within its set.
    pub id: String,
    /// The question.
    pub text: String,
    /// The part of the set it belongs to, reported separately.
    pub set: String,
    /// The relevant documents with their grades.
    pub relevant: Relevance,
    /// The correct answers, if known.
    pub answers: Vec<String>,
    /// Whether the answer is the list of all relevant documents.
    pub rows: bool,
    /// The annotators' decomposition, if there is one.
    pub decomposition: Vec<GoldStep>,
}

/// A part of a decomposed question.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
pub struct GoldStep {
    /// The question; `#1` refers to the answer of the first part.
    pub question: String,
    /// Its answer.
    pub answer: String,
}
