//! Listing documents without a search.

use super::KnowledgeBase;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use vademecum_index::Query;
use vademecum_index::filter::Filter;
use vademecum_protocol::document::Listing;
use vademecum_protocol::error::{Error, Result};

/// Which documents are listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ListRequest {
    /// Only documents of these collections; of all where absent.
    pub collections: Option<Vec<String>>,
    /// Only documents that this wants.
    pub filters: Option<serde_json::Value>,
    /// How many are passed over.
    pub offset: usize,
    /// The most to return.
    pub limit: usize,
    /// List as if the documents that are never sent were not there.
    #[serde(skip)]
    pub sendable: bool,
}

impl Default for ListRequest {
    fn default() -> Self {
        Self { collections: None, filters: None, offset: 0, limit: 100, sendable: false }
    }
}

impl KnowledgeBase {
    /// The documents that fulfil a filter, in the order they were added, without their texts.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::UnknownCollection`], [`Error::InvalidArgument`] for a limit of 0, and those of
    /// [`Filter::parse`].
    pub fn documents(&self, request: &ListRequest) -> Result<Listing> {
        self.documents_with_fields_of(&[], request)
    }

    /// The same; the filter may also name fields of collections that are not listed, where `others` are named.
    pub(super) fn documents_with_fields_of(
        &self,
        others: &[String],
        request: &ListRequest,
    ) -> Result<Listing> {
        let state = self.open_state()?.borrow();
        request.collections.iter().flatten().try_for_each(|name| state.known(name).map(|_| ()))?;
        if request.limit == 0 {
            return Err(Error::invalid("limit", "at least 1", "0"));
        }
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

    /// Whether a document fulfils a filter, which may name fields of any collection.
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
