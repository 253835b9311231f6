//! What an index holds, without a question.

use super::searcher::Searcher;
use std::collections::HashSet;

impl Searcher {
    /// Every document of `collections` (of all where empty), as its collection and id, in the order of these.
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

    /// In how many chunks a term stands.
    pub fn chunks_with(&self, term: &str) -> usize {
        self.segments.iter().map(|segment| segment.live_count(term)).sum()
    }

    /// How many chunks there are.
    pub fn chunks(&self) -> usize {
        self.segments.iter().map(|segment| segment.live()).sum()
    }
}
