//! A prompt and an LLM of a step's own.

use serde::{Deserialize, Serialize};

/// What every step may be given for itself: names of functions of the caller's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Own {
    /// Writes the step's prompt from its inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The LLM it asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm: Option<String>,
}
