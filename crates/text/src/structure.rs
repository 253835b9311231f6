//! Parses a document of any format to its structure.

use super::block::{Block, Kind, Structure, trim};
use super::wrapping::are_entries;
use super::{html, links, markdown};
use std::ops::Range;
use vademecum_protocol::document::Format;
use vademecum_protocol::error::Result;
use vademecum_util::within::Within;

/// Ends a page of plain text.
const FORM_FEED: char = '\u{c}';

/// Parses `source`.
///
/// # Errors
/// Those of [`html::extract`].
pub fn read(source: String, format: Format) -> Result<Structure> {
    Ok(match format {
        Format::Text => {
            let breaks: Vec<usize> = source.match_indices(FORM_FEED).map(|(at, _)| at + 1).collect();
            let first = (!breaks.is_empty()).then_some(0);
            paged(source, first.into_iter().chain(breaks).collect())
        }
        Format::Markdown => {
            let blocks = markdown::blocks(&source);
            let title = blocks.iter().find_map(|block| match &block.kind {
                Kind::Heading { level: 1, title } => Some(title.clone()),
                _ => None,
            });
            let links = links::links(&source, &blocks);
            Structure { text: source, title, blocks, links, pages: Vec::new() }
        }
        Format::Html => html::extract(&source)?,
    })
}

/// Returns the structure of a document given as the plain text of its pages.
///
/// The pages are joined by form feeds, so that every span refers to one text.
pub fn read_pages(pages: &[String]) -> Structure {
    let mut text = String::with_capacity(pages.iter().map(|page| page.len() + 1).sum());
    let mut starts = Vec::with_capacity(pages.len());
    for page in pages {
        if !starts.is_empty() {
            text.push(FORM_FEED);
        }
        starts.push(text.len());
        text.push_str(page);
    }
    paged(text, starts)
}

fn paged(text: String, pages: Vec<usize>) -> Structure {
    Structure { blocks: paragraphs(&text), text, pages, ..Structure::default() }
}

/// Splits plain text into paragraphs, and blocks of lines such as logs, at blank lines, and at the end of a page if a sentence ends there.
fn paragraphs(text: &str) -> Vec<Block> {
    let block = |span: Range<usize>| {
        let kind = if are_entries(text.within(span.clone())) { Kind::Lines } else { Kind::Paragraph };
        Block { kind, span }
    };
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<Range<usize>> = None;
    let mut at = 0;
    for line in text.split_inclusive(['\n', FORM_FEED]) {
        let span = trim(text, at..at + line.len());
        at += line.len();
        let blank = span.is_empty();
        if !blank {
            let start = open.map_or(span.start, |open| open.start);
            open = Some(start..span.end);
        }
        let ends = if line.ends_with(FORM_FEED) {
            open.as_ref().is_some_and(|open| ends_sentence(text, open))
        } else {
            blank
        };
        if ends {
            blocks.extend(open.take().map(block));
        }
    }
    blocks.extend(open.map(block));
    blocks
}

fn ends_sentence(text: &str, span: &Range<usize>) -> bool {
    let closing = ['"', '\'', ')', ']', '\u{201d}', '\u{2019}', '\u{bb}'];
    text.get(span.clone()).is_some_and(|text| {
        text.trim_end_matches(closing)
            .ends_with(['.', '!', '?', ':', '\u{2026}', '\u{3002}', '\u{ff01}', '\u{ff1f}'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paragraphs_of(structure: &Structure) -> Vec<&str> {
        structure.blocks.iter().map(|block| &structure.text[block.span.clone()]).collect()
    }

    #[test]
    fn a_paragraph_spans_pages_unless_a_sentence_ends_at_the_page_break() {
        let found = read("It goes\n\u{c}on here.\n\u{c}Then this.".into(), Format::Text).unwrap();
        assert_eq!(paragraphs_of(&found), ["It goes\n\u{c}on here.", "Then this."]);
        assert_eq!(found.pages, [0, 9, 19]);
    }

    #[test]
    fn pages_are_joined_and_every_byte_has_its_page() {
        let found = read_pages(&["One.".into(), String::new(), "Three".into()]);
        assert_eq!(found.text, "One.\u{c}\u{c}Three");
        assert_eq!(paragraphs_of(&found), ["One.", "Three"]);
        assert_eq!([0, 4, 5, 6, 10].map(|byte| found.page_at(byte)), [1, 1, 2, 3, 3].map(Some));
        assert_eq!(read("One page.".into(), Format::Text).unwrap().page_at(3), None);
    }
}
