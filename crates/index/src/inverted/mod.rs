//! The inverted index: an open one for the tail, which takes new chunks, and a compressed one per sealed
//! segment.

pub(super) mod bm25;
mod lists;
mod open;
#[cfg(test)]
mod oracle;
mod postings;
mod query;
mod sealed;
mod varint;

pub(super) use bm25::{QueryTerms, SegmentReader, search};
pub(super) use open::OpenInvertedIndex;
pub(super) use query::{KeywordQuery, TermGroup, groups};
pub use query::{MAX_COMPLETIONS, MAX_CORRECTED, MAX_CORRECTIONS, MIN_STEM};
pub(super) use sealed::SealedInvertedIndex;

use super::deleted::Deleted;
use postings::{Block, Posting, blocks};
use rustc_hash::FxHashMap;
use sealed::SealedWriter;
use vademecum_text::terms::edits;

/// The inverted index of a segment.
#[derive(Debug, Clone)]
pub(super) enum InvertedIndex {
    /// For the tail.
    Open(OpenInvertedIndex),
    /// For a sealed segment.
    Sealed(SealedInvertedIndex),
}

/// The postings of a term, or the union of several terms' postings.
#[derive(Debug)]
struct PostingList<'a> {
    /// The term's number in its inverted index; `None` for a union.
    number: Option<u32>,
    count: usize,
    source: Source<'a>,
}

#[derive(Debug)]
enum Source<'a> {
    Plain(&'a [Posting]),
    Joined(Vec<Posting>),
    Encoded(&'a [u8]),
}

impl PostingList<'_> {
    fn each(&self, mut each: impl FnMut(u32, u32)) {
        match &self.source {
            Source::Plain(list) => list.iter().for_each(|(chunk, frequency)| each(*chunk, *frequency)),
            Source::Joined(list) => list.iter().for_each(|(chunk, frequency)| each(*chunk, *frequency)),
            Source::Encoded(bytes) => blocks(bytes, self.count).for_each(|block| block.decode(&mut each)),
        }
    }

    /// Returns the blocks of an encoded list, `None` for others.
    fn blocks(&self) -> Option<impl Iterator<Item = Block<'_>>> {
        match &self.source {
            Source::Encoded(bytes) => Some(blocks(bytes, self.count)),
            _ => None,
        }
    }
}

impl InvertedIndex {
    /// Creates an empty open index.
    pub(super) fn open() -> Self {
        Self::Open(OpenInvertedIndex::default())
    }

    /// Returns the number of distinct terms.
    pub(super) fn terms(&self) -> usize {
        match self {
            Self::Open(open) => open.terms(),
            Self::Sealed(sealed) => sealed.terms(),
        }
    }

    /// Returns the bytes of a sealed index in memory; 0 for an open one.
    pub(super) fn memory(&self) -> usize {
        match self {
            Self::Open(_) => 0,
            Self::Sealed(sealed) => sealed.memory(),
        }
    }

    /// Returns the number of a term, if it occurs.
    pub(super) fn number(&self, term: &str) -> Option<u32> {
        self.find(term).map(|found| found.0)
    }

    /// Returns the number of a term and that of the chunks that contain it, without its postings.
    fn find(&self, term: &str) -> Option<(u32, usize)> {
        match self {
            Self::Open(open) => open.find(term).map(|(number, _)| (number, open.containing(number))),
            Self::Sealed(sealed) => sealed.find(term).map(|entry| (entry.number, entry.count)),
        }
    }

