//! Which parts of a question the evidence covers, and which conditions: the map of what an answer stands on.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A part of the question, and what covers it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    /// Whether it is a question or a condition on metadata.
    pub kind: Part,
    /// The question, or the condition as `field operator value`.
    pub text: String,
    /// Whether it is covered.
    pub status: Status,
    /// The share of the question's terms that the chunks hold; of a condition, of the evidence that fulfils it.
    pub share: f32,
    /// The ids of the chunks, best first.
    pub chunks: Vec<String>,
    /// Words of the question that no chunk holds: names and numbers first.
    pub missing: Vec<String>,
}

/// What is covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// A question that the whole was taken apart into, or the whole.
    SubQuestion,
    /// What documents must fulfil.
    Constraint,
}

/// How well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The chunks are enough.
    Covered,
    /// They hold some of it.
    Partial,
    /// There is nothing.
    Gap,
}

/// What a relaxation that gives up the choice of collections is called.
pub const COLLECTIONS: &str = "collections";

/// Something that was given up, because nothing was found with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Relaxation {
    /// `threshold`, `collections`, or the condition as `field operator value`.
    pub without: String,
    /// The metadata field of the condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// How many chunks, or documents for a condition, there are without it.
    pub found: usize,
    /// Whether the run has gone on without it. What the user demands is never given up unasked.
    pub used: bool,
}

/// A condition as a person reads it.
pub fn condition_text(condition: &Value) -> String {
    let part = |name: &str| condition.get(name).map(vademecum_protocol::document::shown).unwrap_or_default();
    match condition.get("field") {
        Some(_) => format!("{} {} {}", part("field"), part("operator"), part("value")),
        None => match condition.get("or").and_then(Value::as_array) {
            Some(either) => either.iter().map(condition_text).collect::<Vec<_>>().join(" or "),
            None => condition.to_string(),
        },
    }
}

/// Conditions of a filter that all hold, each by itself.
pub fn conditions(filters: Option<&Value>) -> Vec<Value> {
    match filters {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(parts)) => parts.iter().flat_map(|part| conditions(Some(part))).collect(),
        Some(Value::Object(parts)) if parts.contains_key("field") => vec![Value::Object(parts.clone())],
        Some(Value::Object(parts)) if parts.len() > 1 => {
            parts.iter().map(|(name, value)| [(name.clone(), value.clone())].into_iter().collect()).collect()
        }
        Some(other) => vec![other.clone()],
    }
}
