//! Cuts a document into chunks along its structure: a chunk never crosses a heading, ends between blocks where it
//! can, else between sentences or lines, and stays within a token budget.

use super::block::{Block, Kind, Structure, lines, trim};
use super::sentence::sentences;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// A chunk's place in its document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// UTF-8 bytes.
    pub bytes: Range<usize>,
    /// UTF-16 code units, as JavaScript counts.
    pub utf16: Range<usize>,
    /// The headings above, outermost first.
    pub headings: Vec<String>,
}

/// Cuts `structure` into pieces of at most `max_tokens` estimated tokens ([`estimate_tokens`]).
pub fn chunk(structure: &Structure, max_tokens: usize) -> Vec<Piece> {
    let mut cutter = Cutter {
        text: &structure.text,
        max_tokens: max_tokens.max(1),
        headings: Vec::new(),
        open: None,
        pieces: Vec::new(),
    };
    for block in &structure.blocks {
        cutter.block(block);
    }
    cutter.flush();
    let mut pieces = cutter.pieces;
    fill_utf16(&structure.text, &mut pieces);
    pieces
}

/// How many word pieces a BERT-class tokenizer makes of `text`, within about a fifth for English prose and code.
/// Cheap, so that chunking does not wait for a model; the embedder flags a chunk it had to cut all the same.
pub fn estimate_tokens(text: &str) -> usize {
    text.split_word_bounds()
        .map(|word| match word.chars().next() {
            Some(first) if first.is_whitespace() => 0,
            Some(first) if first.is_alphanumeric() && word.is_ascii() => {
                let humps = word.bytes().filter(|byte| matches!(byte, b'_' | b'.')).count();
                1 + 2 * humps + word.len().saturating_sub(1) / 7
            }
            _ => word.chars().count(),
        })
        .sum()
}

struct Open {
    bytes: Range<usize>,
    /// False while only headings are in it: text may still follow under a deeper heading.
    has_body: bool,
}

struct Cutter<'a> {
    text: &'a str,
    max_tokens: usize,
    headings: Vec<(u8, String)>,
    open: Option<Open>,
    pieces: Vec<Piece>,
}

