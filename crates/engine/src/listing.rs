//! Lists documents.

use super::KnowledgeBase;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use vademecum_index::Query;
use vademecum_index::filter::Filter;
use vademecum_protocol::document::Listing;
use vademecum_protocol::error::Result;
use vademecum_protocol::range::Range;
#[cfg(feature = "schema")]
use vademecum_protocol::schema::{Filter as AnyFilter, Name};

/// Maximum number of documents of a list.
const LIMIT: Range<usize> = Range::from("limit", 1);

/// A list request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ListRequest {
    /// Collections whose documents are listed. Default: all.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<Name>>"))]
    pub collections: Option<Vec<String>>,
    /// Condition on the metadata of documents.
    #[cfg_attr(feature = "schema", schemars(with = "Option<AnyFilter>"))]
    pub filters: Option<serde_json::Value>,
    /// Number of documents to skip.
    pub offset: usize,
    /// Maximum number of documents; `total` counts all.
    #[cfg_attr(feature = "schema", schemars(transform = LIMIT.declared()))]
    pub limit: usize,
    /// Exclude documents marked `neverSend`.
    #[serde(skip)]
    pub sendable: bool,
}

impl Default for ListRequest {
    fn default() -> Self {
        Self { collections: None, filters: None, offset: 0, limit: 100, sendable: false }
    }
}

impl KnowledgeBase {
    /// Lists the documents that match a filter, without their texts, in order of insertion.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::UnknownCollection`], [`Error::InvalidArgument`] for a limit of 0, and those of
    /// [`Filter::parse`].
    pub fn documents(&self, request: &ListRequest) -> Result<Listing> {
        self.documents_with_fields_of(&[], request)
    }

    /// As [`KnowledgeBase::documents`]. The filter may also use fields of the collections `others`.
    pub(super) fn documents_with_fields_of(
        &self,
        others: &[String],
        request: &ListRequest,
    ) -> Result<Listing> {
        let state = self.open_state()?.borrow();
        request.collections.iter().flatten().try_for_each(|name| state.known(name).map(|_| ()))?;
        LIMIT.check(request.limit)?;
        let searcher = self.snapshot(request.sendable)?;
        let collections: HashSet<String> = request.collections.iter().flatten().cloned().collect();
        let mut with_fields = collections.clone();
        if !collections.is_empty() {
            with_fields.extend(others.iter().cloned());
        }
        let schema = searcher.schema(&with_fields);
        let filter = request.filters.as_ref().map(|filters| Filter::parse(filters, &schema)).transpose()?;
        Ok(searcher.listing(&collections, filter.as_ref(), request.offset, request.limit))
    }

    /// Returns whether a document matches a filter, which may use fields of any collection.
    pub(super) fn fulfils(
        &self,
        collection: &str,
        id: &str,
        filters: Option<&serde_json::Value>,
        sendable: bool,
    ) -> Result<bool> {
        let searcher = self.snapshot(sendable)?;
        let Some((_, keys)) = searcher.document(collection, id) else { return Ok(false) };
        let Some(filters) = filters else { return Ok(true) };
        let filter = Filter::parse(filters, &searcher.schema(&HashSet::new()))?;
        let query = Query { filter: Some(&filter), ..Query::default() };
        Ok(!searcher.admitted(&query, &keys).is_empty())
    }
}
