//! Statistics of a snapshot.

use super::searcher::Searcher;
use std::collections::HashSet;

impl Searcher {
    /// Returns the collection and id of every document of `collections` (of all if empty), sorted.
    pub fn document_ids(&self, collections: &HashSet<String>) -> Vec<(String, String)> {
        let wanted = |collection: &str| collections.is_empty() || collections.contains(collection);
        let documents = self.segments.iter().flat_map(|segment| segment.live_documents());
        let mut ids: Vec<(String, String)> = documents
            .filter(|(_, document)| wanted(document.collection()))
            .map(|(_, document)| (document.collection().to_owned(), document.id().to_owned()))
            .collect();
        ids.sort();
        ids
    }

    /// Returns the number of chunks that contain a term.
    pub fn chunks_with(&self, term: &str) -> usize {
        self.segments.iter().map(|segment| segment.live_count(term)).sum()
    }

    /// Returns the number of chunks.
    pub fn chunks(&self) -> usize {
        self.segments.iter().map(|segment| segment.live()).sum()
    }
}
