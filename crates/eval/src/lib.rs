//! How well a knowledge base finds what it should: [`measure`] asks it labelled questions, [`metrics`] says how good
//! the rankings are, [`measure_agent`] and [`answers`] do the same for the agent, [`beir`] reads labelled sets in the layout they are usually published in.
//!
//! ```
//! use vademecum::eval::metrics::{Relevance, ndcg_at, recall_at};
//!
//! let relevant = Relevance::from([("a.md".into(), 1), ("b.md".into(), 1)]);
//! assert_eq!(recall_at(&["a.md", "x.md"], &relevant, 10), 0.5);
//! assert_eq!(ndcg_at(&["b.md", "a.md"], &relevant, 10), 1.0);
//! ```

mod agent;
pub mod answers;
pub mod beir;
mod cases;
mod gold_llm;
mod measure;
pub mod metrics;
mod question;
mod trial;

pub use agent::{AgentRow, STRATEGIES, Strategy, StyleName, measure_agent};
pub use cases::{Case, CaseOptions, Draft, draft_cases, make_cases, write_cases};
pub use gold_llm::{Caller, Oracle, filled};
pub use measure::{ARMS, Arm, Row, chunks_for, measure};
pub use trial::{Cited, FoundChunk, Measured, MeasuredCase, Trial, Trials, measure_trials};

use metrics::Relevance;

/// A question of which it is known what should be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledQuery {
    /// Unique within its data set.
    pub id: String,
    /// The question.
    pub text: String,
    /// The part of the data set it belongs to: each is reported apart.
    pub set: String,
    /// The documents that should be found.
    pub relevant: Relevance,
    /// What is a right answer, if that is known.
    pub answers: Vec<String>,
    /// The questions that together answer it, if it was taken apart by hand.
    pub decomposition: Vec<GoldStep>,
}

/// One of the questions that a question was taken apart into.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
pub struct GoldStep {
    /// The question; `#1` stands for the answer of the first.
    pub question: String,
    /// Its answer.
    pub answer: String,
}
