//! Documents that fulfil a filter, as a list.

use super::documents::StoredDocument;
use super::filter::Filter;
use super::searcher::Searcher;
use std::collections::{BTreeSet, HashSet};
use vademecum_protocol::document::{DocumentSummary, Listing};

impl Searcher {
    /// The documents of `collections` (all where empty) that `filter` wants: how many, and, behind the first `offset`,
    /// at most `limit` of them.
    pub fn listing(
        &self,
        collections: &HashSet<String>,
        filter: Option<&Filter>,
        offset: usize,
        limit: usize,
    ) -> Listing {
        let mut listing = Listing::default();
        for segment in &self.segments {
            let wanted = self.documents_wanted(segment, collections, filter);
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

    /// The names of the collections that hold documents, in order.
    pub fn collections(&self) -> BTreeSet<&str> {
        self.segments
            .iter()
            .flat_map(|segment| segment.documents.collections.iter().map(|name| &**name))
            .collect()
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
