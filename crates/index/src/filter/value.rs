//! The values in a document's metadata, one by one, and how JSON is read as a type.

use super::date;
use super::field_type::FieldType;
use super::span::Span;
use serde_json::{Map, Value};
use vademecum_protocol::error::excerpt;

/// How many objects and lists may stand inside each other in metadata. What is deeper is kept with the document but
/// cannot be filtered by.
const LEVELS: usize = 4;

/// A value found in metadata.
pub(super) struct Found<'a> {
    /// Where: the names from the outside in, with dots between them.
    pub(super) path: &'a str,
    /// A string, number, boolean or object; what is in an object follows.
    pub(super) value: &'a Value,
    /// Whether it is an element of a list.
    pub(super) listed: bool,
}

/// Visits every value in metadata. Null is as good as absent, and a list is its elements.
pub(super) fn each(metadata: &Map<String, Value>, visit: &mut impl FnMut(Found<'_>)) {
    let mut path = String::new();
    each_field(metadata, &mut path, false, 0, visit);
}

fn each_field(
    fields: &Map<String, Value>,
    path: &mut String,
    listed: bool,
    level: usize,
    visit: &mut impl FnMut(Found<'_>),
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
    visit: &mut impl FnMut(Found<'_>),
) {
    match value {
        Value::Null => {}
        Value::Array(_) | Value::Object(_) if level >= LEVELS => {}
        Value::Array(elements) => {
            elements.iter().for_each(|element| each_value(element, path, true, level + 1, visit));
        }
        Value::Object(fields) => {
            visit(Found { path, value, listed });
            each_field(fields, path, listed, level + 1, visit);
        }
        _ => visit(Found { path, value, listed }),
    }
}

/// The type JSON gives a value; a date is a string until a schema says otherwise.
pub(super) fn type_of(value: &Value) -> Option<FieldType> {
    match value {
        Value::Bool(_) => Some(FieldType::Boolean),
        Value::Number(_) => Some(FieldType::Number),
        Value::String(_) => Some(FieldType::String),
        _ => None,
    }
}

/// A finite number; negative zero is zero.
pub(super) fn number(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.is_finite()).map(|number| number + 0.0)
}

/// The moments a string or number means where a date is wanted.
pub(super) fn moments(value: &Value) -> Option<Span> {
    match value {
        Value::String(text) => date::parse(text),
        _ => number(value).and_then(date::of_number),
    }
}

/// A value for a message: short however long and deep it is.
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
