//! What is suspicious in a chunk that a model was shown, with its place in the document.

use super::allowed::harmless;
use super::inspect::inspect;
use super::suspicion::SuspicionKind;
use serde::{Deserialize, Serialize};
use vademecum_protocol::document::{Chunk, Hit, Span};
use vademecum_protocol::error::excerpt;

/// Letters of a suspicious text that are told.
const TOLD: usize = 200;

/// Something suspicious that a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundSuspicion {
    /// The chunk.
    pub chunk_id: String,
    /// Its document.
    pub doc_id: String,
    /// The collection of that.
    pub collection: String,
    /// What is suspected.
    pub kind: SuspicionKind,
    /// How sure it is, in [0, 1].
    pub score: f32,
    /// Where it stands in the document's text, in UTF-16 code units; absent where it is not in the text, but in its title, its
    /// id, a heading or its metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The suspicious text, or how it begins.
    pub text: String,
}

/// Everything suspicious in a chunk: in its text, its title, its headings, its id and its metadata.
pub fn inspect_chunk(chunk: &Chunk) -> Vec<FoundSuspicion> {
    let found = |kind: SuspicionKind, score: f32, span: Option<Span>, text: &str| FoundSuspicion {
        chunk_id: chunk.id.clone(),
        doc_id: chunk.doc_id.clone(),
        collection: chunk.collection.clone(),
        kind,
        score,
        span,
        text: excerpt(text, TOLD),
    };
    let in_text = inspect(&chunk.text);
    let units: Vec<u16> = if in_text.is_empty() { Vec::new() } else { chunk.text.encode_utf16().collect() };
    let mut all: Vec<FoundSuspicion> = Vec::new();
    for one in in_text {
        let said = String::from_utf16_lossy(units.get(one.span.start..one.span.end).unwrap_or(&units));
        let from = chunk.span.start;
        let span = Span { start: from + one.span.start, end: from + one.span.end };
        all.push(found(one.kind, one.score, Some(span), &said));
    }
    let names = chunk.metadata.keys().map(String::as_str);
    let values = chunk.metadata.values().filter_map(|value| value.as_str());
    let labels = chunk.title.iter().chain(&chunk.headings).map(String::as_str);
    for label in labels.chain([chunk.doc_id.as_str()]).chain(names).chain(values) {
        // What a name says with dashes, it says with spaces.
        let spaced = label.replace(['-', '_', '.', '/'], " ");
        let worst =
            inspect(label).into_iter().chain(inspect(&spaced)).max_by(|a, b| a.score.total_cmp(&b.score));
        all.extend(worst.map(|worst| found(worst.kind, worst.score, None, label)));
    }
    if let Some(url) = chunk.url.as_deref().filter(|url| !harmless(url)) {
        all.push(found(SuspicionKind::Link, 0.8, None, url));
    }
    all
}

/// Whether anything in a passage is suspicious: an answer takes no address from it.
pub fn is_suspicious(hit: &Hit) -> bool {
    !inspect_chunk(&hit.chunk).is_empty()
}
