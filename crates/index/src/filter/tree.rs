//! The syntax tree that every spelling of a filter is parsed to.

use super::like::Pattern;
use super::span::Spans;
use std::ops::{Bound, RangeBounds};
use vademecum_util::vec_map;

/// A filter, checked against a schema. Its depth is limited by [`super::parse::MAX_DEPTH`], so recursion is
/// safe.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter(pub(super) Node);

impl Filter {
    /// Returns the names of the fields that it reads, sorted.
    pub fn fields(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.0.add_fields(&mut names);
        vec_map::set(names)
    }
}

impl Node {
    fn add_fields<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.add_fields(names)),
            Self::Not(part) => part.add_fields(names),
            Self::Exists(field) | Self::Value { field, .. } => names.push(field),
        }
    }
}

/// A node. Negative operators are the `Not` of their opposite, which defines them for absent fields and
/// lists.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    /// Conjunction; matches every document if empty.
    All(Vec<Node>),
    /// Disjunction; matches no document if empty.
    Any(Vec<Node>),
    /// Negation.
    Not(Box<Node>),
    /// Documents that have the field.
    Exists(String),
    /// Documents with a matching value in the field.
    Value { field: String, wanted: ValueSet },
}

/// The matching values, by type.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ValueSet {
    pub(super) numbers: Spans,
    pub(super) dates: Spans,
    pub(super) strings: Option<Text>,
    pub(super) booleans: Vec<bool>,
}

/// The matching strings.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Text {
    /// Sorted.
    Among(Vec<String>),
    Range(Bound<String>, Bound<String>),
    Like(Pattern),
    /// Case-folded. In a list, the whole element must match.
    Contains(String),
}

impl Text {
    /// Returns whether a string that is not in a list matches.
    pub(super) fn matches(&self, text: &str) -> bool {
        match self {
            Self::Among(wanted) => wanted.binary_search_by(|one| one.as_str().cmp(text)).is_ok(),
            Self::Range(low, high) => {
                let range = (low.as_ref().map(String::as_str), high.as_ref().map(String::as_str));
                RangeBounds::<str>::contains(&range, text)
            }
            Self::Like(pattern) => pattern.matches(text),
            Self::Contains(part) => super::like::fold(text).contains(part),
        }
    }
}
