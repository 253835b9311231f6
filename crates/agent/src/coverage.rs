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

/// Formats a condition for a sentence, an equality without its operator: `Category Transport or Rent`.
pub(crate) fn held_text(condition: &Value) -> String {
    if let Some(field) = condition.get("field").and_then(Value::as_str) {
        let operator = condition.get("operator").and_then(Value::as_str).unwrap_or("=");
        return told(field, operator, condition.get("value").unwrap_or(&Value::Null));
    }
    let Some(parts) = condition.as_object() else { return condition_text(condition) };
    let each: Vec<String> = parts.iter().map(|(name, value)| short_text(name, value)).collect();
    each.join(" and ")
}

/// Formats an entry of a condition in its short form, such as `{ "total": { ">": 1000 } }`.
fn short_text(name: &str, value: &Value) -> String {
    let joined = |word: &str| match value {
        Value::Array(all) => all.iter().map(held_text).collect::<Vec<_>>().join(word),
        one => held_text(one),
    };
    match (name, value) {
        ("or", _) => joined(" or "),
        ("and", _) => joined(" and "),
        ("not", _) => format!("not {}", joined(" and ")),
        (_, Value::Object(tests)) => {
            let test = |(operator, value): (&String, &Value)| told(name, operator, value);
            tests.iter().map(test).collect::<Vec<_>>().join(" and ")
        }
        _ => told(name, "=", value),
    }
}

fn told(field: &str, operator: &str, value: &Value) -> String {
    let value = match value {
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(" or "),
        value => shown(value),
    };
    match operator {
        "=" | "in" => format!("{field} {value}"),
        _ => format!("{field} {operator} {value}"),
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
