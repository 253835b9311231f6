//! What an answer without a model is made of.

use vademecum_protocol::document::Span;

/// Words quoted from a passage: a sentence, a list, code, or what a reader found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quote {
    /// The number of the passage, from 1.
    pub(super) number: usize,
    /// The words, with line breaks replaced by spaces; a list or code with its lines.
    pub(super) text: String,
    /// Position in the document, in UTF-16 code units.
    pub(super) span: Span,
}
