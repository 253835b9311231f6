//! Counts the values of a metadata field.

use super::KnowledgeBase;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use vademecum_index::filter::{Facet, Filter};
use vademecum_protocol::error::Result;
use vademecum_protocol::range::Range;
#[cfg(feature = "schema")]
use vademecum_protocol::schema::{Filter as AnyFilter, Name};

/// Maximum number of values.
const LIMIT: Range<usize> = Range::from("limit", 1);

/// A facet request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct FacetRequest {
    /// The metadata field; with dots where it is nested.
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub field: String,
    /// Collections whose documents are counted. Default: all.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<Name>>"))]
    pub collections: Option<Vec<String>>,
    /// Condition on the metadata of documents.
    #[cfg_attr(feature = "schema", schemars(with = "Option<AnyFilter>"))]
    pub filters: Option<serde_json::Value>,
    /// Maximum number of values, the most frequent first.
    #[cfg_attr(feature = "schema", schemars(transform = LIMIT.declared()))]
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
        LIMIT.check(request.limit)?;
        let searcher = self.snapshot(request.sendable)?;
        let collections: HashSet<String> = request.collections.iter().flatten().cloned().collect();
        let schema = searcher.schema(&collections);
        schema.types(&request.field)?;
        let filter = request.filters.as_ref().map(|filters| Filter::parse(filters, &schema)).transpose()?;
        Ok(searcher.facets(&request.field, &collections, filter.as_ref(), request.limit))
    }
}
