//! What a run tells while it goes on. Exactly one [`Event::Done`] is sent, and nothing after it.

use super::citation::Citation;
use super::context::{StepError, TerminatedBy, Usage};
use serde::Serialize;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum Event {
    /// A step begins.
    Start {
        /// Which.
        step: &'static str,
        /// What it begins with.
        metadata: serde_json::Value,
    },
    /// A step has ended well.
    Stop {
        /// Which.
        step: &'static str,
        /// How long it took.
        duration_ms: f64,
        /// What came of it.
        metadata: serde_json::Value,
    },
    /// A step has failed; the steps behind it are skipped.
    Failed {
        /// Which.
        step: &'static str,
        /// How long it took to fail.
        duration_ms: f64,
        /// Why.
        error: StepError,
    },
    /// A piece of the answer as it is written.
    Token {
        /// The step that writes.
        step: &'static str,
        /// The text.
        text: String,
    },
    /// A citation of the finished answer, resolved and checked.
    Citation {
        /// The step that made it.
        step: &'static str,
        /// Where it leads.
        citation: Citation,
    },
    /// The end.
    Done {
        /// Why.
        terminated_by: TerminatedBy,
        /// What it cost.
        usage: Usage,
        /// How long the whole run took.
        duration_ms: f64,
    },
}
