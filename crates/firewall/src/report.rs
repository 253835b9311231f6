//! Reports suspicious text in a chunk with its position in the document.

use super::allowed::harmless;
use super::inspect::inspect;
use super::suspicion::SuspicionKind;
use serde::{Deserialize, Serialize};
use vademecum_protocol::document::{Chunk, Hit, Span};
use vademecum_protocol::error::excerpt;

/// Maximum length of a reported text in characters.
const MAX_TEXT: usize = 200;

/// A suspicious text in a passage: it looks as if it were meant for a model and not for a reader.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Suspicion"))]
#[serde(rename_all = "camelCase")]
pub struct FoundSuspicion {
    /// The chunk id.
    pub chunk_id: String,
    /// The document id.
    pub doc_id: String,
    /// The collection of the document.
    pub collection: String,
    /// The kind.
    pub kind: SuspicionKind,
    /// Confidence in [0, 1].
    pub score: f32,
    /// Position in the document's text, in UTF-16 code units; absent for a suspicion in the title, the id, a heading or the
    /// metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The suspicious text, or its beginning.
    pub text: String,
}

/// Inspects everything in a chunk that a model is shown: text, title, headings, id, metadata and URL.
pub fn inspect_chunk(chunk: &Chunk) -> Vec<FoundSuspicion> {
    let found = |kind: SuspicionKind, score: f32, span: Option<Span>, text: &str| FoundSuspicion {
        chunk_id: chunk.id.clone(),
        doc_id: chunk.doc_id.clone(),
        collection: chunk.collection.clone(),
        kind,
        score,
        span,
        text: excerpt(text, MAX_TEXT),
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
        // A name may spell an instruction with dashes for spaces.
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

/// Returns whether any part of a passage is suspicious. An answer may use no address from such a document.
pub fn is_suspicious(hit: &Hit) -> bool {
    !inspect_chunk(&hit.chunk).is_empty()
}
