//! Places of a text in UTF-16 code units, as JavaScript counts them.

use std::ops::Range;
use vademecum_protocol::document::Span;

/// Byte offset of each UTF-16 code unit of a text, so that converting many spans takes one pass over the text.
#[derive(Debug)]
pub struct Utf16(Vec<usize>);

impl Utf16 {
    /// Indexes a text.
    pub fn new(text: &str) -> Self {
        let mut places = Vec::with_capacity(text.len() + 1);
        for (at, letter) in text.char_indices() {
            places.extend((0..letter.len_utf16()).map(|unit| at + unit));
        }
        places.push(text.len());
        Self(places)
    }

    /// Converts a span into bytes; `None` if it ends within a character or outside the text.
    pub fn bytes(&self, text: &str, span: Span) -> Option<Range<usize>> {
        let bytes = *self.0.get(span.start)?..*self.0.get(span.end)?;
        text.get(bytes.clone()).map(|_| bytes)
    }

    /// Converts bytes into a span.
    pub(super) fn span(&self, bytes: &Range<usize>) -> Span {
        let unit = |byte: usize| self.0.partition_point(|place| *place < byte);
        Span { start: unit(bytes.start), end: unit(bytes.end) }
    }
}
