//! Splits a document into chunks along its structure, within a token budget. A chunk never crosses a heading.
//! Boundaries are between blocks if possible, else between sentences or lines, and within a sentence only if
//! that exceeds the budget itself.

use super::block::{Block, Kind, Structure};
use super::boundaries::cut;
use super::units::{Join, Measure, Unit, Units};
use std::ops::Range;
use std::rc::Rc;
use vademecum_util::within::Within;

/// Tokens that an encoder adds to every text (`[CLS]` and `[SEP]`).
const SPECIAL_TOKENS: usize = 2;

/// The size of chunks.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// The model's input length, including special tokens.
    pub max_tokens: usize,
    /// Maximum number of tokens, in whole sentences or lines, that a chunk repeats of its predecessor;
    /// limited to half of the budget.
    pub overlap: usize,
    /// Counts the tokens of a text without special tokens. Must ignore white space between two texts, and
    /// count a concatenation as at most the sum of its parts.
    pub count: &'a dyn Fn(&str) -> usize,
    /// The document's title, which is embedded with every chunk.
    pub title: Option<&'a str>,
}

impl std::fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget")
            .field("max_tokens", &self.max_tokens)
            .field("overlap", &self.overlap)
            .field("title", &self.title)
            .finish_non_exhaustive()
    }
}

impl Budget<'_> {
    /// Creates a budget based on [`estimate_tokens`], without title and overlap.
    pub fn estimated(max_tokens: usize) -> Self {
        Self { max_tokens, overlap: 0, count: &estimate_tokens, title: None }
    }
}

/// A chunk: its position in the document, and its context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Range in UTF-8 bytes.
    pub bytes: Range<usize>,
    /// Range in UTF-16 code units, as used by JavaScript.
    pub utf16: Range<usize>,
    /// The headings above, outermost first.
    pub headings: Vec<String>,
    /// The page on which the chunk begins, counted from 1, if the document has pages.
    pub page: Option<u32>,
    /// The header row of the table that the chunk continues.
    pub context: Option<Rc<str>>,
    /// Text prepended for embedding: title, heading and header row, unless the chunk contains them; limited
    /// to half of the budget.
    pub prefix: Rc<str>,
}

impl Piece {
    /// Returns the text to embed. The prefix tells the encoder the chunk's subject.
    pub fn embedded(&self, text: &str) -> String {
        embedded_text(&self.prefix, text)
    }
}

/// Prepends a prefix to a text for embedding.
pub fn embedded_text(prefix: &str, text: &str) -> String {
    if prefix.is_empty() { text.to_owned() } else { format!("{prefix}\n{text}") }
}

/// Splits `structure` into chunks. The embedded text of each ([`Piece::embedded`]) is within the budget,
/// unless a single character exceeds it.
pub fn chunk(structure: &Structure, budget: &Budget<'_>) -> Vec<Piece> {
    let mut chunker = Chunker {
        structure,
        budget,
        measure: Measure(budget.count),
        room: budget.max_tokens.saturating_sub(SPECIAL_TOKENS).max(1),
        headings: Vec::new(),
        pieces: Vec::new(),
    };
    let mut rest = structure.blocks.as_slice();
    while !rest.is_empty() {
        let (section, after) = rest.split_at(section_length(rest, chunker.room));
        chunker.section(section);
        rest = after;
    }
    let mut pieces = chunker.pieces;
    fill_utf16(&structure.text, &mut pieces);
    pieces
}

/// Estimates the number of WordPiece tokens of `text`, within about 20% for English prose and code. Chunking
/// thus works without a model; the encoder flags chunks that it has to truncate.
pub fn estimate_tokens(text: &str) -> usize {
    token_starts(text).count()
}

/// Returns the prefix of `text` with at most `most` estimated tokens.
pub fn first_tokens(text: &str, most: usize) -> &str {
    token_starts(text).nth(most).and_then(|start| text.get(..start)).unwrap_or(text)
}

/// Iterates over the estimated token offsets.
fn token_starts(text: &str) -> impl Iterator<Item = usize> {
    let mut letters = 0;
    text.char_indices().filter_map(move |(at, letter)| {
        let begins = if letter.is_ascii_alphanumeric() {
            letters += 1;
            letters % LETTERS_PER_TOKEN == 1
        } else {
            letters = 0;
            !letter.is_whitespace()
        };
        begins.then_some(at)
    })
}

/// Average length of a word piece in English words.
const LETTERS_PER_TOKEN: usize = 7;

/// Returns the number of blocks in the first section: consecutive headings and the text below them. A long
/// sequence of headings without text is split into several sections.
fn section_length(blocks: &[Block], room: usize) -> usize {
    const BYTES_PER_TOKEN: usize = 4;
    let is_heading = |block: &Block| matches!(block.kind, Kind::Heading { .. });
    let start = blocks.first().map_or(0, |block| block.span.start);
    let mut body = false;
    for (index, block) in blocks.iter().enumerate() {
        let long = block.span.end - start > room * BYTES_PER_TOKEN;
        if index > 0 && is_heading(block) && (body || long) {
            return index;
        }
        body |= !is_heading(block);
    }
    blocks.len()
}

