//! Records of a run: errors, costs, thoughts, calls, and why it ended.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use vademecum_protocol::error::{Error, Thrown};

/// The error of a step in a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepError {
    /// The stable code.
    pub code: Cow<'static, str>,
    /// The step that failed.
    pub step: String,
    /// What happened and how to mend it.
    pub message: String,
    /// Whether the same run may succeed later.
    pub retryable: bool,
    /// What a function of the caller's threw, where that is why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Thrown>,
}

/// What the run cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Calls of the LLM callback, retries and repairs included.
    pub llm_calls: usize,
    /// Tokens of all prompts.
    pub prompt_tokens: usize,
    /// Tokens of all replies.
    pub completion_tokens: usize,
    /// Whether an endpoint left its count out, so that some tokens are estimated from the text.
    pub estimated: bool,
}

impl Usage {
    /// What both have cost.
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
#[serde(rename_all = "lowercase")]
pub enum TerminatedBy {
    /// Every step ran.
    #[default]
    Completed,
    /// Every step ran, but the budget ran out on the way: some did with less than they would have had.
    Budget,
    /// The user is to be asked something first; `clarification` says what.
    Clarify,
    /// A step failed; `error` says which.
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
    /// A function of the user's.
    Function,
}

/// One line of the run's reasoning: what a step decided, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Thought {
    /// The step.
    pub step: String,
    /// Who decided.
    pub by: By,
    /// What was decided, and why, in a sentence.
    pub text: String,
}

/// A call in the audit log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The step that called.
    pub step: String,
    /// `search`, `llm`, `function`, or the name of a tool that a model was given.
    pub tool: Cow<'static, str>,
    /// What was asked for.
    pub arguments: Value,
    /// What came of it, in short.
    pub result: Value,
    /// How long it took.
    pub duration_ms: f64,
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<StepError>,
}

impl StepError {
    /// The error as a result holds it.
    pub(super) fn of(error: &Error, step: &str) -> Self {
        Self {
            code: error.code().into(),
            step: step.to_owned(),
            message: error.to_string(),
            retryable: error.retryable(),
            cause: error.cause().cloned(),
        }
    }
}
