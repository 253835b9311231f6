//! A condition on a field, checked against the type of the field.

use super::numbers::{is_date, number};
use super::schema::{Kind, fields, named};
use crate::ports::CollectionView;
use crate::reply::json;
use serde::Serialize;
use serde_json::{Value, json as object};
use vademecum_protocol::error::excerpt;

/// A condition of a filter.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// The field, as spelled in the schema.
    pub(crate) field: String,
    /// `=`, `!=`, `>`, `>=`, `<`, `<=`, `in`, `not_in`, `like`, `contains`, `exists` or `between`.
    pub operator: &'static str,
    /// The operand.
    pub(crate) value: Value,
    /// The words of the question that state it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) raw_text: Option<String>,
    /// An alternative on the same field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) or: Option<Box<Condition>>,
}

impl Condition {
    /// Returns the condition as a filter.
    pub fn filter(&self) -> Value {
        let this = object!({ "field": self.field, "operator": self.operator, "value": self.value });
        match &self.or {
            Some(other) => object!({ "or": [this, other.filter()] }),
            None => this,
        }
    }
}

/// An unchecked condition.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Proposed {
    pub(crate) field: String,
    pub(crate) operator: String,
    pub(crate) value: Value,
    pub(crate) raw_text: Option<String>,
    /// An alternative.
    pub(crate) or: Option<Box<Proposed>>,
}

impl Proposed {
    /// Checks the condition against the fields of the collections.
    pub(super) fn checked(self, collections: &[&CollectionView]) -> Result<Condition, String> {
        let shown = excerpt(&self.field, 80);
        let all = fields(collections);
        let Some(field) = named(all.keys().copied(), &self.field) else {
            return Err(format!("`{shown}` is no field"));
        };
        let Some(operator) = operator(&self.operator) else {
            return Err(format!("`{}` is no operator (of `{shown}`)", excerpt(&self.operator, 40)));
        };
        let (operator, values) = match (operator, &self.value) {
            ("=", Value::Array(values)) => ("in", values.as_slice()),
            ("!=", Value::Array(values)) => ("not_in", values.as_slice()),
            ("in", one) if !one.is_array() => ("=", std::slice::from_ref(one)),
            ("not_in", one) if !one.is_array() => ("!=", std::slice::from_ref(one)),
            (operator, Value::Array(values)) => (operator, values.as_slice()),
            (operator, one) => (operator, std::slice::from_ref(one)),
        };
        let kinds: Vec<Kind> =
            all.get(field).into_iter().flatten().copied().filter(|kind| takes(operator, *kind)).collect();
        let typed: Option<Vec<Value>> = match operator {
            "exists" => Some(vec![Value::Bool(json::yes(&self.value).unwrap_or(true))]),
            _ => kinds.iter().find_map(|kind| values.iter().map(|value| of_kind(value, *kind)).collect()),
        };
        let many = matches!(operator, "in" | "not_in" | "between");
        let value = match typed {
            Some(two) if operator == "between" && two.len() == 2 => Some(Value::Array(two)),
            Some(list) if many && operator != "between" && !list.is_empty() => Some(Value::Array(list)),
            Some(one) if !many && one.len() == 1 => one.into_iter().next(),
            _ => None,
        };
        let Some(value) = value else {
            let value = excerpt(&self.value.to_string(), 40);
            return Err(format!("`{shown}` cannot be compared so: {operator} {value}"));
        };
        let raw_text = self.raw_text.map(|text| excerpt(&text, 80));
        let or = self.or.map(|other| other.checked(collections)).transpose()?.map(Box::new);
        Ok(Condition { field: field.to_owned(), operator, value, raw_text, or })
    }
}

/// Returns the canonical operator of a name.
fn operator(name: &str) -> Option<&'static str> {
    let plain = name.trim().trim_start_matches('$').to_lowercase().replace([' ', '-'], "_");
    Some(match plain.as_str() {
        "" | "=" | "==" | "===" | "eq" | "equal" | "equals" | "is" => "=",
        "!=" | "!==" | "<>" | "≠" | "ne" | "neq" | "not_equal" | "not_equals" | "is_not" => "!=",
        ">" | "gt" | "greater_than" | "after" | "more_than" => ">",
        ">=" | "≥" | "gte" | "ge" | "greater_than_or_equal" | "at_least" | "since" => ">=",
        "<" | "lt" | "less_than" | "before" => "<",
        "<=" | "≤" | "lte" | "le" | "less_than_or_equal" | "at_most" | "until" => "<=",
        "in" | "one_of" | "any_of" => "in",
        "not_in" | "notin" | "nin" => "not_in",
        "like" | "ilike" => "like",
        "contains" | "includes" => "contains",
        "exists" => "exists",
        "between" | "range" => "between",
        _ => return None,
    })
}

fn takes(operator: &str, kind: Kind) -> bool {
    match operator {
        "like" => kind == Kind::String,
        ">" | ">=" | "<" | "<=" | "between" => kind != Kind::Boolean,
        _ => true,
    }
}

/// Converts a value to the type of a field.
fn of_kind(value: &Value, kind: Kind) -> Option<Value> {
    match kind {
        Kind::Number => {
            let number = json::number(value).or_else(|| number(value.as_str()?))?;
            // Whole numbers are written as integers: 2023, not 2023.0.
            let whole = number.fract() == 0.0 && number.abs() < 9e15;
            Some(if whole { object!(number as i64) } else { object!(number) })
        }
        Kind::Date => {
            let text = json::text(value)?;
            is_date(&text).then(|| object!(text))
        }
        Kind::Boolean => json::yes(value).map(Value::Bool),
        Kind::String => {
            value.as_str().filter(|text| !text.trim().is_empty()).map(|text| object!(text.trim()))
        }
    }
}
