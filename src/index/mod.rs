//! The index: documents and their chunks, an inverted file for BM25, and vectors scanned exactly.
//!
//! Everything here is synchronous and knows nothing of models: vectors are handed in. A chunk is searchable by
//! keyword from the moment its document is inserted, and by vector from the moment [`Index::set_vector`] is called.

pub mod bitmap;
mod bm25;
pub mod filter;
mod fusion;
mod store;
mod top;
mod vectors;

pub use fusion::{Arm, Found, Fusion};
pub use store::{ChunkKey, Prepared, StoredChunk, StoredDocument};

use crate::error::Result;
use bm25::InvertedIndex;
use std::collections::HashSet;
use store::Store;
use vectors::FlatVectors;

/// How many candidates each arm hands to fusion: what the labelled sets were measured with.
const CANDIDATES: usize = 100;

/// What to look for. A part that is `None` takes no part in the search.
#[derive(Debug, Clone, Default)]
pub struct Query<'a> {
    /// The words to match by BM25.
    pub keywords: Option<&'a str>,
    /// Treat the last word as the beginning of one, as while a question is being typed.
    pub prefix: bool,
    /// The question's unit vector.
    pub vector: Option<&'a [f32]>,
    /// Vector hits with a cosine below this are dropped; keyword hits never are.
    pub threshold: f32,
    /// Only chunks of these collections; all where empty.
    pub collections: HashSet<String>,
    /// How the two arms are joined.
    pub fusion: Fusion,
    /// How many hits to return.
    pub limit: usize,
}

/// The outcome of one search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matches {
    /// The best, best first.
    pub best: Vec<Found>,
    /// How many chunks matched at all, before the limit.
    pub total: usize,
}

/// How much is in the index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Documents.
    pub documents: usize,
    /// Chunks.
    pub chunks: usize,
    /// Chunks with a vector.
    pub vectors: usize,
    /// Distinct keyword terms.
    pub terms: usize,
}

/// The searchable documents of a knowledge base.
#[derive(Debug, Default)]
pub struct Index {
    store: Store,
    words: InvertedIndex,
    vectors: FlatVectors,
}

impl Index {
    /// Inserts a document, replacing the one with its id, and returns the keys of its chunks.
    pub fn insert(&mut self, document: Prepared) -> Vec<ChunkKey> {
        self.remove(&document.collection, &document.id);
        let keys = self.store.insert(document);
        for key in &keys {
            if let Some((document, chunk)) = self.store.chunk(*key) {
                self.words.insert(*key, document.title.as_deref(), chunk, document.text_of(chunk));
            }
        }
        keys
    }

    /// Removes a document with its chunks; whether it was there.
    pub fn remove(&mut self, collection: &str, id: &str) -> bool {
        let keys = self.store.remove(collection, id);
        for key in keys.iter().flatten() {
            self.words.remove(*key);
            self.vectors.remove(*key);
        }
        keys.is_some()
    }

    /// Gives a chunk its unit vector. A key whose chunk is gone is passed over: its document was removed while
    /// the embedder worked.
    ///
    /// # Errors
    /// [`crate::Error::VectorShape`] where the length differs from the vectors already here.
    pub fn set_vector(&mut self, key: ChunkKey, vector: &[f32], truncated: bool) -> Result<()> {
        let Some(chunk) = self.store.chunk_mut(key) else { return Ok(()) };
        chunk.truncated = truncated;
        self.vectors.set(key, vector)
    }

    /// The chunks that have no vector yet.
    pub fn without_vector(&self) -> Vec<ChunkKey> {
        self.store.keys().filter(|key| !self.vectors.contains(*key)).collect()
    }

    /// A document by its id.
    pub fn document(&self, collection: &str, id: &str) -> Option<&StoredDocument> {
        self.store.document(collection, id)
    }

    /// A chunk with its document.
    pub fn chunk(&self, key: ChunkKey) -> Option<(&StoredDocument, &StoredChunk)> {
        self.store.chunk(key)
    }

    /// How much is in it, over all collections or in one.
    pub fn size(&self, collection: Option<&str>) -> Size {
        let mut size = Size { terms: self.words.terms(), ..Size::default() };
        for document in
            self.store.documents().filter(|one| collection.is_none_or(|name| name == &*one.collection))
        {
            size.documents += 1;
            size.chunks += document.chunks.len();
            size.vectors += document.chunks.iter().filter(|key| self.vectors.contains(**key)).count();
        }
        size
    }

    /// Searches with the arms the query has.
    ///
    /// # Errors
    /// [`crate::Error::VectorShape`] where the question's vector has another length than the index's.
    pub fn search(&self, query: &Query<'_>) -> Result<Matches> {
        let wanted = |key: ChunkKey| {
            query.collections.is_empty()
                || self
                    .store
                    .chunk(key)
                    .is_some_and(|(document, _)| query.collections.contains(&*document.collection))
        };
        let words = query.keywords.map(|text| self.words.search(text, query.prefix, &wanted));
        let near =
            query.vector.map(|vector| self.vectors.search(vector, query.threshold, &wanted)).transpose()?;
        Ok(fusion::join(words, near, query.fusion, CANDIDATES.max(query.limit), query.limit))
    }
}
