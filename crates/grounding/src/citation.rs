//! Resolves the citations of an answer, `[1]` or `[acme.md]`, and removes those that name no passage.

use super::claim::claimed_terms;
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use vademecum_firewall::escape::{is_plain_word, label};
use vademecum_firewall::harmless;
use vademecum_protocol::document::{Chunk, Hit, Span};
use vademecum_util::small_sort::sort_by_key;
use vademecum_util::within::Within;

/// Maximum length in characters of an id that can be cited.
const MAX_ID: usize = 200;

/// The citation format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CitationStyle {
    /// `[1]`: the number of a passage.
    #[default]
    Number,
    /// `[acme.md]`: the id of a document.
    Doc,
}

impl CitationStyle {
    /// Returns the citation of the passage with this number.
    pub fn marker(self, number: usize, hit: &Hit) -> String {
        match self {
            Self::Number => format!("[{number}]"),
            Self::Doc if is_citable(&hit.chunk.doc_id) => format!("[{}]", hit.chunk.doc_id),
            Self::Doc => format!("[{number}]"),
        }
    }

    /// Describes the citation format for a prompt, as the end of "cite a passage by …".
    pub fn instruction(self, evidence: &[Hit]) -> String {
        match self {
            Self::Number => "its number in square brackets, like [1] or [2][3]".into(),
            Self::Doc => {
                // Ids are untrusted text, and this is part of the instructions.
                let plain = evidence.iter().map(|hit| &hit.chunk.doc_id).find(|id| is_plain_word(id));
                let example = plain.map_or_else(String::new, |id| format!(", like [{id}]"));
                format!("the id in square brackets above it{example}; copy ids exactly and never make one up")
            }
        }
    }
}

/// Returns whether a document can be cited by its id: the id is one short line that escaping leaves unchanged. Passages of other
/// documents are cited by number.
fn is_citable(id: &str) -> bool {
    label(id, MAX_ID) == id
}

/// A citation of a finished answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Citation {
    /// Index into `contextUsed`, from 1; also the number in the answer if it cites by number.
    pub number: usize,
    /// Position of the citation, such as `[1]`, in the answer, in UTF-16 code units.
    pub at: Span,
    /// The id of the cited chunk.
    pub chunk_id: String,
    /// The id of its document.
    pub doc_id: String,
    /// The collection of the document.
    pub collection: String,
    /// The title of the document, if it has one.
    pub title: Option<String>,
    /// The URL of the document, if it is safe to link.
    pub url: Option<String>,
    /// The headings above the chunk, outermost first.
    pub headings: Vec<String>,
    /// The page, from 1, on which the quotation begins, or else the chunk; absent for a document without pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Position of the chunk in the document's text, in UTF-16 code units.
    pub span: Span,
    /// Position of the quoted text in the document, if the answer quotes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<Span>,
    /// Who cites: the model, or the check that found the passage that a sentence is from.
    #[serde(default)]
    pub by: CitedBy,
}

/// Who cites a passage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CitedBy {
    /// The model that wrote the answer, or a function.
    Model,
    /// A rule: it quotes the passage, or found that the passage supports the sentence.
    #[default]
    Grounding,
}

impl Citation {
    /// Creates the citation of passage `number`, written as `marker` at UTF-16 offset `start` of the answer.
    pub fn new(number: usize, hit: &Hit, start: usize, marker: &str, quote: Option<Span>) -> Self {
        let chunk = &hit.chunk;
        Self {
            number,
            at: Span { start, end: start + marker.encode_utf16().count() },
            chunk_id: chunk.id.clone(),
            doc_id: chunk.doc_id.clone(),
            collection: chunk.collection.clone(),
            title: chunk.title.clone(),
            url: chunk.url.clone().filter(|url| harmless(url)),
            headings: chunk.headings.clone(),
            page: quote.and_then(|quote| page_of(chunk, quote)).or(chunk.page),
            span: chunk.span,
            quote,
            by: CitedBy::Grounding,
        }
    }
}

