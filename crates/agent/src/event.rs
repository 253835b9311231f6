//! The events of a run. Exactly one [`Event::Done`] is sent, as the last one.

use super::clarify::Clarification;
use super::records::{StepError, TerminatedBy, ToolCall, Usage};
use super::step_id::StepId;
use serde::Serialize;
use vademecum_firewall::FoundSuspicion;
use vademecum_grounding::citation::Citation;

/// An event with its time. Exactly one `done` ends every run, and no event follows it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RunEvent", extend("x-shared" = ["step"])))]
pub struct Timed<'a> {
    /// Milliseconds from the beginning of the run.
    pub at: f64,
    /// The event.
    #[serde(flatten)]
    pub event: &'a Event,
}

/// An event.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum Event {
    /// A step begins.
    Start {
        /// The step.
        step: StepId,
        /// Its input.
        #[cfg_attr(feature = "schema", schemars(with = "vademecum_protocol::schema::Metadata"))]
        metadata: serde_json::Value,
    },
    /// A step has succeeded.
    Stop {
        /// The step.
        step: StepId,
        /// The duration in milliseconds.
        duration_ms: f64,
        /// Its outcome; `by` tells whether an LLM or a rule produced it.
        #[cfg_attr(feature = "schema", schemars(with = "vademecum_protocol::schema::Metadata"))]
        metadata: serde_json::Value,
    },
    /// Something in a step has failed. With a `fallback`, the step continues that way, earlier `token` events are void, and its
    /// `stop` event follows; without one, the run ends.
    Failed {
        /// The step.
        step: StepId,
        /// Milliseconds until it failed.
        duration_ms: f64,
        /// The error.
        error: StepError,
        /// How the step continued.
        #[serde(skip_serializing_if = "Option::is_none")]
        fallback: Option<String>,
    },
    /// The answer by words alone, in a run without an LLM, while an encoder compares sentences: the `token` event that follows
    /// replaces it. Not sent where the encoder is fast.
    Draft {
        /// The step.
        step: StepId,
        /// The text, with citations.
        text: String,
    },
    /// A part of the answer while it is written.
    Token {
        /// The step.
        step: StepId,
        /// The text.
        text: String,
    },
    /// A search, or a call of an LLM or of a caller's function, has ended.
    Tool {
        /// The step.
        step: StepId,
        /// The call, as in the audit log.
        call: ToolCall,
    },
    /// A resolved citation of the finished answer.
    Citation {
        /// The step.
        step: StepId,
        /// The citation.
        citation: Citation,
    },
    /// The run ends here and needs a reply from the user to continue.
    Clarify {
        /// The step.
        step: StepId,
        /// The question.
        clarification: Clarification,
    },
    /// A checkpoint to resume the run from. Sent after every step, if requested.
    #[cfg_attr(feature = "schema", schemars(skip))]
    Checkpoint {
        /// The checkpoint as plain JSON.
        state: serde_json::Value,
    },
    /// A model is shown a passage with something suspicious in it.
    Suspicion {
        /// The step.
        step: StepId,
        /// The suspicion.
        suspicion: FoundSuspicion,
    },
    /// The run has ended. The event belongs to no step.
    Done {
        /// The reason.
        terminated_by: TerminatedBy,
        /// The cost.
        usage: Usage,
        /// The duration of the run in milliseconds.
        duration_ms: f64,
    },
}
