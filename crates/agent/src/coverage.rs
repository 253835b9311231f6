//! The coverage map: which parts of the question and which conditions the evidence covers.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vademecum_protocol::document::shown;

/// A part of the question, or a condition, and what covers it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    /// Whether it is a question or a condition.
    pub kind: Part,
    /// The question, or the condition as `field operator value`.
    pub text: String,
    /// Whether the chunks contain all, some or nothing of it.
    pub status: Status,
    /// Share of the question's terms in the chunks, or of the evidence that meets the condition, in [0, 1].
    pub share: f32,
    /// The ids of the supporting chunks, best first.
    pub chunks: Vec<String>,
    /// Words of the question in no chunk; names and numbers first.
    pub missing: Vec<String>,
}

/// The kind of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// A sub-question, or the whole question.
    SubQuestion,
    /// A condition on metadata.
    Constraint,
}

/// The degree of coverage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The chunks suffice.
    Covered,
    /// The chunks cover a part.
    Partial,
    /// Nothing covers it.
    Gap,
}

/// The name of the relaxation that drops the choice of collections.
pub const COLLECTIONS: &str = "collections";

/// Something that was dropped because nothing was found with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Relaxation {
    /// `threshold`, where the run had one; `strategy`, the choice of words or meaning alone, where it had none; `collections`,
    /// the choice of these; or the condition as `field operator value`.
    pub without: String,
    /// The field of the condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The number of chunks, or of documents for a condition, without it.
    pub found: usize,
    /// Whether the run continued without it. Conditions are never dropped without asking the user.
    pub used: bool,
}

/// Formats a condition for people.
pub fn condition_text(condition: &Value) -> String {
    let part = |name: &str| condition.get(name).map(shown).unwrap_or_default();
    match condition.get("field") {
        Some(_) => format!("{} {} {}", part("field"), part("operator"), part("value")),
        None => match condition.get("or").and_then(Value::as_array) {
            Some(either) => either.iter().map(condition_text).collect::<Vec<_>>().join(" or "),
            None => condition.to_string(),
        },
    }
}

/// Formats a condition as what a row has: `Category Transport or Rent`.
pub(crate) fn held_text(condition: &Value) -> String {
    let field = condition.get("field").and_then(Value::as_str);
    let (name, value) = match (field, condition.get("operator").and_then(Value::as_str)) {
        (Some(field), Some("=" | "in")) => (Some(field), condition.get("value")),
        (Some(_), _) => (None, None),
        // The short form `{ field: value }`.
        (None, _) => {
            let entry = condition.as_object().and_then(|parts| parts.iter().next());
            entry
                .filter(|(name, _)| !["and", "or", "not"].contains(&name.as_str()))
                .map(|(name, value)| (name.as_str(), value))
                .unzip()
        }
    };
    match (name, value) {
        (Some(name), Some(Value::Array(values))) => {
            format!("{name} {}", values.iter().map(shown).collect::<Vec<_>>().join(" or "))
        }
        (Some(name), Some(value)) if !value.is_object() => format!("{name} {}", shown(value)),
        _ => condition_text(condition),
    }
}

/// Splits a filter into its conjunctive conditions.
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