/// The header row of a table that is split.
struct Header {
    whole: Rc<str>,
    /// The part of it that is embedded.
    fitting: String,
    cost: usize,
}

struct Chunker<'a> {
    structure: &'a Structure,
    budget: &'a Budget<'a>,
    measure: Measure<'a>,
    /// Tokens available for text and prefix.
    room: usize,
    headings: Vec<(u8, String)>,
    pieces: Vec<Piece>,
}

impl Chunker<'_> {
    fn section(&mut self, blocks: &[Block]) {
        for block in blocks {
            if let Kind::Heading { level, title } = &block.kind {
                while self.headings.last().is_some_and(|(above, _)| above >= level) {
                    self.headings.pop();
                }
                self.headings.push((*level, title.clone()));
            }
        }
        let half = self.room / 2;
        let (title, title_cost) = self.measure.fitting(self.budget.title.unwrap_or_default(), half);
        let heading = self.headings.last().map_or("", |(_, title)| title.as_str());
        let heading = if Some(heading) == self.budget.title { "" } else { heading };
        let (heading, heading_cost) = self.measure.fitting(heading, half - title_cost);
        let spent = title_cost + heading_cost;
        let (title, heading) = (title.to_owned(), heading.to_owned());

        let room = self.room - spent;
        let (units, headers) = self.units(blocks, room, half - spent);
        let header = |unit: &Unit| unit.table.and_then(|table| headers.get(table));
        let overlap = self.budget.overlap.min(room / 2);
        let runs = cut(&units, room, overlap, &|unit| header(unit).map_or(0, |header| header.cost));
        let opens = |at: usize| {
            blocks
                .first()
                .is_some_and(|block| block.span.start == at && matches!(block.kind, Kind::Heading { .. }))
        };
        for run in runs {
            let parts = units.within(run);
            let Some((first, last)) = parts.first().zip(parts.last()) else { continue };
            let bytes = first.at.start..last.at.end;
            let header = header(first);
            let heading = if opens(bytes.start) { "" } else { &heading };
            self.piece(bytes, [&title, heading, header.map_or("", |header| &header.fitting)], header);
        }
    }

    fn piece(&mut self, bytes: Range<usize>, above: [&str; 3], header: Option<&Header>) {
        let text = self.structure.text.within(bytes.clone());
        let [title, ..] = above;
        let says_title = text.trim_start_matches(['#', ' ']).starts_with(title);
        let above = above.into_iter().skip(usize::from(says_title)).filter(|part| !part.is_empty());
        let prefix = above.collect::<Vec<_>>().join("\n");
        let shared = self.pieces.last().map(|piece| &piece.prefix).filter(|shared| ***shared == *prefix);
        self.pieces.push(Piece {
            page: self.structure.page_at(bytes.start),
            headings: self.headings.iter().map(|(_, title)| title.clone()).collect(),
            context: header.map(|header| header.whole.clone()),
            prefix: shared.cloned().unwrap_or_else(|| prefix.into()),
            utf16: 0..0,
            bytes,
        });
    }

    /// Returns the section's units, and the header rows of its tables that are split.
    fn units(&self, blocks: &[Block], limit: usize, header_room: usize) -> (Vec<Unit>, Vec<Header>) {
        let text = &self.structure.text;
        let mut units = Units { text, measure: self.measure, limit, list: Vec::new() };
        let mut headers = Vec::new();
        let mut join = Join::Block;
        for block in blocks {
            if let Kind::Table { header } = &block.kind {
                let whole = text.within(header.clone());
                let (fitting, cost) = self.measure.fitting(whole, header_room);
                if units.table(&block.span, join, cost, headers.len()) {
                    // A header row that is too long is replaced by the part that fits.
                    let whole = if whole.len() > MAX_HEADER_BYTES { fitting } else { whole };
                    headers.push(Header { whole: whole.into(), fitting: fitting.to_owned(), cost });
                }
            } else {
                units.block(block, join);
            }
            join = if matches!(block.kind, Kind::Heading { .. }) { Join::Heading } else { Join::Block };
        }
        (units.list, headers)
    }
}

/// Maximum length of a header row, in bytes.
const MAX_HEADER_BYTES: usize = 4_096;

/// Computes all UTF-16 offsets in two passes, which works because starts and ends of chunks are each
/// ascending.
fn fill_utf16(text: &str, pieces: &mut [Piece]) {
    let mut starts = Utf16Counter::new(text);
    let mut ends = Utf16Counter::new(text);
    for piece in pieces {
        piece.utf16 = starts.to(piece.bytes.start)..ends.to(piece.bytes.end);
    }
}

struct Utf16Counter<'a> {
    text: &'a str,
    byte: usize,
    unit: usize,
}

