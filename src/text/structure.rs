//! Reads a document: finds its structure as its format says.

use super::block::{Block, Kind, Structure, lines, trim};
use super::{html, markdown};
use crate::document::Format;
use std::ops::Range;

/// The structure of `source`.
pub fn read(source: String, format: Format) -> Structure {
    match format {
        Format::Text => {
            let blocks = paragraphs(&source);
            Structure { text: source, title: None, blocks }
        }
        Format::Markdown => {
            let blocks = markdown::blocks(&source);
            let title = blocks.iter().find_map(|block| match &block.kind {
                Kind::Heading { level: 1, title } => Some(title.clone()),
                _ => None,
            });
            Structure { text: source, title, blocks }
        }
        Format::Html => html::extract(&source),
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
            let line = trim(text, at..at + line.len());
            let start = open.map_or(line.start, |span| span.start);
            open = Some(start..line.end);
        }
    }
    blocks.extend(open.map(|span| Block { kind: Kind::Paragraph, span }));
    blocks
}
