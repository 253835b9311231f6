//! The inverted files: one open, to which chunks are added, and one sealed a segment.

mod bm25;
mod open;
#[cfg(test)]
mod oracle;
mod postings;
mod query;
mod sealed;
mod varint;

pub(super) use bm25::{LookedUp, Part, search};
pub(super) use open::OpenWords;
pub(super) use query::{Group, WordQuery, groups};
pub(super) use sealed::SealedWords;

use postings::{Block, Posting, blocks};
use rustc_hash::FxHashMap;
use sealed::SealedWriter;
use vademecum_text::terms::edits;

/// An inverted file.
#[derive(Debug, Clone)]
pub(super) enum Words {
    /// Of the tail.
    Open(OpenWords),
    /// Of a sealed segment.
    Sealed(SealedWords),
}

/// The postings of a term, or of several together.
#[derive(Debug)]
struct List<'a> {
    /// The term's number in its inverted file; none for several terms.
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

impl List<'_> {
    fn each(&self, mut each: impl FnMut(u32, u32)) {
        match &self.source {
            Source::Plain(list) => list.iter().for_each(|(chunk, frequency)| each(*chunk, *frequency)),
            Source::Joined(list) => list.iter().for_each(|(chunk, frequency)| each(*chunk, *frequency)),
            Source::Encoded(bytes) => blocks(bytes, self.count).for_each(|block| block.decode(&mut each)),
        }
    }

    /// The blocks of an encoded list.
    fn blocks(&self) -> Option<impl Iterator<Item = Block<'_>>> {
        match &self.source {
            Source::Encoded(bytes) => Some(blocks(bytes, self.count)),
            _ => None,
        }
    }
}

impl Words {
    /// None yet.
    pub(super) fn open() -> Self {
        Self::Open(OpenWords::default())
    }

    /// How many distinct terms it knows.
    pub(super) fn terms(&self) -> usize {
        match self {
            Self::Open(open) => open.terms(),
            Self::Sealed(sealed) => sealed.terms(),
        }
    }

    /// Bytes it takes, or would take when sealed, as far as that is known.
    pub(super) fn memory(&self) -> usize {
        match self {
            Self::Open(_) => 0,
            Self::Sealed(sealed) => sealed.memory(),
        }
    }

    /// The number of a term here, if some chunk holds it.
    pub(super) fn number(&self, term: &str) -> Option<u32> {
        self.list(term).and_then(|list| list.number)
    }

    fn list(&self, term: &str) -> Option<List<'_>> {
        match self {
            Self::Open(open) => {
                let (number, list) = open.find(term)?;
                Some(List { number: Some(number), count: list.len(), source: Source::Plain(list) })
            }
            Self::Sealed(sealed) => {
                let entry = sealed.find(term)?;
                let source = Source::Encoded(sealed.postings(&entry));
                Some(List { number: Some(entry.number), count: entry.count, source })
            }
        }
    }

    /// How many chunks hold the term.
    pub(super) fn count(&self, term: &str) -> usize {
        self.list(term).map_or(0, |list| list.count)
    }

    /// Every chunk that holds the term, in order.
    pub(super) fn chunks_with(&self, term: &str) -> Vec<u32> {
        let mut chunks = Vec::new();
        if let Some(list) = self.list(term) {
            list.each(|chunk, _| chunks.push(chunk));
        }
        chunks
    }

    /// Calls `each` with the terms that begin with `start` and how many chunks hold them.
    fn completions(&self, start: &str, mut each: impl FnMut(&str, usize)) {
        match self {
            Self::Open(open) => {
                for (term, _) in open.all().filter(|(term, _)| term.starts_with(start)) {
                    each(term, open.find(term).map_or(0, |(_, list)| list.len()));
                }
            }
            Self::Sealed(sealed) => {
                let entries = sealed.from(start).take_while(|entry| entry.term.starts_with(start));
                entries.for_each(|entry| each(&entry.term, entry.count));
            }
        }
    }

    /// Calls `each` with the terms at most `limit` edits from `word`, and how many edits that is.
    fn similar(&self, word: &str, limit: usize, mut each: impl FnMut(&str, usize)) {
        let mut look = |term: &str| {
            if let Some(distance) = edits(word, term, limit) {
                each(term, distance);
            }
        };
        match self {
            Self::Open(open) => open.all().for_each(|(term, _)| look(term)),
            Self::Sealed(sealed) => sealed.all().for_each(|entry| look(&entry.term)),
        }
    }

    /// For each term's number here, the one it has when sealed.
    pub(super) fn renumbered(&self, sealed: &SealedWords) -> FxHashMap<u32, u32> {
        let Self::Open(open) = self else { return FxHashMap::default() };
        let numbers: FxHashMap<&str, u32> = open.all().collect();
        let both = sealed.all().filter_map(|entry| Some((*numbers.get(&*entry.term)?, entry.number)));
        both.collect()
    }

    /// The same, compressed.
    pub(super) fn sealed(&self, length: &dyn Fn(u32) -> u32) -> SealedWords {
        match self {
            Self::Open(open) => open.seal(length),
            Self::Sealed(sealed) => sealed.clone(),
        }
    }
}

/// Several sealed inverted files as one; term by term, so that a caller can rest between two.
#[derive(Debug)]
pub(super) struct Merging<'a> {
    writer: SealedWriter,
    /// Each with its next term, and where its chunks are now.
    heads: Vec<Head<'a>>,
}

struct Head<'a> {
    words: &'a SealedWords,
    entries: std::iter::Peekable<Box<dyn Iterator<Item = sealed::Entry> + 'a>>,
    /// By old chunk: the new one, or none for a deleted chunk.
    moved: &'a [Option<u32>],
}

impl std::fmt::Debug for Head<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Head").field("words", &self.words.terms()).finish_non_exhaustive()
    }
}

impl<'a> Merging<'a> {
    pub(super) fn of(sources: impl Iterator<Item = (&'a SealedWords, &'a [Option<u32>])>) -> Self {
        let heads = sources.map(|(words, moved)| Head {
            words,
            entries: (Box::new(words.all()) as Box<dyn Iterator<Item = sealed::Entry>>).peekable(),
            moved,
        });
        Self { writer: SealedWriter::default(), heads: heads.collect() }
    }

    /// Writes the next term; false when there is none.
    pub(super) fn step(&mut self, length: &dyn Fn(u32) -> u32) -> bool {
        let next = self
            .heads
            .iter_mut()
            .filter_map(|head| head.entries.peek().map(|entry| entry.term.clone()))
            .min();
        let Some(term) = next else { return false };
        let mut list: Vec<Posting> = Vec::new();
        for head in &mut self.heads {
            let Some(entry) = head.entries.next_if(|entry| entry.term == term) else { continue };
            for block in blocks(head.words.postings(&entry), entry.count) {
                block.decode(|chunk, frequency| {
                    list.extend(
                        head.moved.get(chunk as usize).copied().flatten().map(|chunk| (chunk, frequency)),
                    );
                });
            }
        }
        // Segments are merged in the order of their keys, but keys of two segments may alternate.
        if !list.is_sorted() {
            list.sort_unstable();
        }
        if !list.is_empty() {
            self.writer.push(&term, &list, length);
        }
        true
    }

    pub(super) fn finish(self) -> SealedWords {
        self.writer.finish()
    }
}
