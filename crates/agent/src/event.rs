//! What a run tells while it goes on. Exactly one [`Event::Done`] is sent, and nothing after it.

use super::clarify::Clarification;
use super::records::{StepError, TerminatedBy, ToolCall, Usage};
use serde::Serialize;
use vademecum_firewall::FoundSuspicion;
use vademecum_grounding::citation::Citation;

/// An event, and when it happened: as it is told to those who keep time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Timed<'a> {
    /// In milliseconds from the beginning of the run.
    pub at: f64,
    /// What happened.
    #[serde(flatten)]
    pub event: &'a Event,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum Event {
    /// A step begins.
    Start {
        /// Which.
        step: String,
        /// What it begins with.
        metadata: serde_json::Value,
    },
    /// A step has ended well.
    Stop {
        /// Which.
        step: String,
        /// How long it took.
        duration_ms: f64,
        /// What came of it; `by` says whether an LLM or a rule did it.
        metadata: serde_json::Value,
    },
    /// Something in a step has failed. With a `fallback` the step went on that way, and its `stop` follows; without,
    /// the steps behind it are skipped.
    Failed {
        /// Which.
        step: String,
        /// How long it took to fail.
        duration_ms: f64,
        /// Why.
        error: StepError,
        /// How the step went on.
        #[serde(skip_serializing_if = "Option::is_none")]
        fallback: Option<String>,
    },
    /// A piece of the answer as it is written.
    Token {
        /// The step that writes.
        step: String,
        /// The text.
        text: String,
    },
    /// A search, or a call of an LLM or of one of the user's functions, has ended.
    Tool {
        /// The step that called.
        step: String,
        /// What the audit log of the result holds, too.
        call: ToolCall,
    },
    /// A citation of the finished answer, resolved and checked.
    Citation {
        /// The step that made it.
        step: String,
        /// Where it leads.
        citation: Citation,
    },
    /// The user is to be asked something before the run can go on.
    Clarify {
        /// The step that asks.
        step: String,
        /// What it asks.
        clarification: Clarification,
    },
    /// What the run can be gone on with from here, in another tab or on another day. Told after every step, where wanted.
    Checkpoint {
        /// Plain JSON.
        state: serde_json::Value,
    },
    /// Something suspicious in a passage that a model is shown.
    Suspicion {
        /// The step that shows it.
        step: String,
        /// What, and where.
        suspicion: FoundSuspicion,
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
