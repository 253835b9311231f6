//! The ways in which LLM endpoints accept requests for JSON.
//!
//! Unless the caller chooses one, the strictest is tried first, and the next one whenever the endpoint refuses. One call
//! determines the capability while others of the same LLM wait for it; the result of the run contains it, so that the next run
//! can reuse it. The prompt always asks for JSON too, because many endpoints accept a format and ignore it.

use super::ports::ChatRequest;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How an endpoint takes requests for JSON, from the strictest form to the plainest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Capability {
    /// A function that the model must call. Used only if the caller chooses it.
    Tools,
    /// `response_format` with a JSON schema.
    Schema,
    /// `response_format` with any JSON object.
    Json,
    /// Only the prompt.
    Text,
}

impl Capability {
    /// The first one to try.
    pub const BEST: Self = Self::Schema;

    /// Returns the one to try if this one is refused.
    pub fn next(self) -> Option<Self> {
        match self {
            Self::Tools => Some(Self::Schema),
            Self::Schema => Some(Self::Json),
            Self::Json => Some(Self::Text),
            Self::Text => None,
        }
    }

    /// Sets up a request for an object that matches a schema called `name`.
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

/// Returns whether an endpoint with this status may have refused the form of the request.
pub fn refuses_form(status: u16) -> bool {
    matches!(status, 400 | 404 | 415 | 422 | 501)
}