/// Returns the page on which a part of a chunk begins. Form feeds separate the pages of a text.
fn page_of(chunk: &Chunk, part: Span) -> Option<u32> {
    let before = part.start.checked_sub(chunk.span.start)?;
    let breaks = chunk.text.encode_utf16().take(before).filter(|unit| *unit == u16::from(b'\x0C')).count();
    chunk.page?.checked_add(u32::try_from(breaks).ok()?)
}

/// An answer with checked citations.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The answer without invalid citations.
    pub text: String,
    /// The valid citations, in order.
    pub citations: Vec<Citation>,
    /// What the invalid ones named, in order.
    pub invalid: Vec<String>,
}

/// Resolves every citation and removes invalid ones; `[n, m]` becomes `[n][m]`. An id is also accepted in place of a number.
/// Other brackets are text, and so are code (between backticks, `vec![1, 2]`) and images (`![1](address)`).
pub fn check(answer: &str, evidence: &[Hit], style: CitationStyle) -> Checked {
    let mut checker = Checker::new(evidence, style);
    let mut rest = answer.trim();
    while let Some(at) = rest.find(['[', '`']) {
        let (before, from) = rest.split_at(at);
        checker.push(before);
        let code =
            if from.starts_with('`') { code_length(from) } else { usize::from(before.ends_with("vec!")) };
        let inside = from.strip_prefix('[').filter(|_| code == 0);
        let is_text = |after: &str| !before.ends_with('!') || !after.starts_with('(');
        match inside.and_then(|inside| cited(inside, evidence, style)).filter(|(_, after)| is_text(after)) {
            Some((cited, after)) => {
                cited.iter().for_each(|one| checker.cite(one));
                rest = after;
            }
            None => {
                let (text, after) = from.split_at(code.max(1));
                checker.push(text);
                rest = after;
            }
        }
    }
    checker.push(rest);
    Checked { text: checker.text, citations: checker.citations, invalid: checker.invalid }
}

/// Returns the length of a code span including its backticks, or of the backticks alone if nothing closes it.
fn code_length(from: &str) -> usize {
    let ticks = from.len() - from.trim_start_matches('`').len();
    let (open, after) = from.split_at(ticks);
    after.find(open).map_or(ticks, |end| ticks + end + ticks)
}

/// A single reference within a citation.
enum Cited {
    Number(usize),
    /// The id of a document in the evidence.
    Doc(String),
    /// Something that looks like an id but is none.
    Unknown(String),
}

/// Parses what follows an opening bracket up to the closing one; returns the references and the rest, or `None` if it is no
/// citation.
fn cited<'a>(after: &'a str, evidence: &[Hit], style: CitationStyle) -> Option<(Vec<Cited>, &'a str)> {
    let mut found = Vec::new();
    let mut rest = after;
    loop {
        rest = rest.trim_start_matches(' ');
        // Models like to label what they cite.
        rest = ["doc_id:", "doc:", "id:"]
            .iter()
            .find_map(|label| rest.strip_prefix(label))
            .unwrap_or(rest)
            .trim_start_matches(' ');
        let (one, after) = one_cited(rest, evidence, style)?;
        found.push(one);
        rest = after.trim_start_matches(' ');
        if let Some(after) = rest.strip_prefix(']') {
            // `[text](address)` is a link.
            let is_link = after.starts_with('(') && !matches!(found.as_slice(), [Cited::Number(_)]);
            return (!is_link).then_some((found, after));
        }
        rest = rest.strip_prefix([',', ';'])?;
    }
}

