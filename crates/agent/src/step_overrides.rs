//! The caller's overrides of a step: its prompt and its LLM.

use serde::{Deserialize, Serialize};
#[cfg(feature = "schema")]
use vademecum_protocol::schema as host;

/// Options of every step that asks a model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "StepOptions"))]
#[serde(rename_all = "camelCase", default)]
pub struct StepOverrides {
    /// Function that writes the prompt; of `react`, the opening of the conversation, from `question`, `tools` and `collections`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<host::PromptFunction>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Model that is asked in place of the agent's.
    #[cfg_attr(feature = "schema", schemars(with = "Option<host::Llm>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm: Option<String>,
}
