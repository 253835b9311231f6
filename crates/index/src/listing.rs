//! Lists the documents that match a filter.

use super::documents::StoredDocument;
use super::filter::Filter;
use super::searcher::Searcher;
use std::collections::HashSet;
use vademecum_protocol::document::{DocumentSummary, Listing};
use vademecum_util::vec_map;

impl Searcher {
    /// Returns the documents of `collections` (of all if empty) that match `filter`: their total number, and
    /// at most `limit` of them after skipping `offset`.
    pub fn listing(
        &self,
        collections: &HashSet<String>,
        filter: Option<&Filter>,
        offset: usize,
        limit: usize,
    ) -> Listing {
        let mut listing = Listing::default();
        for segment in &self.segments {
            let wanted = self.matching_documents(segment, collections, filter);
            for row in wanted.iter() {
                if listing.total >= offset
                    && listing.documents.len() < limit
                    && let Some(document) = segment.documents.document(row as u32)
                {
                    listing.documents.push(summary(&document));
                }
                listing.total += 1;
            }
        }
        listing
    }

    /// Returns the names of the collections that contain documents, sorted.
    pub fn collections(&self) -> Vec<&str> {
        let names = self.segments.iter().flat_map(|segment| segment.documents.collections.iter());
        vec_map::set(names.map(|name| &**name))
    }
}

fn summary(document: &StoredDocument<'_>) -> DocumentSummary {
    DocumentSummary {
        id: document.id().to_owned(),
        collection: document.collection().to_owned(),
        title: document.title().map(str::to_owned),
        url: document.url().map(str::to_owned),
        metadata: document.metadata(),
        chunks: document.row.chunks.len(),
    }
}
