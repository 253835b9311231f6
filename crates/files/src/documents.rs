//! What a file becomes.

use vademecum_protocol::document::Document;

/// The documents of a file, and remarks about how it was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Read {
    /// The documents.
    pub documents: Vec<Document>,
    /// Remarks, as sentences.
    pub notes: Vec<String>,
}

impl Read {
    pub(crate) fn of(document: Document) -> Self {
        Self { documents: vec![document], notes: Vec::new() }
    }
}
