//! In which form an LLM endpoint takes a request for JSON, and how such a request is put.
//!
//! Unless the caller says, the best form is tried first and the next one whenever the endpoint refuses. One call finds out, and
//! others of the same LLM wait for it. What each LLM took is in the run's result, so that the next run need not find out again. Whatever the form, the prompt
//! asks for JSON as well, because many endpoints take a format and pay no heed to it.

use super::ports::ChatRequest;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How an endpoint takes requests for JSON, from the strictest form to the plainest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Capability {
    /// A function the model must call. Never tried unless the caller says so.
    Tools,
    /// `response_format` with a JSON schema.
    Schema,
    /// `response_format` of any JSON object.
    Json,
    /// The prompt alone.
    Text,
}

impl Capability {
    /// What is tried first.
    pub const BEST: Self = Self::Schema;

    /// What to try where this is refused.
    pub fn next(self) -> Option<Self> {
        match self {
            Self::Tools => Some(Self::Schema),
            Self::Schema => Some(Self::Json),
            Self::Json => Some(Self::Text),
            Self::Text => None,
        }
    }

    /// Asks for an object of a schema, which goes by `name`.
    pub fn ask(self, request: &mut ChatRequest, name: &str, schema: &Value) {
        (request.response_format, request.tools, request.tool_choice) = (None, None, None);
        match self {
            Self::Tools => {
                request.tools = Some(json!([
                    { "type": "function", "function": { "name": name, "parameters": schema } }
                ]));
                request.tool_choice = Some(json!({ "type": "function", "function": { "name": name } }));
            }
            Self::Schema => {
                request.response_format =
                    Some(json!({ "type": "json_schema", "json_schema": { "name": name, "schema": schema } }));
            }
            Self::Json => request.response_format = Some(json!({ "type": "json_object" })),
            Self::Text => {}
        }
    }
}

/// Whether an endpoint that answers with this status may have refused the form of the request.
pub fn refuses_form(status: u16) -> bool {
    matches!(status, 400 | 404 | 415 | 422 | 501)
}