    fn list(&self, term: &str) -> Option<PostingList<'_>> {
        match self {
            Self::Open(open) => {
                let (number, list) = open.find(term)?;
                let count = open.containing(number);
                Some(PostingList { number: Some(number), count, source: Source::Plain(list) })
            }
            Self::Sealed(sealed) => {
                let entry = sealed.find(term)?;
                let source = Source::Encoded(sealed.postings(&entry));
                Some(PostingList { number: Some(entry.number), count: entry.count, source })
            }
        }
    }

    /// Returns the number of chunks that contain a term.
    pub(super) fn count(&self, term: &str) -> usize {
        self.find(term).map_or(0, |found| found.1)
    }

    /// Returns the chunks that contain a term, ascending.
    pub(super) fn chunks_with(&self, term: &str) -> Vec<u32> {
        let mut chunks = Vec::new();
        if let Some(list) = self.list(term) {
            list.each(|chunk, _| chunks.push(chunk));
        }
        chunks
    }

    /// Calls `each` with the chunks that contain a term and its frequency in them, ascending.
    pub(super) fn each_posting(&self, term: &str, each: impl FnMut(u32, u32)) {
        if let Some(list) = self.list(term) {
            list.each(each);
        }
    }

    /// Calls `each` with every term that begins with `start`, and its document frequency.
    fn completions(&self, start: &str, deleted: &Deleted, mut each: impl FnMut(&str, usize)) {
        let mut live =
            |term: &str, number: u32, count: usize| match count.saturating_sub(deleted.count_of(number)) {
                0 => {}
                count => each(term, count),
            };
        match self {
            Self::Open(open) => {
                for (term, number) in open.all().filter(|(term, _)| term.starts_with(start)) {
                    live(term, number, open.containing(number));
                }
            }
            Self::Sealed(sealed) => {
                let entries = sealed.from(start).take_while(|entry| entry.term.starts_with(start));
                entries.for_each(|entry| live(&entry.term, entry.number, entry.count));
            }
        }
    }

    /// Returns whether a chunk that is not deleted contains a term.
    fn has_live(&self, term: &str, deleted: &Deleted) -> bool {
        self.find(term).is_some_and(|(number, count)| count > deleted.count_of(number))
    }

    /// Calls `each` with every term.
    pub(super) fn each_term(&self, each: &mut dyn FnMut(&str)) {
        match self {
            Self::Open(open) => open.all().for_each(|(term, _)| each(term)),
            Self::Sealed(sealed) => sealed.each_term(each),
        }
    }

    /// Calls `each` with every term within `limit` edits of `word`, and the distance.
    fn similar(&self, word: &str, limit: usize, mut each: impl FnMut(&str, usize)) {
        self.each_term(&mut |term| {
            if let Some(distance) = edits(word, term, limit) {
                each(term, distance);
            }
        });
    }

    /// Maps term numbers of this open index to those of its sealed form.
    pub(super) fn renumbered(&self, sealed: &SealedInvertedIndex) -> FxHashMap<u32, u32> {
        let Self::Open(open) = self else { return FxHashMap::default() };
        let numbers: FxHashMap<&str, u32> = open.all().collect();
        let both = sealed.all().filter_map(|entry| Some((*numbers.get(&*entry.term)?, entry.number)));
        both.collect()
    }

    /// Returns the compressed form.
    pub(super) fn sealed(&self, length: &dyn Fn(u32) -> u32) -> SealedInvertedIndex {
        match self {
            Self::Open(open) => open.seal(length),
            Self::Sealed(sealed) => sealed.clone(),
        }
    }
}

#[cfg(feature = "paging")]
impl InvertedIndex {
    /// Returns the bytes of postings in memory that a file could have instead.
    pub(super) fn held(&self) -> usize {
        match self {
            Self::Open(_) => 0,
            Self::Sealed(sealed) => sealed.held(),
        }
    }

    /// Returns the bytes of postings, wherever they are; 0 for an open index.
    pub(super) fn content(&self) -> usize {
        match self {
            Self::Open(_) => 0,
            Self::Sealed(sealed) => sealed.content(),
        }
    }

    /// Returns the same index with its postings in memory, if they are in a file; without them if they cannot be read, which is recorded.
    pub(super) fn in_memory(&self) -> Option<Self> {
        match self {
            Self::Open(_) => None,
            Self::Sealed(sealed) => sealed.in_memory().map(Self::Sealed),
        }
    }
}

/// Merges sealed inverted indexes, one term per step, so that the caller can yield in between.
#[derive(Debug)]
pub(super) struct InvertedMerger<'a> {
    writer: SealedWriter,
    /// One cursor per source.
    cursors: Vec<Cursor<'a>>,
}

struct Cursor<'a> {
    words: &'a SealedInvertedIndex,
    entries: std::iter::Peekable<Box<dyn Iterator<Item = sealed::Entry> + 'a>>,
    /// Per old chunk: its new row, or `None` if it was deleted.
    moved: &'a [Option<u32>],
}

impl std::fmt::Debug for Cursor<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Cursor").field("words", &self.words.terms()).finish_non_exhaustive()
    }
}

impl<'a> InvertedMerger<'a> {
    pub(super) fn of(sources: impl Iterator<Item = (&'a SealedInvertedIndex, &'a [Option<u32>])>) -> Self {
        let cursors = sources.map(|(words, moved)| Cursor {
            words,
            entries: (Box::new(words.all()) as Box<dyn Iterator<Item = sealed::Entry>>).peekable(),
            moved,
        });
        Self { writer: SealedWriter::default(), cursors: cursors.collect() }
    }

    /// Writes the next term. Returns false if there is none.
    pub(super) fn step(&mut self, length: &dyn Fn(u32) -> u32) -> bool {
        let next = self
            .cursors
            .iter_mut()
            .filter_map(|cursor| cursor.entries.peek().map(|entry| entry.term.clone()))
            .min();
        let Some(term) = next else { return false };
        let mut list: Vec<Posting> = Vec::new();
        for cursor in &mut self.cursors {
            let Some(entry) = cursor.entries.next_if(|entry| entry.term == term) else { continue };
            for block in blocks(cursor.words.postings(&entry), entry.count) {
                block.decode(|chunk, frequency| {
                    list.extend(
                        cursor.moved.get(chunk as usize).copied().flatten().map(|chunk| (chunk, frequency)),
                    );
                });
            }
        }
        // Sources are sorted by key, but the keys of two sources may interleave.
        if !list.is_sorted() {
            list.sort_unstable();
        }
        if !list.is_empty() {
            self.writer.push(&term, &list, length);
        }
        true
    }

    pub(super) fn finish(self) -> SealedInvertedIndex {
        self.writer.finish()
    }
}
