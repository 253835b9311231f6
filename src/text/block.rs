//! The structure of a document: its readable text, and the blocks that text is made of.

use crate::document::Format;
use crate::text::{html, markdown, sentence};
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

impl Structure {
    /// Reads `source` as `format` says.
    pub fn of(source: String, format: Format) -> Self {
        match format {
            Format::Text => {
                let blocks = paragraphs(&source);
                Self { text: source, title: None, blocks }
            }
            Format::Markdown => {
                let blocks = markdown::blocks(&source);
                let title = blocks.iter().find_map(|block| match &block.kind {
                    Kind::Heading { level: 1, title } => Some(title.clone()),
                    _ => None,
                });
                Self { text: source, title, blocks }
            }
            Format::Html => html::extract(&source),
        }
    }
}

/// Plain text: a blank line ends a paragraph.
fn paragraphs(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<Range<usize>> = None;
    for (at, line) in lines(text) {
        if line.trim().is_empty() {
            open.take().into_iter().for_each(|span| blocks.push(Block { kind: Kind::Paragraph, span }));
        } else {
            let line = sentence::trim(text, at..at + line.len());
            let start = open.map_or(line.start, |span| span.start);
            open = Some(start..line.end);
        }
    }
    blocks.extend(open.map(|span| Block { kind: Kind::Paragraph, span }));
    blocks
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