impl Cutter<'_> {
    fn block(&mut self, block: &Block) {
        if let Kind::Heading { level, title } = &block.kind {
            if self.open.as_ref().is_some_and(|open| open.has_body) {
                self.flush();
            }
            while self.headings.last().is_some_and(|(above, _)| above >= level) {
                self.headings.pop();
            }
            self.headings.push((*level, title.clone()));
            self.append(block.span.clone(), false);
            return;
        }
        if self.tokens(&block.span) <= self.max_tokens {
            self.append(block.span.clone(), true);
            return;
        }
        let parts = match block.kind {
            Kind::Lines => self.line_ranges(&block.span),
            _ => shift(sentences(self.slice(&block.span)), block.span.start),
        };
        for part in parts {
            if self.tokens(&part) <= self.max_tokens {
                self.append(part, true);
            } else {
                for words in self.word_ranges(&part) {
                    self.append(words, true);
                }
            }
        }
    }

    /// Adds a range to the open chunk, or to a new one where it would not fit.
    fn append(&mut self, span: Range<usize>, is_body: bool) {
        // Estimated together: two halves of a word may count less than the word.
        let fits =
            |open: &Open| !open.has_body || self.tokens(&(open.bytes.start..span.end)) <= self.max_tokens;
        if !self.open.as_ref().is_none_or(fits) {
            self.flush();
        }
        match &mut self.open {
            Some(open) => {
                open.bytes.end = span.end;
                open.has_body |= is_body;
            }
            None => self.open = Some(Open { bytes: span, has_body: is_body }),
        }
    }

    fn flush(&mut self) {
        if let Some(open) = self.open.take() {
            let headings = self.headings.iter().map(|(_, title)| title.clone()).collect();
            self.pieces.push(Piece { bytes: open.bytes, utf16: 0..0, headings });
        }
    }

    fn slice(&self, span: &Range<usize>) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    fn tokens(&self, span: &Range<usize>) -> usize {
        estimate_tokens(self.slice(span))
    }

    fn line_ranges(&self, span: &Range<usize>) -> Vec<Range<usize>> {
        lines(self.slice(span))
            .map(|(at, line)| {
                let start = span.start + at;
                // Indentation is part of a line of code; the white space behind it is not.
                start..start + line.trim_end().len()
            })
            .filter(|range| !self.slice(range).trim().is_empty())
            .collect()
    }

    /// Cuts a run that is too long for one chunk between words, and a word that is too long between letters.
    fn word_ranges(&self, span: &Range<usize>) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (at, word) in self.slice(span).split_word_bound_indices() {
            let start = span.start + at;
            let cost = estimate_tokens(word);
            let whole = start..start + word.len();
            let parts = if cost > self.max_tokens { self.letter_ranges(&whole) } else { vec![whole] };
            for part in parts {
                match ranges.last_mut() {
                    Some(last) if self.tokens(&(last.start..part.end)) <= self.max_tokens => {
                        last.end = part.end;
                    }
                    _ => ranges.push(part),
                }
            }
        }
        ranges.into_iter().map(|range| trim(self.text, range)).filter(|range| !range.is_empty()).collect()
    }

    /// No character ever counts as more than one token, so that many of them always fit.
    fn letter_ranges(&self, span: &Range<usize>) -> Vec<Range<usize>> {
        let starts: Vec<usize> =
            self.slice(span).char_indices().step_by(self.max_tokens).map(|(at, _)| span.start + at).collect();
        let ends = starts.iter().skip(1).copied().chain([span.end]);
        starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
    }
}

fn shift(ranges: Vec<Range<usize>>, by: usize) -> Vec<Range<usize>> {
    ranges.into_iter().map(|range| range.start + by..range.end + by).collect()
}

/// Pieces are in order, so one walk over the text gives every UTF-16 offset.
fn fill_utf16(text: &str, pieces: &mut [Piece]) {
    let (mut byte, mut unit) = (0, 0);
    let mut advance = |to: usize| {
        unit += text.get(byte..to).unwrap_or_default().encode_utf16().count();
        byte = to;
        unit
    };
    for piece in pieces {
        let start = advance(piece.bytes.start);
        piece.utf16 = start..advance(piece.bytes.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Format;
    use crate::text::structure::read;

    fn cut(text: &str, format: Format, max_tokens: usize) -> Vec<(String, Vec<String>)> {
        let structure = read(text.to_owned(), format);
        chunk(&structure, max_tokens)
            .into_iter()
            .map(|piece| (structure.text[piece.bytes].to_owned(), piece.headings))
            .collect()
    }

    #[test]
    fn a_chunk_never_crosses_a_heading_and_knows_those_above_it() {
        let chunks = cut("# A\n\n## B\n\nOne.\n\n## C\n\nTwo.\n", Format::Markdown, 50);
        assert_eq!(chunks[0], ("# A\n\n## B\n\nOne.".into(), vec!["A".into(), "B".into()]));
        assert_eq!(chunks[1], ("## C\n\nTwo.".into(), vec!["A".into(), "C".into()]));
    }

    #[test]
    fn a_long_paragraph_is_cut_between_sentences() {
        let chunks = cut("One two three four. Five six seven eight. Nine ten.", Format::Text, 10);
        let texts: Vec<_> = chunks.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, ["One two three four. Five six seven eight.", "Nine ten."]);
    }

    #[test]
    fn a_word_longer_than_a_chunk_is_cut_between_letters() {
        let chunks = cut(&"é".repeat(25), Format::Text, 10);
        assert_eq!(chunks.iter().map(|(text, _)| text.chars().count()).collect::<Vec<_>>(), [10, 10, 5]);
    }
}
