//! Facets: the number of documents per value of a field.

use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use vademecum_util::small_sort::sort_by_key;

/// A metadata value. Ordered by type: booleans, numbers, dates, strings.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum FacetValue {
    /// A boolean.
    Boolean(bool),
    /// A number.
    Number(f64),
    /// An ISO 8601 date; without the time if that is midnight UTC.
    Date(String),
    /// A string.
    String(String),
}

/// A value of a metadata field and the number of documents that have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Facet {
    /// The value.
    pub value: FacetValue,
    /// The number of documents with this value.
    pub count: usize,
}

/// The values of a field with their counts; merged across segments before they are cut.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facets(BTreeMap<FacetValue, usize>);

impl Facets {
    /// Adds the counts of another segment.
    pub fn merge(&mut self, other: Self) {
        other.0.into_iter().for_each(|(value, count)| self.add(value, count));
    }

    /// Returns the `limit` most frequent values; ties are in order of value.
    pub fn top(self, limit: usize) -> Vec<Facet> {
        let mut all: Vec<Facet> = self.0.into_iter().map(|(value, count)| Facet { value, count }).collect();
        sort_by_key(&mut all, |facet| std::cmp::Reverse(facet.count)); // stable, so values stay in order
        all.truncate(limit);
        all
    }

    pub(super) fn add(&mut self, value: FacetValue, count: usize) {
        if count > 0 {
            *self.0.entry(value).or_default() += count;
        }
    }
}

impl Ord for FacetValue {
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = |value: &Self| match value {
            Self::Boolean(_) => 0,
            Self::Number(_) => 1,
            Self::Date(_) => 2,
            Self::String(_) => 3,
        };
        match (self, other) {
            (Self::Boolean(a), Self::Boolean(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Date(a), Self::Date(b)) | (Self::String(a), Self::String(b)) => a.cmp(b),
            _ => rank(self).cmp(&rank(other)),
        }
    }
}

impl PartialOrd for FacetValue {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for FacetValue {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for FacetValue {}