fn one_cited<'a>(rest: &'a str, evidence: &[Hit], style: CitationStyle) -> Option<(Cited, &'a str)> {
    // Ids may contain commas and brackets, and one may be a prefix of another: the longest match wins.
    let ids = evidence.iter().map(|hit| hit.chunk.doc_id.as_str());
    let known = ids.filter_map(|id| Some((id, rest.strip_prefix(id).filter(|after| ends_item(after))?)));
    let known = known.max_by_key(|(id, _)| id.len());
    // An unknown id contains no opening bracket. So no character is read from more than one bracket, and parsing stays linear.
    let end = rest.find([']', ',', ';', '[']);
    let (item, after) = end.map_or(("", rest), |end| rest.split_at(end));
    let item = if after.starts_with('[') { "" } else { item.trim() };
    let number = || item.parse().ok().filter(|number| *number > 0 && item.len() <= 3);
    let by_number = |number: &usize| {
        let hit = number.checked_sub(1).and_then(|at| evidence.get(at));
        hit.is_some_and(|hit| !is_citable(&hit.chunk.doc_id))
    };
    match (style, known, number()) {
        // A number means a passage even if a document has it as its id.
        (CitationStyle::Number, _, Some(number)) => Some((Cited::Number(number), after)),
        (_, Some((id, after)), _) => Some((Cited::Doc(id.to_owned()), after)),
        (CitationStyle::Doc, None, Some(number)) if by_number(&number) => {
            Some((Cited::Number(number), after))
        }
        (CitationStyle::Doc, None, number) if number.is_some() || looks_like_an_id(item) => {
            Some((Cited::Unknown(item.to_owned()), after))
        }
        _ => None,
    }
}

fn ends_item(after: &str) -> bool {
    after.trim_start_matches(' ').starts_with([']', ',', ';'])
}

/// Returns whether this is one word with letters and with a character that ordinary words lack. `[2023]` and `[sic]` are text.
fn looks_like_an_id(item: &str) -> bool {
    let has = |wanted: fn(char) -> bool| item.contains(wanted);
    has(char::is_alphabetic)
        && !has(char::is_whitespace)
        && has(|letter| letter.is_ascii_digit() || matches!(letter, '.' | '_' | '-' | '/' | '#'))
}

/// Rebuilds an answer while checking its citations.
struct Checker<'a> {
    evidence: &'a [Hit],
    style: CitationStyle,
    text: String,
    citations: Vec<Citation>,
    invalid: Vec<String>,
    /// End of the last citation in bytes and in UTF-16 code units; offsets are counted from there.
    counted: (usize, usize),
    /// Set after a citation was removed at the end of the text: whether the word before it is plain, as punctuation needs.
    gap: Option<bool>,
    /// The terms of the sentence before the citation.
    context: BTreeSet<String>,
    /// The terms of each passage, computed on demand.
    terms: OnceCell<Vec<BTreeSet<String>>>,
}

/// Maximum length in bytes of the text before a citation that is compared with passages.
const MAX_CONTEXT: usize = 400;

/// Punctuation that may follow a plain word directly after a removed citation.
const CLOSING: &str = ".,;:!?)*_\"'’”…";
/// Characters that change the meaning of a bracket after them.
const NO_LINK: &str = "!]\\";
/// Maximum length in bytes of a plain word.
const MAX_PLAIN: usize = 200;

/// Returns whether the last word has only letters, digits and prose punctuation, so it is no part of an address, a tag or code.
fn ends_plainly(text: &str) -> bool {
    let from = text.ceil_char_boundary(text.len().saturating_sub(MAX_PLAIN));
    let near = text.get(from..).unwrap_or(text);
    let word = near.rsplit(char::is_whitespace).next().unwrap_or(near);
    let is_whole = from == 0 || word.len() < near.len();
    is_whole
        && word.chars().all(|sign| sign.is_alphanumeric() || ".,;!?()[]*_\"'’”“„…—–-%$€£+=#".contains(sign))
}

impl<'a> Checker<'a> {
    fn new(evidence: &'a [Hit], style: CitationStyle) -> Self {
        Self {
            evidence,
            style,
            text: String::new(),
            citations: Vec::new(),
            invalid: Vec::new(),
            counted: (0, 0),
            gap: None,
            context: BTreeSet::new(),
            terms: OnceCell::new(),
        }
    }

    /// Appends text. Separates the two sides of a removed citation, except for white space and closing punctuation: otherwise an
    /// address, an image or a tag that was removed from the answer could be put together again.
    fn push(&mut self, text: &str) {
        let mut signs = text.chars();
        while let Some(is_plain) = self.gap {
            let rest = signs.as_str();
            let Some(sign) = signs.next() else { return };
            let before = self.text.chars().last().unwrap_or('\n');
            if before == '\n'
                || sign.is_whitespace()
                || (is_plain && sign == '[' && !NO_LINK.contains(before))
            {
                self.gap = None;
                return self.text.push_str(rest);
            }
            let closes = if is_plain {
                CLOSING.contains(sign) && (sign, before) != (':', ']')
            } else {
                ".,".contains(sign) && before.is_alphanumeric()
            };
            if !closes {
                self.gap = None;
                self.text.push(' ');
                return self.text.push_str(rest);
            }
            self.text.push(sign);
        }
        self.text.push_str(signs.as_str());
    }

