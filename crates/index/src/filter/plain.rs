//! Rewrites all spellings of a filter to one, for searchers elsewhere, which need to know no other.

use super::operator::{Connective, Operator};
use super::parse::named;
use super::schema::Schema;
use super::tree::Filter;
use serde_json::{Map, Value, json};
use vademecum_protocol::error::Result;

impl Filter {
    /// Returns the same filter as `{"and": […]}`, `{"or": […]}`, `{"not": …}` and `{"field", "operator", "value"}`. Operators have
    /// the names of the module's table; a test for null is one for existence, and one with a list that of its elements.
    ///
    /// # Errors
    /// Those of [`Filter::parse`].
    pub fn plain(filter: &Value, schema: &Schema) -> Result<Value> {
        // Limits and types are checked there, so that this recursion is bounded.
        Self::parse(filter, schema)?;
        plain(filter, schema)
    }
}

fn plain(filter: &Value, schema: &Schema) -> Result<Value> {
    match filter {
        Value::Array(parts) => {
            Ok(all(parts.iter().map(|part| plain(part, schema)).collect::<Result<_>>()?))
        }
        Value::Object(parts) => {
            if let Some(field) = parts.get("field").and_then(Value::as_str)
                && let Some((operator, value)) = named(parts, true)?
            {
                return Ok(condition(field, operator, value));
            }
            let entry = |(name, value): (&String, &Value)| match Connective::find(name) {
                Some(connective) => joined(connective, value, |part| plain(part, schema)),
                None => of_field(name, value, schema),
            };
            Ok(all(parts.iter().map(entry).collect::<Result<_>>()?))
        }
        // Parsing has refused anything else.
        _ => Ok(json!({ "and": [] })),
    }
}

fn joined(connective: Connective, value: &Value, read: impl Fn(&Value) -> Result<Value>) -> Result<Value> {
    if connective == Connective::Not {
        return Ok(json!({ "not": read(value)? }));
    }
    let parts = value.as_array().into_iter().flatten().map(read).collect::<Result<Vec<_>>>()?;
    Ok(if connective == Connective::And { all(parts) } else { json!({ "or": parts }) })
}

fn of_field(field: &str, value: &Value, schema: &Schema) -> Result<Value> {
    let Value::Object(tests) = value else { return Ok(condition(field, Operator::Equal, Some(value))) };
    if let Some((operator, value)) = named(tests, false)? {
        return Ok(condition(field, operator, value));
    }
    tests_of(field, tests, schema)
}

fn tests_of(field: &str, tests: &Map<String, Value>, schema: &Schema) -> Result<Value> {
    let part = |(name, value): (&String, &Value)| match (Operator::find(name), Connective::find(name)) {
        (Some(operator), _) => Ok(condition(field, operator, Some(value))),
        (_, Some(connective)) => joined(connective, value, |part| of_field(field, part, schema)),
        _ => of_field(&format!("{field}.{name}"), value, schema),
    };
    Ok(all(tests.iter().map(part).collect::<Result<_>>()?))
}

fn condition(field: &str, operator: Operator, value: Option<&Value>) -> Value {
    let is_list = value.is_some_and(Value::is_array);
    let (operator, value) = match (operator, value) {
        (Operator::Exists, _) => (Operator::Exists, json!(value != Some(&Value::Bool(false)))),
        (Operator::Equal, Some(Value::Null)) => (Operator::Exists, json!(false)),
        (Operator::NotEqual, Some(Value::Null)) => (Operator::Exists, json!(true)),
        (Operator::Equal, Some(list)) if is_list => (Operator::In, list.clone()),
        (Operator::NotEqual, Some(list)) if is_list => (Operator::NotIn, list.clone()),
        (operator, value) => (operator, value.cloned().unwrap_or_default()),
    };
    json!({ "field": field, "operator": operator.name(), "value": value })
}

fn all(mut parts: Vec<Value>) -> Value {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => {
            parts.extend(last);
            json!({ "and": parts })
        }
    }
}