impl<'a> Utf16Counter<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, byte: 0, unit: 0 }
    }

    fn to(&mut self, byte: usize) -> usize {
        let passed = self.text.within(self.byte..byte);
        // One for each first byte of a character, and one more for those of four bytes.
        let units = |byte: u8| usize::from(byte & 0xc0 != 0x80) + usize::from(byte >= 0xf0);
        self.unit += passed.bytes().map(units).sum::<usize>();
        self.byte = byte;
        self.unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::read;
    use vademecum_protocol::document::Format;

    fn cut_with(text: &str, format: Format, budget: &Budget<'_>) -> Vec<(String, Piece)> {
        let structure = read(text.to_owned(), format).unwrap();
        let pieces = chunk(&structure, budget).into_iter();
        pieces.map(|piece| (structure.text[piece.bytes.clone()].to_owned(), piece)).collect()
    }

    fn cut(text: &str, format: Format, max_tokens: usize) -> Vec<(String, Piece)> {
        cut_with(text, format, &Budget::estimated(max_tokens))
    }

    fn texts(chunks: &[(String, Piece)]) -> Vec<&str> {
        chunks.iter().map(|(text, _)| text.as_str()).collect()
    }

    #[test]
    fn a_chunk_never_crosses_a_heading_and_lists_those_above() {
        let chunks = cut("# A\n\n## B\n\nOne.\n\n## C\n\nTwo.\n", Format::Markdown, 50);
        assert_eq!(texts(&chunks), ["# A\n\n## B\n\nOne.", "## C\n\nTwo."]);
        assert_eq!(chunks[0].1.headings, ["A", "B"]);
        assert_eq!(chunks[1].1.headings, ["A", "C"]);
    }

    #[test]
    fn a_long_paragraph_is_cut_between_sentences() {
        let chunks = cut("One two three four. Five six seven eight. Nine ten.", Format::Text, 12);
        assert_eq!(texts(&chunks), ["One two three four.", "Five six seven eight. Nine ten."]);
    }

    #[test]
    fn a_word_longer_than_a_chunk_is_split_between_letters() {
        let chunks = cut(&"é".repeat(25), Format::Text, 12);
        assert!(texts(&chunks).iter().all(|text| text.chars().count() <= 10));
        assert_eq!(texts(&chunks).concat().chars().count(), 25);
    }

    #[test]
    fn a_slightly_too_long_section_is_split_evenly() {
        let text = "One two three four five. ".repeat(22);
        let chunks = cut(&text, Format::Text, 128);
        let sizes: Vec<_> = texts(&chunks).iter().map(|text| estimate_tokens(text)).collect();
        assert_eq!(sizes, [66, 66]);
    }

    #[test]
    fn the_next_chunk_repeats_whole_sentences_within_the_overlap() {
        let text = "One two. Three four. Five six. Seven eight. Nine ten. Eleven twelve.";
        let budget = Budget { overlap: 4, ..Budget::estimated(12) };
        let chunks = cut_with(text, Format::Text, &budget);
        assert_eq!(
            texts(&chunks),
            [
                "One two. Three four. Five six.",
                "Five six. Seven eight. Nine ten.",
                "Nine ten. Eleven twelve."
            ]
        );
    }

    #[test]
    fn split_tables_repeat_their_header() {
        let table = "# Shop\n\n| Part | Price |\n|---|---|\n| Bolt | 2 |\n| Nut | 3 |\n| Gear | 4 |\n";
        let budget = Budget { title: Some("Catalogue"), ..Budget::estimated(34) };
        let chunks = cut_with(table, Format::Markdown, &budget);
        assert_eq!(texts(&chunks)[1..], ["| Nut | 3 |\n| Gear | 4 |"]);
        assert_eq!(chunks[1].1.context.as_deref(), Some("| Part | Price |"));
        assert_eq!(&*chunks[1].1.prefix, "Catalogue\nShop\n| Part | Price |");
        assert_eq!((chunks[0].1.context.as_deref(), &*chunks[0].1.prefix), (None, "Catalogue"));
    }

    #[test]
    fn code_is_kept_whole_or_split_at_blank_lines() {
        let code = "Before it all.\n\n```\nlet a = 1;\nlet b = 2;\n\nlet c = 3;\nlet d = 4;\n```";
        assert_eq!(texts(&cut(code, Format::Markdown, 30))[1..], [&code[16..]]);
        let parts = cut(&code[16..], Format::Markdown, 20);
        assert_eq!(texts(&parts), ["```\nlet a = 1;\nlet b = 2;", "let c = 3;\nlet d = 4;\n```"]);
    }

    #[test]
    fn a_chunk_has_the_page_it_begins_on() {
        let text = "One goes on.\u{c}Two goes on.\u{c}Three goes on.";
        let pages: Vec<_> = cut(text, Format::Text, 6).iter().map(|(_, piece)| piece.page).collect();
        assert_eq!(pages, [Some(1), Some(2), Some(3)]);
    }
}
