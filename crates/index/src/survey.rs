//! Statistics of a snapshot.

use super::chunk_key::ChunkKey;
use super::searcher::Searcher;
use std::collections::{BTreeSet, HashSet};

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

    /// Returns at most `limit` chunks that have a vector: those whose texts have the smallest hashes, so that a sample changes little
    /// as the index grows and depends neither on the order of insertion nor on the device.
    pub fn sample(&self, limit: usize) -> Vec<ChunkKey> {
        let mut smallest: BTreeSet<(u64, u32)> = BTreeSet::new();
        for segment in &self.segments {
            for (row, key) in segment.keys.iter().enumerate() {
                let Some(chunk) = segment.chunk(row as u32) else { continue };
                if !segment.vectors.present().contains(row) || segment.deleted.chunks().contains(row) {
                    continue;
                }
                let one = (chunk.hash(), *key);
                if smallest.len() < limit || smallest.last().is_some_and(|last| one < *last) {
                    smallest.insert(one);
                    if smallest.len() > limit {
                        smallest.pop_last();
                    }
                }
            }
        }
        smallest.into_iter().map(|(_, key)| ChunkKey(key)).collect()
    }

    /// Returns the number of chunks.
    pub fn chunks(&self) -> usize {
        self.segments.iter().map(|segment| segment.live()).sum()
    }
}
