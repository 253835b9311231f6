//! Where a chunk leads by links alone.

use vademecum_index::{ChunkKey, Searcher};
use vademecum_util::vec_map;

/// A chunk that names more documents than this is a list, and a document that more chunks name is named in passing:
/// neither says where to go.
const HUB: usize = 100;
/// Chunks of a named document that are looked at.
const CHUNKS: usize = 20;

/// What a chunk names or links to, and what names its document or links to it.
pub(super) struct Neighbours {
    /// The documents, each by the key of its first chunk.
    documents: Vec<ChunkKey>,
    /// Chunks to look at.
    pub(super) chunks: Vec<ChunkKey>,
}

impl Neighbours {
    pub(super) fn of(searcher: &Searcher, key: ChunkKey) -> Self {
        let (named, naming) = (searcher.named_by(key), searcher.naming(key, HUB + 1));
        let named = if named.len() > HUB { Vec::new() } else { named };
        let naming = if naming.len() > HUB { Vec::new() } else { naming };
        let mut chunks = naming.clone();
        for first in named.iter().filter_map(|key| searcher.chunk(*key)) {
            let document = searcher.document(first.document.collection(), first.document.id());
            chunks.extend(document.into_iter().flat_map(|(_, keys)| keys).take(CHUNKS));
        }
        let documents = vec_map::set(naming.iter().filter_map(|key| searcher.document_of(*key)).chain(named));
        Self { documents, chunks }
    }

    /// Whether a document, by the key of its first chunk, is among them.
    pub(super) fn has(&self, document: ChunkKey) -> bool {
        self.documents.binary_search(&document).is_ok()
    }
}
