//! Documents and chunks by key. Keys are handed out once and never again, so a key kept across an `await` either
//! means the same chunk or none.

use crate::document::{Chunk, Span};
use crate::text::chunk::Piece;
use std::collections::HashMap;
use std::rc::Rc;

/// Names a chunk within one index for as long as it lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkKey(pub(super) u32);

/// A document that was read and cut, ready to be inserted.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// Unique within the collection.
    pub id: String,
    /// The collection it belongs to.
    pub collection: Rc<str>,
    /// Its title.
    pub title: Option<String>,
    /// Its address.
    pub url: Option<String>,
    /// The readable text, which the pieces point into.
    pub text: String,
    /// The pieces, in order.
    pub pieces: Vec<Piece>,
    /// The caller's metadata.
    pub metadata: serde_json::Map<String, serde_json::Value>,
}

/// A document in the index.
#[derive(Debug, Clone)]
pub struct StoredDocument {
    /// Unique within the collection.
    pub id: String,
    /// The collection it belongs to.
    pub collection: Rc<str>,
    /// Its title.
    pub title: Option<String>,
    /// Its address.
    pub url: Option<String>,
    /// The readable text.
    pub text: String,
    /// The caller's metadata.
    pub metadata: serde_json::Map<String, serde_json::Value>,
    /// Its chunks, in order.
    pub chunks: Vec<ChunkKey>,
}

/// A chunk in the index.
#[derive(Debug, Clone)]
pub struct StoredChunk {
    /// Which one of its document, from 0.
    pub ordinal: usize,
    /// Where it stands.
    pub piece: Piece,
    /// Whether the embedder saw only its beginning.
    pub truncated: bool,
}

impl StoredDocument {
    /// The text of one of its chunks.
    pub fn text_of(&self, chunk: &StoredChunk) -> &str {
        self.text.get(chunk.piece.bytes.clone()).unwrap_or_default()
    }

    /// One of its chunks as it is given out.
    pub fn chunk(&self, chunk: &StoredChunk) -> Chunk {
        Chunk {
            id: format!("{}/{}#{}", self.collection, self.id, chunk.ordinal),
            doc_id: self.id.clone(),
            collection: self.collection.to_string(),
            title: self.title.clone(),
            url: self.url.clone(),
            text: self.text_of(chunk).to_owned(),
            headings: chunk.piece.headings.clone(),
            span: Span::from(chunk.piece.utf16.clone()),
            bytes: Span::from(chunk.piece.bytes.clone()),
            truncated: chunk.truncated,
            metadata: self.metadata.clone(),
        }
    }
}

/// A slot per chunk: the number of its document, and the chunk.
type Slot = Option<(usize, StoredChunk)>;

#[derive(Debug, Default)]
pub(super) struct Store {
    documents: HashMap<usize, StoredDocument>,
    by_id: HashMap<Rc<str>, HashMap<String, usize>>,
    chunks: Vec<Slot>,
    next_document: usize,
}

impl Store {
    pub(super) fn insert(&mut self, document: Prepared) -> Vec<ChunkKey> {
        let number = self.next_document;
        self.next_document += 1;
        let keys: Vec<ChunkKey> = document
            .pieces
            .into_iter()
            .enumerate()
            .map(|(ordinal, piece)| {
                // 2³² chunks do not fit a 32-bit address space: the cast cannot lose anything.
                let key = ChunkKey(self.chunks.len() as u32);
                self.chunks.push(Some((number, StoredChunk { ordinal, piece, truncated: false })));
                key
            })
            .collect();
        self.by_id.entry(document.collection.clone()).or_default().insert(document.id.clone(), number);
        self.documents.insert(
            number,
            StoredDocument {
                id: document.id,
                collection: document.collection,
                title: document.title,
                url: document.url,
                text: document.text,
                metadata: document.metadata,
                chunks: keys.clone(),
            },
        );
        keys
    }

    pub(super) fn remove(&mut self, collection: &str, id: &str) -> Option<Vec<ChunkKey>> {
        let number = self.by_id.get_mut(collection)?.remove(id)?;
        let document = self.documents.remove(&number)?;
        for key in &document.chunks {
            if let Some(slot) = self.chunks.get_mut(key.0 as usize) {
                *slot = None;
            }
        }
        Some(document.chunks)
    }

    pub(super) fn document(&self, collection: &str, id: &str) -> Option<&StoredDocument> {
        self.documents.get(self.by_id.get(collection)?.get(id)?)
    }

    pub(super) fn documents(&self) -> impl Iterator<Item = &StoredDocument> {
        self.documents.values()
    }

    pub(super) fn chunk(&self, key: ChunkKey) -> Option<(&StoredDocument, &StoredChunk)> {
        let (number, chunk) = self.chunks.get(key.0 as usize)?.as_ref()?;
        Some((self.documents.get(number)?, chunk))
    }

    pub(super) fn chunk_mut(&mut self, key: ChunkKey) -> Option<&mut StoredChunk> {
        self.chunks.get_mut(key.0 as usize)?.as_mut().map(|(_, chunk)| chunk)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = ChunkKey> {
        self.chunks.iter().enumerate().filter(|(_, slot)| slot.is_some()).map(|(at, _)| ChunkKey(at as u32))
    }
}
