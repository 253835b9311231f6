//! Chunks reachable from a chunk by a link.

use vademecum_index::{ChunkKey, Searcher};
use vademecum_util::vec_map;

/// Maximum number of links that are followed: a chunk that mentions more documents is a list, and a document
/// with more mentions is mentioned in passing. Neither is informative.
const HUB: usize = 100;
/// Maximum number of chunks taken from a mentioned document.
const CHUNKS: usize = 20;

/// The targets of a chunk's links, and the sources of links to its document.
pub(super) struct Neighbours {
    /// The documents, each as the key of its first chunk, sorted.
    documents: Vec<ChunkKey>,
    /// The chunks to consider.
    pub(super) chunks: Vec<ChunkKey>,
}

impl Neighbours {
    pub(super) fn of(searcher: &Searcher, key: ChunkKey) -> Self {
        let (named, chunks) = around(searcher, key);
        let documents = chunks.iter().filter_map(|key| searcher.document_of(*key));
        Self { documents: vec_map::set(documents.chain(named)), chunks }
    }

    /// Returns whether a document, given by the key of its first chunk, is among them.
    pub(super) fn has(&self, document: ChunkKey) -> bool {
        self.documents.binary_search(&document).is_ok()
    }
}

/// Returns whether more chunks mention a chunk's document than are followed.
#[cfg(feature = "meaning")]
pub(super) fn is_hub(searcher: &Searcher, key: ChunkKey) -> bool {
    searcher.naming(key, HUB + 1).len() > HUB
}

/// Returns the documents that a chunk links to, each as the key of its first chunk, and the chunks to consider: theirs, and
/// those that link to its document.
fn around(searcher: &Searcher, key: ChunkKey) -> (Vec<ChunkKey>, Vec<ChunkKey>) {
    let (mut named, mut chunks) = (searcher.named_by(key), searcher.naming(key, HUB + 1));
    for list in [&mut named, &mut chunks] {
        if list.len() > HUB {
            list.clear();
        }
    }
    for first in named.iter().filter_map(|key| searcher.chunk(*key)) {
        let document = searcher.document(first.document.collection(), first.document.id());
        chunks.extend(document.into_iter().flat_map(|(_, keys)| keys).take(CHUNKS));
    }
    (named, chunks)
}

/// Returns the chunks to consider from a chunk.
#[cfg(feature = "meaning")]
pub(super) fn chunks_around(searcher: &Searcher, key: ChunkKey) -> Vec<ChunkKey> {
    around(searcher, key).1
}
