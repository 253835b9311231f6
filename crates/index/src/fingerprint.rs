//! Fingerprints, equal for indexes with equal search results.

use super::documents::StoredDocument;
use super::index::Index;
use super::segment::Segment;
use vademecum_text::terms::Rule;
use xxhash_rust::xxh3::xxh3_64;

impl Index {
    /// Returns an order-independent hash of everything that affects search results: documents, their chunks,
    /// which chunks have a vector, and `embedder`, the id of the model. Segment boundaries do not affect it.
    /// Uses the stored hashes of chunks, so no chunk text is read.
    pub fn fingerprint(&self, embedder: &str) -> u64 {
        let segments = self.segments.iter().chain([&self.tail]);
        let mut bytes = Vec::new();
        let documents =
            segments.flat_map(|segment| segment.live_documents().map(move |one| (segment, one.1)));
        // Addition is commutative, which makes the hash independent of order.
        documents.fold(xxh3_64(embedder.as_bytes()), |sum, (segment, document)| {
            bytes.clear();
            put(segment, &document, &mut bytes);
            sum.wrapping_add(xxh3_64(&bytes))
        })
    }
}

/// Appends what a document contributes. The caller hashes it at once, because a hasher that takes numbers one by one is many times as slow.
fn put(segment: &Segment, document: &StoredDocument<'_>, bytes: &mut Vec<u8>) {
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
        // Hash 64-bit lengths on 32-bit targets too, so that fingerprints agree across platforms.
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text.as_bytes());
    }
    if segment.rule == Rule::Words {
        bytes.push(1);
    }
    for chunk in document.row.chunks.clone() {
        let hash = segment.documents.chunks.get(chunk as usize).map_or(0, |chunk| chunk.hash);
        bytes.extend(hash.to_le_bytes());
        bytes.push(u8::from(segment.vectors.present().contains(chunk as usize)));
    }
}
