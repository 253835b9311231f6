//! The records of a run: errors, costs, thoughts, calls, and why it ended.

use super::step_id::StepId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use vademecum_protocol::error::{Error, Thrown};

/// An error of a step in a result, as plain data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepError {
    /// The stable code; the README lists all of them.
    #[cfg_attr(feature = "schema", schemars(with = "vademecum_protocol::schema::Code"))]
    pub code: Cow<'static, str>,
    /// The step that failed; `library` where the library failed between two steps or after the last one.
    pub step: StepId,
    /// The message, which says how to fix it.
    pub message: String,
    /// Whether the same run may succeed later.
    pub retryable: bool,
    /// What the caller's function threw, if that is the cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Thrown>,
}

/// The cost of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Number of calls of LLM functions, including retries and repairs.
    pub llm_calls: usize,
    /// Tokens of all prompts.
    pub prompt_tokens: usize,
    /// Tokens of all replies.
    pub completion_tokens: usize,
    /// Whether some counts are estimated from the text, because an endpoint reported none.
    pub estimated: bool,
}

impl Usage {
    /// Adds both.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            llm_calls: self.llm_calls.saturating_add(other.llm_calls),
            prompt_tokens: self.prompt_tokens.saturating_add(other.prompt_tokens),
            completion_tokens: self.completion_tokens.saturating_add(other.completion_tokens),
            estimated: self.estimated || other.estimated,
        }
    }
}

/// Why the run ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TerminatedBy {
    /// Every step ran.
    #[default]
    Completed,
    /// Every step ran, but the budget was exhausted and some did less than they would have.
    Budget,
    /// The user must answer `clarification` first; `agent.resume(result.state, answer)` continues.
    Clarify,
    /// A step failed; see `error`.
    Error,
    /// The caller's signal was aborted.
    Aborted,
}

/// Who did it: the LLM, a rule, or a function of yours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// The LLM callback.
    Llm,
    /// A rule, without an LLM.
    Rule,
    /// A function of the caller.
    Function,
}

/// An entry of the reasoning trace: what a step decided, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Thought {
    /// The step.
    pub step: StepId,
    /// Who decided.
    pub by: By,
    /// The decision and its reason, in one sentence.
    pub text: String,
}

/// A call in the audit log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The step that called.
    pub step: StepId,
    /// `search`, `llm`, `function`, or the name of a tool that a model was given.
    pub tool: Cow<'static, str>,
    /// The arguments, shortened.
    #[cfg_attr(feature = "schema", schemars(with = "vademecum_protocol::schema::Fields"))]
    pub arguments: Value,
    /// A summary of the result; null where the call failed. Of an LLM: `{ content, usage: { promptTokens, completionTokens,
    /// estimated } }`.
    #[cfg_attr(feature = "schema", schemars(with = "vademecum_protocol::schema::FieldsOrNull"))]
    pub result: Value,
    /// Milliseconds until it ended.
    pub duration_ms: f64,
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<StepError>,
}

impl StepError {
    /// Converts an error for the result.
    pub(super) fn of(error: &Error, step: &StepId) -> Self {
        Self {
            code: error.code().into(),
            step: step.clone(),
            message: error.to_string(),
            retryable: error.retryable(),
            cause: error.cause().cloned(),
        }
    }
}
