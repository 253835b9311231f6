//! What every spelling of a filter becomes.

use super::like::Pattern;
use super::span::Spans;
use std::collections::BTreeSet;
use std::ops::{Bound, RangeBounds};

/// A filter that was checked against a schema. At most [`super::parse::LEVELS`] deep, so that walking it is safe.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter(pub(super) Node);

/// Negative operators are `Not` of their opposite: that is what they mean where a field is absent or a list.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    /// All of these; of none, every document.
    All(Vec<Node>),
    /// Any of these; of none, no document.
    Any(Vec<Node>),
    /// What this one does not match.
    Not(Box<Node>),
    /// Documents with this field.
    Exists(String),
    /// Documents with a wanted value in this field.
    Value { field: String, wanted: Wanted },
}

/// The values that are wanted, for each type a field may have.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Wanted {
    pub(super) numbers: Spans,
    pub(super) dates: Spans,
    pub(super) strings: Option<Text>,
    pub(super) booleans: Vec<bool>,
}

/// The strings that are wanted.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Text {
    Among(BTreeSet<String>),
    Range(Bound<String>, Bound<String>),
    Like(Pattern),
    /// Folded. Where a list is searched, it must be a whole element.
    Contains(String),
}

impl Text {
    /// Whether a string is wanted, outside a list.
    pub(super) fn matches(&self, text: &str) -> bool {
        match self {
            Self::Among(wanted) => wanted.contains(text),
            Self::Range(low, high) => {
                let range = (low.as_ref().map(String::as_str), high.as_ref().map(String::as_str));
                RangeBounds::<str>::contains(&range, text)
            }
            Self::Like(pattern) => pattern.matches(text),
            Self::Contains(part) => super::like::fold(text).contains(part),
        }
    }
}
