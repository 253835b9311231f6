//! How well a knowledge base finds what it should: [`measure`] asks it labelled questions, [`metrics`] says how good
//! the rankings are, [`beir`] reads labelled sets in the layout they are usually published in.
//!
//! ```
//! use vademecum::eval::metrics::{Relevance, ndcg_at, recall_at};
//!
//! let relevant = Relevance::from([("a.md".into(), 1), ("b.md".into(), 1)]);
//! assert_eq!(recall_at(&["a.md", "x.md"], &relevant, 10), 0.5);
//! assert_eq!(ndcg_at(&["b.md", "a.md"], &relevant, 10), 1.0);
//! ```

pub mod beir;
mod measure;
pub mod metrics;

pub use measure::{ARMS, Arm, Row, chunks_for, measure};

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
}
