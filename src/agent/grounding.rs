//! What supports each sentence of an answer, found without a model.

use crate::document::Span;
use serde::Serialize;

/// A sentence of the answer, and the chunk that supports it best.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GroundedSentence {
    /// The sentence, citations included.
    pub text: String,
    /// Where it stands in the answer, in UTF-16 code units.
    pub at: Span,
    /// Whether a chunk supports it.
    pub supported: bool,
    /// How much of it the chunk holds, in [0, 1].
    pub score: f32,
    /// The chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_id: Option<String>,
    /// Where the supporting words stand in the chunk's document, in UTF-16 code units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
}
