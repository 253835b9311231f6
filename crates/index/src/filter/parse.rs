//! Parses all spellings of a filter to one tree.

use super::operator::{Connective, Operator};
use super::schema::Schema;
use super::tree::{Filter, Node, ValueSet};
use super::typed::Typed;
use super::value::describe;
use serde_json::{Map, Value};
use vademecum_protocol::error::Error;
use vademecum_protocol::error::Result;
use vademecum_protocol::error::excerpt;

/// Maximum nesting depth: parsing and evaluation recurse.
const MAX_DEPTH: usize = 64;
/// Maximum number of conditions.
const MAX_CONDITIONS: usize = 1024;
/// Maximum number of filters within a filter, including empty ones: each allocates a bitmap of all documents.
const MAX_FILTERS: usize = 4096;
/// Maximum number of `like` and `contains` conditions: each scans all strings of a field.
const MAX_TEXT_CONDITIONS: usize = 64;
/// Maximum number of values in all lists together.
const MAX_VALUES: usize = 10_000;
/// Maximum length of a `like` pattern, in characters: matching it takes time proportional to its length per
/// character of text.
const MAX_PATTERN: usize = 1024;

const A_FILTER: &str =
    "an object such as {\"year\": 2023}, or a list of {\"field\", \"operator\", \"value\"}";

impl Filter {
    /// Parses a filter in any of its spellings, for documents with this schema.
    ///
    /// # Errors
    /// [`Error::UnknownField`], [`Error::UnknownOperator`], [`Error::FilterType`] for a value that cannot be
    /// compared with its field, and [`Error::FilterInvalid`] for a wrong shape or an exceeded limit: 64
    /// levels, 1,024 conditions, 10,000 values in lists, 4,096 filters in total, 64 conditions with `like` or
    /// `contains`.
    pub fn parse(filter: &Value, schema: &Schema) -> Result<Self> {
        let mut parser = Parser { schema, parts: 0, conditions: 0, searches: 0, values: 0 };
        parser.filter(filter, 0).map(Self)
    }
}

struct Parser<'a> {
    schema: &'a Schema,
    parts: usize,
    conditions: usize,
    searches: usize,
    values: usize,
}

