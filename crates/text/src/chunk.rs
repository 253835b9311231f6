//! Cuts a document into chunks along its structure, to the token budget of the model that will read them. A chunk
//! never crosses a heading; one that would be too long ends between blocks where it can, else between sentences or
//! lines, and only within a sentence that is itself too long.

use super::block::{Block, Kind, Structure};
use super::boundaries::cut;
use super::units::{Join, Measure, Unit, Units};
use std::ops::Range;
use std::rc::Rc;
use vademecum_util::within::Within;

/// The tokens an encoder puts around every text.
const SPECIAL_TOKENS: usize = 2;

/// How long a chunk may be.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// What the model takes, special tokens included.
    pub max_tokens: usize,
    /// How many tokens of whole sentences or lines a chunk repeats of the one before, at most; never more than half
    /// of the budget.
    pub overlap: usize,
    /// Counts the tokens of a text, special tokens left out. White space between two texts must count for nothing,
    /// and the two together must not count more than each by itself.
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
    /// A budget by [`estimate_tokens`], without a title and without overlap.
    pub fn estimated(max_tokens: usize) -> Self {
        Self { max_tokens, overlap: 0, count: &estimate_tokens, title: None }
    }
}

/// A chunk's place in its document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// UTF-8 bytes.
    pub bytes: Range<usize>,
    /// UTF-16 code units, as JavaScript counts.
    pub utf16: Range<usize>,
    /// The headings above, outermost first.
    pub headings: Vec<String>,
    /// The page the chunk begins on, counted from 1, if the document has pages.
    pub page: Option<u32>,
    /// For rows of a table that was cut: its header row, which is not in the chunk.
    pub context: Option<Rc<str>>,
    /// What is embedded before the text: title, heading and header row, where the text does not say them itself, as
    /// far as they fit half of the budget.
    pub prefix: Rc<str>,
}

impl Piece {
    /// The text to embed: a chunk out of its document says less of its subject than with what stands above it.
    pub fn embedded(&self, text: &str) -> String {
        embedded_text(&self.prefix, text)
    }
}

/// A text with what is embedded before it.
pub fn embedded_text(prefix: &str, text: &str) -> String {
    if prefix.is_empty() { text.to_owned() } else { format!("{prefix}\n{text}") }
}

/// Cuts `structure` into pieces. What is embedded of each ([`Piece::embedded`]) keeps to the budget; only where a
/// single character has more tokens than that can it not.
pub fn chunk(structure: &Structure, budget: &Budget<'_>) -> Vec<Piece> {
    let mut cutter = Cutter {
        structure,
        budget,
        measure: Measure(budget.count),
        room: budget.max_tokens.saturating_sub(SPECIAL_TOKENS).max(1),
        headings: Vec::new(),
        pieces: Vec::new(),
    };
    let mut rest = structure.blocks.as_slice();
    while !rest.is_empty() {
        let (section, after) = rest.split_at(section_length(rest, cutter.room));
        cutter.section(section);
        rest = after;
    }
    let mut pieces = cutter.pieces;
    fill_utf16(&structure.text, &mut pieces);
    pieces
}

/// How many word pieces a BERT-class tokenizer makes of `text`, within about a fifth for English prose and code.
/// Cheap, so that chunking need not wait for a model; the embedder flags a chunk it had to cut all the same.
pub fn estimate_tokens(text: &str) -> usize {
    token_starts(text).count()
}

/// The beginning of `text` that has at most so many tokens by this estimate.
pub fn first_tokens(text: &str, most: usize) -> &str {
    token_starts(text).nth(most).and_then(|start| text.get(..start)).unwrap_or(text)
}

/// Where each token begins, by estimate.
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

/// How much of an English word is one piece of it.
const LETTERS_PER_TOKEN: usize = 7;

/// How many blocks, of which there is at least one, the first section has: headings, each deeper or not, and what
/// stands below them. A long row of headings with nothing below is more than one section.
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

/// The header row of a table that is cut.
struct Header {
    whole: Rc<str>,
    /// As much as is embedded.
    fitting: String,
    cost: usize,
}

struct Cutter<'a> {
    structure: &'a Structure,
    budget: &'a Budget<'a>,
    measure: Measure<'a>,
    /// Tokens for text and prefix.
    room: usize,
    headings: Vec<(u8, String)>,
    pieces: Vec<Piece>,
}

impl Cutter<'_> {
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

    /// The section's parts, and the header rows of those of its tables that are cut.
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
                    // A header row that does not fit has no end to speak of: what does fit stands for it.
                    let whole = if whole.len() > LONGEST_HEADER { fitting } else { whole };
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

/// In bytes.
const LONGEST_HEADER: usize = 4_096;

/// Both ends of the pieces are in order, so one walk for each gives every UTF-16 offset.
fn fill_utf16(text: &str, pieces: &mut [Piece]) {
    let mut starts = Walk::new(text);
    let mut ends = Walk::new(text);
    for piece in pieces {
        piece.utf16 = starts.to(piece.bytes.start)..ends.to(piece.bytes.end);
    }
}

struct Walk<'a> {
    text: &'a str,
    byte: usize,
    unit: usize,
}

impl<'a> Walk<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, byte: 0, unit: 0 }
    }

    fn to(&mut self, byte: usize) -> usize {
        let passed = self.text.within(self.byte..byte);
        self.unit += passed.chars().map(char::len_utf16).sum::<usize>();
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
    fn a_chunk_never_crosses_a_heading_and_knows_those_above_it() {
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
    fn a_word_longer_than_a_chunk_is_cut_between_letters() {
        let chunks = cut(&"é".repeat(25), Format::Text, 12);
        assert!(texts(&chunks).iter().all(|text| text.chars().count() <= 10));
        assert_eq!(texts(&chunks).concat().chars().count(), 25);
    }

    #[test]
    fn a_little_too_long_makes_two_halves_and_no_crumb() {
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
    fn rows_that_are_cut_off_keep_their_header() {
        let table = "# Shop\n\n| Part | Price |\n|---|---|\n| Bolt | 2 |\n| Nut | 3 |\n| Gear | 4 |\n";
        let budget = Budget { title: Some("Catalogue"), ..Budget::estimated(34) };
        let chunks = cut_with(table, Format::Markdown, &budget);
        assert_eq!(texts(&chunks)[1..], ["| Nut | 3 |\n| Gear | 4 |"]);
        assert_eq!(chunks[1].1.context.as_deref(), Some("| Part | Price |"));
        assert_eq!(&*chunks[1].1.prefix, "Catalogue\nShop\n| Part | Price |");
        assert_eq!((chunks[0].1.context.as_deref(), &*chunks[0].1.prefix), (None, "Catalogue"));
    }

    #[test]
    fn code_is_kept_whole_or_cut_at_its_blank_lines() {
        let code = "Before it all.\n\n```\nlet a = 1;\nlet b = 2;\n\nlet c = 3;\nlet d = 4;\n```";
        assert_eq!(texts(&cut(code, Format::Markdown, 30))[1..], [&code[16..]]);
        let parts = cut(&code[16..], Format::Markdown, 20);
        assert_eq!(texts(&parts), ["```\nlet a = 1;\nlet b = 2;", "let c = 3;\nlet d = 4;\n```"]);
    }

    #[test]
    fn a_chunk_says_the_page_it_begins_on() {
        let text = "One goes on.\u{c}Two goes on.\u{c}Three goes on.";
        let pages: Vec<_> = cut(text, Format::Text, 6).iter().map(|(_, piece)| piece.page).collect();
        assert_eq!(pages, [Some(1), Some(2), Some(3)]);
    }
}
