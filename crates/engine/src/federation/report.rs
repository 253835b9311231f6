//! What became of the question in each remote collection.

use serde::Serialize;
use serde_json::{Value, json};
use vademecum_protocol::error::Error;

/// A remote collection in a search.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SourceReport {
    /// Its name.
    pub collection: String,
    /// Number of its hits that took part in the ranking.
    pub hits: usize,
    /// Number of its passages that match, if it counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<usize>,
    /// Milliseconds until it answered, or was not waited for any more.
    pub took_ms: f64,
    /// Whether the question was handed over. False where nothing leaves the device, and where it was denied.
    pub sent: bool,
    /// Where it was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Why it has no hits, if it failed, or not all of them, if it could search only a part: `{ code, message, retryable }`.
    #[cfg_attr(feature = "schema", schemars(with = "vademecum_protocol::schema::RetryableFailure"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
}

/// Returns an error as plain data.
pub(super) fn plain(error: &Error) -> Value {
    json!({ "code": error.code(), "message": error.to_string(), "retryable": error.retryable() })
}

/// Returns what a collection could not search, as plain data. Asked again, it may.
pub(super) fn missing((code, message): (String, String)) -> Value {
    json!({ "code": code, "message": message, "retryable": true })
}
