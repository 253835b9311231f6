//! What a document's structure is: its readable text, and the blocks that text is made of.

use std::ops::Range;

/// What a block is, which decides how it may be cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A heading: opens a section.
    Heading {
        /// 1 is the outermost.
        level: u8,
        /// The heading without its mark-up.
        title: String,
    },
    /// Running text: cut between sentences.
    Paragraph,
    /// Code, a table or a list: cut between lines.
    Lines,
}

/// A stretch of the text that belongs together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: Kind,
    /// Where it stands, in bytes of [`Structure::text`], white space at the ends left out.
    pub span: Range<usize>,
}

/// A document's readable text with its blocks in order. Blocks do not overlap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Structure {
    /// For Markdown and plain text the source itself; for HTML what a reader would see.
    pub text: String,
    /// The title the document states itself (HTML's `<title>`, Markdown's first top heading).
    pub title: Option<String>,
    /// The blocks.
    pub blocks: Vec<Block>,
}

/// The lines of `text` with the byte each begins at, line ends included.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

/// `range` of `text` without the white space at both ends.
pub(crate) fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let slice = text.get(range.clone()).unwrap_or_default();
    let start = range.start + (slice.len() - slice.trim_start().len());
    start..start + slice.trim().len()
}
