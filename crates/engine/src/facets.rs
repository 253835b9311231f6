//! Counts the values of a metadata field.

use super::KnowledgeBase;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use vademecum_index::filter::{Facet, Filter};
use vademecum_protocol::error::{Error, Result};

/// A facet request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct FacetRequest {
    /// The metadata field; nested fields are written with dots.
    pub field: String,
    /// Restrict to documents of these collections; all if absent.
    pub collections: Option<Vec<String>>,
    /// Restrict to documents that match this filter.
    pub filters: Option<serde_json::Value>,
    /// Maximum number of values. Default: 20.
    pub limit: usize,
    /// Exclude documents marked `neverSend`.
    #[serde(skip)]
    pub sendable: bool,
}

impl Default for FacetRequest {
    fn default() -> Self {
        Self { field: String::new(), collections: None, filters: None, limit: 20, sendable: false }
    }
}

impl KnowledgeBase {
    /// Returns the values of a field with the number of documents that have them, the most frequent first.
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
