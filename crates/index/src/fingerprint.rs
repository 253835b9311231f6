//! A number that tells whether an index holds the same as another, or as it did before.

use super::documents::StoredDocument;
use super::index::Index;
use super::segment::Segment;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

impl Index {
    /// What is found depends on, in one number: documents, how they are cut, which chunks have a vector, and what made
    /// those, `embedder`. In which order documents came, and which segments they stand in, makes no difference. A chunk's
    /// text is not read for it: its hash is kept.
    pub fn fingerprint(&self, embedder: &str) -> u64 {
        let segments = self.segments.iter().chain([&self.tail]);
        let documents = segments
            .flat_map(|segment| segment.live_documents().map(|(_, document)| number(segment, &document)));
        // A sum has no order.
        documents.fold(xxh3_64(embedder.as_bytes()), u64::wrapping_add)
    }
}

fn number(segment: &Segment, document: &StoredDocument<'_>) -> u64 {
    let mut hasher = Xxh3::new();
    let language = format!("{:?}", document.language());
    let texts = [
        document.collection(),
        document.id(),
        document.title().unwrap_or_default(),
        document.url().unwrap_or_default(),
        document.metadata_json(),
        &language,
    ];
    for text in texts {
        // 64 bits also where a `usize` has 32.
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    for chunk in document.row.chunks.clone() {
        let hash = segment.documents.chunks.get(chunk as usize).map_or(0, |chunk| chunk.hash);
        hasher.update(&hash.to_le_bytes());
        hasher.update(&[u8::from(segment.vectors.present().contains(chunk as usize))]);
    }
    hasher.digest()
}
