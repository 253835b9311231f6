//! A passage prepared for comparison with sentences of an answer: its windows of one to three sentences, with their terms.

use super::claim::claimed_terms;
use super::counted::Counted;
use super::utf16::Utf16;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use vademecum_protocol::document::{Hit, Span, shown};
use vademecum_text::sentence::sentences;
use vademecum_util::within::Within;

/// Maximum number of sentences in a window.
const MAX_WINDOW: usize = 3;

/// A passage prepared for comparison.
pub(super) struct Source<'a> {
    pub(super) hit: &'a Hit,
    places: Utf16,
    pub(super) windows: Vec<Window>,
    /// Terms of the title, the headings and the metadata, which hold for every window.
    pub(super) above: BTreeSet<String>,
    /// Terms by which other passages lead to this one; empty until they are linked.
    pub(super) leading: BTreeSet<String>,
    /// All terms of the passage, each with the sentence in which it occurs first: 0 for those above.
    all: BTreeMap<String, usize>,
    /// What the passage counts.
    pub(super) counted: Counted,
}

/// Adds to the terms of each row of a table those of its header, without which its cells say little. Returns which sentences are
/// rows.
fn add_headers(text: &str, sentences: &mut [(Range<usize>, BTreeSet<String>)]) -> BTreeSet<usize> {
    let mut rows = BTreeSet::new();
    let mut header: Option<BTreeSet<String>> = None;
    let mut before: Option<BTreeSet<String>> = None;
    for (at, (bytes, held)) in sentences.iter_mut().enumerate() {
        let row = text.within(bytes.clone());
        if !row.starts_with('|') {
            (header, before) = (None, None);
        } else if row.contains('-') && row.chars().all(|letter| "|-: \t".contains(letter)) {
            header = before.take();
        } else {
            let own = held.clone();
            held.extend(header.iter().flatten().cloned());
            before = Some(own);
            rows.insert(at);
        }
    }
    rows
}

pub(super) struct Window {
    pub(super) bytes: Range<usize>,
    /// Number of its sentences.
    pub(super) sentences: usize,
    /// The index of its last sentence.
    last: usize,
    /// Whether it is a row of a table, which has no pronouns.
    is_row: bool,
    pub(super) held: BTreeSet<String>,
}

impl<'a> Source<'a> {
    pub(super) fn new(hit: &'a Hit) -> Self {
        let text = &hit.chunk.text;
        // The metadata of a table row repeat its cells.
        let metadata = hit.chunk.metadata.iter().map(|(name, value)| format!("{name} {}", shown(value)));
        let above: BTreeSet<String> = hit
            .chunk
            .headings
            .iter()
            .chain(&hit.chunk.title)
            .cloned()
            .chain(metadata)
            .flat_map(|above| claimed_terms(&above))
            .collect();
        let mut single: Vec<(Range<usize>, BTreeSet<String>)> = sentences(text)
            .into_iter()
            .map(|bytes| (bytes.clone(), claimed_terms(text.within(bytes))))
            .collect();
        let rows = add_headers(text, &mut single);
        let mut windows = Vec::new();
        for length in 1..=MAX_WINDOW {
            for (at, run) in single.windows(length).enumerate() {
                // Cells of several rows say nothing together.
                if length > 1 && (at..at + length).any(|at| rows.contains(&at)) {
                    continue;
                }
                let (Some((first, _)), Some((last, _))) = (run.first(), run.last()) else { continue };
                let held = run.iter().flat_map(|(_, held)| held.iter().cloned()).collect();
                windows.push(Window {
                    bytes: first.start..last.end,
                    sentences: length,
                    last: at + length - 1,
                    is_row: rows.contains(&at),
                    held,
                });
            }
        }
        let mut counted = Counted::of(text);
        above.iter().for_each(|term| counted.add_bare(term));
        let mut all: BTreeMap<String, usize> = above.iter().map(|term| (term.clone(), 0)).collect();
        for (at, (_, held)) in single.into_iter().enumerate() {
            for term in held {
                all.entry(term).or_insert(at);
            }
        }
        Self { hit, places: Utf16::new(text), windows, above, leading: BTreeSet::new(), all, counted }
    }

    /// Returns whether both passages are of one document.
    pub(super) fn is_of_document(&self, other: &Self) -> bool {
        let id = |source: &Self| (&source.hit.chunk.collection, &source.hit.chunk.doc_id);
        id(self) == id(other)
    }

    /// Returns whether the passage contains a term.
    pub(super) fn has(&self, term: &str) -> bool {
        self.all.contains_key(term)
    }

    /// Returns the term if a window can refer to it by a pronoun: it occurs in the window or before.
    pub(super) fn known_in<'s>(&'s self, window: &'s Window, term: &str) -> Option<&'s String> {
        if window.is_row {
            return window.held.get(term).or_else(|| self.above.get(term));
        }
        let (term, first) = self.all.get_key_value(term)?;
        (*first <= window.last).then_some(term)
    }

    /// Converts bytes of the passage into a span of its document.
    pub(super) fn span(&self, bytes: &Range<usize>) -> Span {
        let Span { start, end } = self.places.span(bytes);
        let from = self.hit.chunk.span.start;
        Span { start: from + start, end: from + end }
    }
}
