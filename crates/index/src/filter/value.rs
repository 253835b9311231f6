//! Visits the values of a document's metadata, and reads JSON values as types.

use super::date;
use super::field_type::FieldType;
use super::span::Span;
use serde_json::{Map, Value};
use vademecum_protocol::error::excerpt;

/// Maximum nesting depth of metadata. Deeper values are stored with the document but cannot be filtered by.
const MAX_DEPTH: usize = 4;

/// A value of a document's metadata.
pub(super) struct FieldValue<'a> {
    /// The names from the outermost object in, joined by dots.
    pub(super) path: &'a str,
    /// A string, number, boolean or object; the values within an object are visited after it.
    pub(super) value: &'a Value,
    /// Whether it is an element of a list.
    pub(super) listed: bool,
}

/// Visits every value. Null counts as absent, and a list as its elements.
pub(super) fn each(metadata: &Map<String, Value>, visit: &mut impl FnMut(FieldValue<'_>)) {
    let mut path = String::new();
    each_field(metadata, &mut path, false, 0, visit);
}

fn each_field(
    fields: &Map<String, Value>,
    path: &mut String,
    listed: bool,
    level: usize,
    visit: &mut impl FnMut(FieldValue<'_>),
) {
    let outer = path.len();
    for (name, value) in fields {
        if outer > 0 {
            path.push('.');
        }
        path.push_str(name);
        each_value(value, path, listed, level, visit);
        path.truncate(outer);
    }
}

fn each_value(
    value: &Value,
    path: &mut String,
    listed: bool,
    level: usize,
    visit: &mut impl FnMut(FieldValue<'_>),
) {
    match value {
        Value::Null => {}
        Value::Array(_) | Value::Object(_) if level >= MAX_DEPTH => {}
        Value::Array(elements) => {
            elements.iter().for_each(|element| each_value(element, path, true, level + 1, visit));
        }
        Value::Object(fields) => {
            visit(FieldValue { path, value, listed });
            each_field(fields, path, listed, level + 1, visit);
        }
        _ => visit(FieldValue { path, value, listed }),
    }
}

/// Returns the type of a JSON value; a date is a string unless declared.
pub(super) fn type_of(value: &Value) -> Option<FieldType> {
    match value {
        Value::Bool(_) => Some(FieldType::Boolean),
        Value::Number(_) => Some(FieldType::Number),
        Value::String(_) => Some(FieldType::String),
        _ => None,
    }
}

/// Reads a finite number; negative zero becomes zero.
pub(super) fn number(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.is_finite()).map(|number| number + 0.0)
}

/// Reads a string or number as a date.
pub(super) fn moments(value: &Value) -> Option<Span> {
    match value {
        Value::String(text) => date::parse(text),
        _ => number(value).and_then(date::of_number),
    }
}

/// Describes a value for an error message, in bounded length.
pub(super) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => format!("the boolean {flag}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the string \"{}\"", excerpt(text, 40)),
        Value::Array(elements) => format!("a list of {}", elements.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}