impl Parser<'_> {
    fn filter(&mut self, filter: &Value, level: usize) -> Result<Node> {
        within(level, MAX_DEPTH, "at most 64 levels deep", "deeper")?;
        self.parts += 1;
        within(self.parts, MAX_FILTERS, "of at most 4,096 parts", "of more")?;
        match filter {
            Value::Array(parts) => self.each(parts, level),
            Value::Object(parts) => {
                if let Some(field) = parts.get("field").and_then(Value::as_str)
                    && let Some((operator, value)) = named(parts, true)?
                {
                    return self.test(field, operator, value);
                }
                let parts = parts.iter().map(|(name, value)| self.entry(name, value, level));
                parts.collect::<Result<_>>().map(all)
            }
            _ => Err(invalid("each part", A_FILTER, describe(filter))),
        }
    }

    fn each(&mut self, parts: &[Value], level: usize) -> Result<Node> {
        parts.iter().map(|part| self.filter(part, level + 1)).collect::<Result<_>>().map(all)
    }

    fn entry(&mut self, name: &str, value: &Value, level: usize) -> Result<Node> {
        match Connective::find(name) {
            Some(connective) => {
                self.joined(connective, name, value, |parser, part| parser.filter(part, level + 1))
            }
            None => self.field(name, value, level),
        }
    }

    /// Parses `and`, `or` and `not`, both of whole filters and of tests of one field.
    fn joined(
        &mut self,
        connective: Connective,
        name: &str,
        value: &Value,
        mut read: impl FnMut(&mut Self, &Value) -> Result<Node>,
    ) -> Result<Node> {
        if connective == Connective::Not {
            return read(self, value).map(not);
        }
        let parts = value.as_array().ok_or_else(|| {
            let expected = format!(
                "a list of filters (a field of this name is reached by {{\"field\": \"{name}\", \"operator\": …, \"value\": …}})"
            );
            invalid(&format!("`{name}`"), &expected, describe(value))
        })?;
        let parts: Vec<Node> = parts.iter().map(|part| read(self, part)).collect::<Result<_>>()?;
        Ok(if connective == Connective::And { all(parts) } else { Node::Any(parts) })
    }

    /// Parses the value of a field's name: a value, a list of values, or operators.
    fn field(&mut self, field: &str, value: &Value, level: usize) -> Result<Node> {
        within(level, MAX_DEPTH, "at most 64 levels deep", "deeper")?;
        let Value::Object(tests) = value else { return self.test(field, Operator::Equal, Some(value)) };
        if let Some((operator, value)) = named(tests, false)? {
            return self.test(field, operator, value);
        }
        if tests.is_empty() {
            let expected = "a value, or operators with values such as {\">\": 1000}";
            return Err(invalid(
                &format!("`{}`", excerpt(field, 80)),
                expected,
                "an empty object".to_owned(),
            ));
        }
        let mut parts = Vec::with_capacity(tests.len());
        for (name, value) in tests {
            parts.push(match (Operator::find(name), Connective::find(name)) {
                (Some(operator), _) => self.test(field, operator, Some(value))?,
                (_, Some(connective)) => {
                    self.joined(connective, name, value, |parser, part| parser.field(field, part, level + 1))?
                }
                _ => self.inner(field, name, value, level)?,
            });
        }
        Ok(all(parts))
    }

    /// Parses a name within a field's object that is no operator: a nested field, or a misspelling.
    fn inner(&mut self, field: &str, name: &str, value: &Value, level: usize) -> Result<Node> {
        let path = format!("{field}.{name}");
        if self.schema.reaches(&path) {
            return self.field(&path, value, level + 1);
        }
        // If the outer field has only nested fields, the inner name is misspelt.
        let only_outer = self.schema.reaches(field) && self.schema.types(field).is_err();
        self.schema.types(if only_outer { &path } else { field })?;
        Err(Operator::unknown(name))
    }

    /// Parses a single operator on one field.
    fn test(&mut self, field: &str, operator: Operator, value: Option<&Value>) -> Result<Node> {
        self.conditions += 1;
        within(self.conditions, MAX_CONDITIONS, "at most 1,024 conditions long", "longer")?;
        self.searches += usize::from(matches!(operator, Operator::Like | Operator::Contains));
        within(
            self.searches,
            MAX_TEXT_CONDITIONS,
            "of at most 64 conditions with `like` or `contains`",
            "of more",
        )?;
        let typed = Typed { field, types: self.schema.types(field)?, operator };
        let shape = |expected: &str| {
            let what = format!("the value for `{}` of `{}`", operator.name(), excerpt(field, 80));
            invalid(&what, expected, value.map_or("nothing".to_owned(), describe))
        };
        let found = |wanted: ValueSet| Node::Value { field: field.to_owned(), wanted };
        let exists = || Node::Exists(field.to_owned());
        match (operator, value) {
            (Operator::Exists, None | Some(Value::Bool(true))) => Ok(exists()),
            (Operator::Exists, Some(Value::Bool(false))) => Ok(not(exists())),
            (Operator::Exists, _) => Err(shape("true or false")),
            (_, None) => Err(shape("given")),
            (Operator::Equal, Some(Value::Null)) => Ok(not(exists())),
            (Operator::NotEqual, Some(Value::Null)) => Ok(exists()),
            (
                Operator::Equal | Operator::NotEqual | Operator::In | Operator::NotIn,
                Some(Value::Array(values)),
            ) => {
                self.values += values.len();
                within(self.values, MAX_VALUES, "at most 10,000 listed values long", "longer")?;
                let among = found(typed.among(values)?);
                Ok(if matches!(operator, Operator::Equal | Operator::In) { among } else { not(among) })
            }
            (Operator::In | Operator::NotIn, _) => Err(shape("a list such as [2022, 2023]")),
            (Operator::Equal, Some(value)) => typed.among(std::slice::from_ref(value)).map(found),
            (Operator::NotEqual, Some(value)) => typed.among(std::slice::from_ref(value)).map(found).map(not),
            (Operator::Between, Some(value)) => match value.as_array().map(Vec::as_slice) {
                Some([first, last]) => typed.between(first, last).map(found),
                _ => Err(shape("a list of two, such as [2021, 2023]")),
            },
            (Operator::Like, Some(Value::String(text))) if text.chars().nth(MAX_PATTERN).is_some() => {
                Err(shape("a pattern of at most 1,024 letters"))
            }
            (Operator::Like, Some(value)) => typed.like(value).map(found),
            (Operator::Contains, Some(value)) => typed.contains(value).map(found),
            (_, Some(value)) => typed.ordered(value).map(found),
        }
    }
}

/// Returns the operator and value of `{field, operator, value}`, or of `{operator, value}` as the value of a
/// field's name; `None` for other spellings.
pub(super) fn named(
    parts: &Map<String, Value>,
    with_field: bool,
) -> Result<Option<(Operator, Option<&Value>)>> {
    let operator = parts.get("operator").or_else(|| parts.get("op"));
    let value = parts.get("value");
    if operator.is_none() && !(with_field && value.is_some()) {
        return Ok(None);
    }
    let known = |name: &str| matches!(name, "operator" | "op" | "value") || with_field && name == "field";
    if let Some(other) = parts.keys().find(|name| !known(name)) {
        let expected = "without other names, as {\"operator\": \">\", \"value\": 1000} is";
        return Err(invalid(
            "an object with `operator` or `value`",
            expected,
            format!("with `{}`", excerpt(other, 40)),
        ));
    }
    let operator = match operator {
        None => Operator::Equal,
        Some(Value::String(name)) => Operator::parse(name)?,
        Some(other) => return Err(invalid("`operator`", "a string such as \">=\"", describe(other))),
    };
    Ok(Some((operator, value)))
}

/// Combines filters with `and`; a single filter is returned as it is.
fn all(mut parts: Vec<Node>) -> Node {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => {
            parts.extend(last);
            Node::All(parts)
        }
    }
}

fn not(node: Node) -> Node {
    Node::Not(Box::new(node))
}

fn within(count: usize, limit: usize, expected: &str, got: &str) -> Result<()> {
    if count > limit { Err(invalid("it", expected, got.to_owned())) } else { Ok(()) }
}

fn invalid(what: &str, expected: &str, got: String) -> Error {
    Error::FilterInvalid { what: what.to_owned(), expected: expected.to_owned(), got }
}
