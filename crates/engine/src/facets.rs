//! Counting the values of a metadata field.

use super::KnowledgeBase;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use vademecum_index::filter::{Facet, Filter};
use vademecum_protocol::error::{Error, Result};

/// What is counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct FacetRequest {
    /// The metadata field; with dots where it is nested.
    pub field: String,
    /// Only documents of these collections; of all where absent.
    pub collections: Option<Vec<String>>,
    /// Only documents that this wants.
    pub filters: Option<serde_json::Value>,
    /// The most values to return.
    pub limit: usize,
    /// Count as if the documents that are never sent were not there.
    #[serde(skip)]
    pub sendable: bool,
}

impl Default for FacetRequest {
    fn default() -> Self {
        Self { field: String::new(), collections: None, filters: None, limit: 20, sendable: false }
    }
}

impl KnowledgeBase {
    /// How many documents have each value of a field, the most frequent first.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::UnknownCollection`], [`Error::UnknownField`], [`Error::InvalidArgument`] for a limit
    /// of 0, and those of [`Filter::parse`].
    pub fn facets(&self, request: &FacetRequest) -> Result<Vec<Facet>> {
        let state = self.open_state()?.borrow();
        request.collections.iter().flatten().try_for_each(|name| state.known(name).map(|_| ()))?;
        if request.limit == 0 {
            return Err(Error::invalid("limit", "at least 1", "0"));
        }
        let searcher = self.snapshot(request.sendable)?;
        let collections: HashSet<String> = request.collections.iter().flatten().cloned().collect();
        let schema = searcher.schema(&collections);
        schema.types(&request.field)?;
        let filter = request.filters.as_ref().map(|filters| Filter::parse(filters, &schema)).transpose()?;
        Ok(searcher.facets(&request.field, &collections, filter.as_ref(), request.limit))
    }
}