    /// Separates a citation from the text before one that was removed.
    fn separate(&mut self) {
        let behind_another = self.counted.0 == self.text.len();
        let is_apart = self.text.is_empty() || self.text.ends_with('\n') || behind_another;
        if self
            .gap
            .take()
            .is_some_and(|is_plain| !is_plain || self.text.ends_with(|sign| NO_LINK.contains(sign)))
            && !is_apart
        {
            self.text.push(' ');
        }
    }

    fn cite(&mut self, cited: &Cited) {
        self.read_context();
        let number = match cited {
            Cited::Number(number) => Some(*number),
            Cited::Doc(id) => self.best_of_document(id),
            Cited::Unknown(_) => None,
        };
        let found = number.and_then(|number| Some((number, self.evidence.get(number.checked_sub(1)?)?)));
        match found {
            Some((number, hit)) => {
                let marker = self.style.marker(number, hit);
                self.separate();
                let (bytes, units) = self.counted;
                let start = units + self.text.within(bytes..).encode_utf16().count();
                self.text.push_str(&marker);
                let by = CitedBy::Model;
                let citation = Citation { by, ..Citation::new(number, hit, start, &marker, None) };
                self.counted = (self.text.len(), citation.at.end);
                self.citations.push(citation);
            }
            None => {
                self.invalid.push(match cited {
                    Cited::Number(number) => number.to_string(),
                    Cited::Doc(id) | Cited::Unknown(id) => id.clone(),
                });
                // "text [9]." becomes "text.", not "text .".
                self.text.truncate(self.text.trim_end_matches(' ').len());
                self.gap = Some(ends_plainly(&self.text));
            }
        }
    }

    /// Stores the terms of the sentence before a citation; for several in a row, of the one before the first.
    fn read_context(&mut self) {
        let new = self.text.within(self.counted.0..).trim_end();
        if new.is_empty() {
            return;
        }
        let near = new.within(new.ceil_char_boundary(new.len().saturating_sub(MAX_CONTEXT))..);
        let from = near.trim_end_matches(['.', '!', '?']).rfind(['.', '!', '?', '\n']).unwrap_or(0);
        self.context = claimed_terms(near.within(from..));
    }

    /// Returns the number of the passage of a document that shares most terms with the sentence before the citation.
    fn best_of_document(&self, id: &str) -> Option<usize> {
        let of_document = || self.evidence.iter().enumerate().filter(|(_, hit)| hit.chunk.doc_id == id);
        let (first, _) = of_document().next()?;
        if of_document().nth(1).is_none() {
            return Some(first + 1);
        }
        let terms = self
            .terms
            .get_or_init(|| self.evidence.iter().map(|hit| claimed_terms(&hit.chunk.text)).collect());
        let held = |at: usize| {
            terms.get(at).map_or(0, |held| self.context.iter().filter(|term| held.contains(*term)).count())
        };
        // `max_by_key` returns the last of equals; reversed, the first wins.
        of_document().rev().max_by_key(|(at, _)| held(*at)).map(|(at, _)| at + 1)
    }
}

/// Removes the citations from an answer, given as spans of UTF-16 code units.
pub fn without_citations(answer: &str, cited: &[Span]) -> String {
    let mut cited = cited.to_vec();
    sort_by_key(&mut cited, |span| span.start);
    let mut left = cited.into_iter().peekable();
    let mut at = 0;
    let kept = answer.chars().filter(|letter| {
        let here = at;
        at += letter.len_utf16();
        while left.next_if(|span| span.end <= here).is_some() {}
        left.peek().is_none_or(|span| here < span.start)
    });
    kept.collect()
}

#[cfg(test)]
#[path = "citation_tests.rs"]
mod tests;
