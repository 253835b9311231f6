//! Converts a filter's values to the types of their field.

use super::date;
use super::field_type::FieldType;
use super::like;
use super::like::Pattern;
use super::operator::Operator;
use super::span::Span;
use super::tree::{Text, ValueSet};
use super::value;
use serde_json::{Value, json};
use std::ops::Bound;
use vademecum_protocol::error::Error;
use vademecum_protocol::error::Result;
use vademecum_protocol::error::excerpt;
use vademecum_util::vec_map;

/// A condition on a field, before its value is read.
pub(super) struct Typed<'a> {
    pub(super) field: &'a str,
    pub(super) types: Vec<FieldType>,
    pub(super) operator: Operator,
}

/// A value read as each type of its field; at least one is set.
struct Reading<'a> {
    string: Option<&'a str>,
    number: Option<f64>,
    moments: Option<Span>,
    boolean: Option<bool>,
}

impl Typed<'_> {
    /// Values equal to one of these, for `=`, `in` and their opposites.
    pub(super) fn among(&self, values: &[Value]) -> Result<ValueSet> {
        let read = values.iter().map(|value| self.read(value)).collect::<Result<Vec<_>>>()?;
        Ok(ValueSet {
            numbers: read.iter().filter_map(|one| one.number).map(Span::point).collect(),
            dates: read.iter().filter_map(|one| one.moments).collect(),
            strings: Some(Text::Among(vec_map::set(
                read.iter().filter_map(|one| one.string).map(str::to_owned),
            ))),
            booleans: read.iter().filter_map(|one| one.boolean).collect(),
        })
    }

    /// Values before or after this one, for the ordering operators.
    pub(super) fn ordered(&self, value: &Value) -> Result<ValueSet> {
        let read = self.read(value)?;
        let span = |span: Span| match self.operator {
            Operator::Greater => span.above(),
            Operator::GreaterEqual => span.onwards(),
            Operator::Less => span.below(),
            _ => span.backwards(),
        };
        let range = |text: &str| {
            let text = text.to_owned();
            match self.operator {
                Operator::Greater => Text::Range(Bound::Excluded(text), Bound::Unbounded),
                Operator::GreaterEqual => Text::Range(Bound::Included(text), Bound::Unbounded),
                Operator::Less => Text::Range(Bound::Unbounded, Bound::Excluded(text)),
                _ => Text::Range(Bound::Unbounded, Bound::Included(text)),
            }
        };
        Ok(ValueSet {
            numbers: read.number.map(Span::point).map(span).into_iter().collect(),
            dates: read.moments.map(span).into_iter().collect(),
            strings: read.string.map(range),
            booleans: Vec::new(),
        })
    }

    /// Values in an inclusive range, whose ends must have a type in common.
    pub(super) fn between(&self, first: &Value, last: &Value) -> Result<ValueSet> {
        let (low, high) = (self.read(first)?, self.read(last)?);
        let through = |(low, high): (Span, Span)| low.through(high);
        let points = low.number.map(Span::point).zip(high.number.map(Span::point));
        let range = |(low, high): (&str, &str)| {
            Text::Range(Bound::Included(low.to_owned()), Bound::Included(high.to_owned()))
        };
        if points.is_none()
            && low.moments.and(high.moments).is_none()
            && low.string.and(high.string).is_none()
        {
            return Err(self.clash(format!("{} with {}", value::describe(first), value::describe(last))));
        }
        Ok(ValueSet {
            numbers: points.map(through).into_iter().collect(),
            dates: low.moments.zip(high.moments).map(through).into_iter().collect(),
            strings: low.string.zip(high.string).map(range),
            booleans: Vec::new(),
        })
    }

    /// Strings that match a pattern.
    pub(super) fn like(&self, value: &Value) -> Result<ValueSet> {
        let strings = self.read(value)?.string.map(|text| Text::Like(Pattern::new(text)));
        Ok(ValueSet { strings, ..ValueSet::default() })
    }

    /// Strings that contain this one, and lists that have it as an element.
    pub(super) fn contains(&self, value: &Value) -> Result<ValueSet> {
        let equal = self.among(std::slice::from_ref(value))?;
        let strings = value.as_str().filter(|_| self.types.contains(&FieldType::String));
        Ok(ValueSet { strings: strings.map(|text| Text::Contains(like::fold(text))), ..equal })
    }

    fn read<'v>(&self, value: &'v Value) -> Result<Reading<'v>> {
        let typed = |kind| self.types.contains(&kind) && self.operator.takes(kind);
        if !self.types.iter().any(|kind| typed(*kind)) {
            return Err(self.clash(format!("the operator `{}`", self.operator.name())));
        }
        let read = Reading {
            string: value.as_str().filter(|_| typed(FieldType::String)),
            number: number(value).filter(|_| typed(FieldType::Number)),
            moments: value::moments(value).filter(|_| typed(FieldType::Date)),
            boolean: value.as_bool().filter(|_| typed(FieldType::Boolean)),
        };
        let none = read.string.is_none()
            && read.number.is_none()
            && read.moments.is_none()
            && read.boolean.is_none();
        if !none {
            return Ok(read);
        }
        let hint = match value::number(value) {
            Some(year) if typed(FieldType::Date) && date::looks_like_a_year(year) => {
                " (a number is milliseconds; a year is a string)"
            }
            _ => "",
        };
        Err(self.clash(format!("{}{hint}", value::describe(value))))
    }

    fn clash(&self, got: String) -> Error {
        let field = excerpt(self.field, 80);
        let names: Vec<&str> = self.types.iter().map(|kind| kind.name()).collect();
        let sample = match self.types.first() {
            Some(FieldType::Number) => json!({">": 1000}),
            Some(FieldType::Date) => json!({">=": "2023-05-01"}),
            Some(FieldType::Boolean) => json!(true),
            _ => json!("some text"),
        };
        let example = json!({ field.as_str(): sample }).to_string();
        Error::FilterType { field, expected: names.join(" or a "), got, example }
    }
}

/// Reads a number, or a string that contains one.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => vademecum_text::number::number(text.trim()),
        _ => value::number(value),
    }
}
