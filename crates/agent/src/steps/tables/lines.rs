//! The lines of a document with their places, put together from its passages.

use std::rc::Rc;
use vademecum_protocol::document::{Hit, Span};

/// A line of a document.
#[derive(Debug, Clone)]
pub(in crate::steps) struct Line {
    pub(in crate::steps) text: String,
    /// The passage that it is in.
    pub(in crate::steps) hit: Rc<Hit>,
    /// Its position in the document, in UTF-16 code units.
    pub(in crate::steps) span: Span,
}

/// Returns the lines of a document, of passages in order; text that two passages share is there once, and an empty line stands
/// for what is between two of them.
pub(in crate::steps) fn lines(chunks: Vec<Hit>) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    let mut end = 0;
    for hit in chunks.into_iter().map(Rc::new) {
        let empty =
            |at: usize| Line { text: String::new(), hit: hit.clone(), span: Span { start: at, end: at } };
        let mut at = hit.chunk.span.start;
        if at > end + 1 && !found.is_empty() {
            found.push(empty(end));
        }
        for text in hit.chunk.text.split('\n') {
            let length = text.encode_utf16().count();
            if at >= end {
                let span = Span { start: at, end: at + length };
                found.push(Line { text: text.trim_end_matches('\r').to_owned(), hit: hit.clone(), span });
            }
            at += length + 1;
        }
        end = end.max(hit.chunk.span.end);
    }
    found
}
