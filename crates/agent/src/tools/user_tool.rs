//! A tool of the caller's as data.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A tool of the caller's, as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UserTool {
    /// What the model calls it.
    pub name: String,
    /// When to use it.
    #[serde(default)]
    pub description: String,
    /// The JSON schema of its arguments.
    #[serde(default = "no_parameters")]
    pub parameters: Value,
    /// The name of the caller's function: `arguments → text, data or chunks`.
    pub function: String,
}

fn no_parameters() -> Value {
    json!({ "type": "object", "properties": {} })
}
