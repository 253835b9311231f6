//! The inverted index of a sealed segment: a front-coded dictionary and compressed posting lists, both plain
//! bytes, so that opening a saved one is a read without decoding.

use super::lists::Lists;
use super::postings::{self, Posting};
use super::varint::{read, write};
#[cfg(feature = "paging")]
use crate::paging::{DiskFile, size_of_number};
use serde::{Deserialize, Serialize};
use std::ops::Range;
#[cfg(feature = "paging")]
use std::rc::Rc;

/// Terms per dictionary block: the first is stored whole, the others without the prefix they share with their
/// predecessor.
const BLOCK: usize = 16;

/// Maximum length of a term in bytes: more than that of any indexed word.
const MAX_TERM_BYTES: usize = 1024;

/// Offsets of a dictionary block and of its first posting list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct DictionaryBlock {
    dictionary: u32,
    postings: u32,
}

/// The sorted terms with their postings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SealedInvertedIndex {
    blocks: Vec<DictionaryBlock>,
    #[serde(with = "serde_bytes")]
    dictionary: Vec<u8>,
    postings: Lists,
    terms: u32,
}

/// A term of the dictionary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) term: String,
    /// Its index in the dictionary.
    pub(super) number: u32,
    /// Its document frequency, deleted chunks included.
    pub(super) count: usize,
    start: usize,
    end: usize,
}

impl SealedInvertedIndex {
    /// Returns the number of terms.
    pub(super) fn terms(&self) -> usize {
        self.terms as usize
    }

    /// Returns the size in bytes.
    pub(super) fn memory(&self) -> usize {
        #[cfg(feature = "paging")]
        let postings = self.postings.memory();
        #[cfg(not(feature = "paging"))]
        let postings = self.postings.len();
        self.dictionary.len() + postings + 8 * self.blocks.len()
    }

    /// Returns the bytes of postings in memory that a file could have instead.
    #[cfg(feature = "paging")]
    pub(super) fn held(&self) -> usize {
        self.postings.held()
    }

    /// Returns the bytes of postings, wherever they are.
    #[cfg(feature = "paging")]
    pub(super) fn content(&self) -> usize {
        self.postings.len()
    }

    /// Returns the same index with its postings in memory, if they are in a file; without them if they cannot be read, which is recorded.
    #[cfg(feature = "paging")]
    pub(super) fn in_memory(&self) -> Option<Self> {
        (self.postings.held() < self.postings.len())
            .then(|| self.postings.whole().unwrap_or_default().into_owned())
            .map(|bytes| Self { postings: Lists::Held(bytes), ..self.clone() })
    }

    /// Drops the postings from memory if the file has the same ones, in the section of the inverted index that begins at `start`.
    #[cfg(feature = "paging")]
    pub(crate) fn page_out(&mut self, file: &Rc<DiskFile>, start: usize) -> bool {
        let of = |numbers: [usize; 2]| numbers.into_iter().map(size_of_number).sum::<usize>();
        let blocks = self.blocks.iter().map(|block| of([block.dictionary as usize, block.postings as usize]));
        let before = blocks.sum::<usize>() + self.dictionary.len();
        let counts = of([self.blocks.len(), self.dictionary.len()]) + size_of_number(self.postings.len());
        let ranges: Vec<Range<usize>> = (0..self.blocks.len()).map(|block| self.lists_of(block)).collect();
        self.postings.page_out(file, start + before + counts, ranges.into_iter())
    }

    /// Drops the cache of postings.
    #[cfg(feature = "paging")]
    pub(crate) fn clear_cache(&mut self) {
        self.postings.clear_cache();
    }

    /// Returns the encoded postings of a term.
    pub(super) fn postings(&self, entry: &Entry) -> &[u8] {
        let block = entry.number as usize / BLOCK;
        self.postings.get(entry.start..entry.end, block, || self.lists_of(block))
    }

    /// Returns the range of the posting lists of a dictionary block.
    fn lists_of(&self, block: usize) -> Range<usize> {
        debug_assert!(block < self.blocks.len());
        let start = |block: usize| self.blocks.get(block).map(|block| block.postings as usize);
        start(block).unwrap_or_default()..start(block + 1).unwrap_or(self.postings.len())
    }

    /// Looks up a term.
    pub(super) fn find(&self, term: &str) -> Option<Entry> {
        let mut terms = self.terms_from(self.block_of(term));
        // Compares bytes, without allocating a string per term.
        while let Some(location) = terms.next() {
            if terms.term.as_slice() >= term.as_bytes() {
                return (terms.term == term.as_bytes()).then(|| location.entry(term.to_owned()));
            }
        }
        None
    }

    /// Iterates over the terms from `first` on, in order.
    pub(super) fn from<'a>(&'a self, first: &'a str) -> impl Iterator<Item = Entry> + 'a {
        self.entries(self.block_of(first)).skip_while(move |entry| entry.term.as_str() < first)
    }

    /// Returns the block that contains a term, if it is in the dictionary.
    fn block_of(&self, term: &str) -> usize {
        let after = self.blocks.partition_point(|block| self.head(*block) <= term.as_bytes());
        after.saturating_sub(1)
    }

    /// Returns whether an index read from a file is valid: terms sorted and not too long, and postings of
    /// chunks below `chunks`.
    pub(crate) fn is_sound(&self, chunks: usize) -> bool {
        let mut bytes = self.dictionary.as_slice();
        let Some(lists) = self.postings.whole() else { return false };
        let mut postings = &*lists;
        let mut term = Vec::new();
        for number in 0..self.terms() {
            let is_first = number.is_multiple_of(BLOCK);
            let block = DictionaryBlock {
                dictionary: (self.dictionary.len() - bytes.len()) as u32,
                postings: (lists.len() - postings.len()) as u32,
            };
            if is_first && self.blocks.get(number / BLOCK) != Some(&block) {
                return false;
            }
            let (shared, size) = (read(&mut bytes) as usize, read(&mut bytes) as usize);
            let Some((suffix, rest)) = bytes.split_at_checked(size) else { return false };
            bytes = rest;
            // The first term of a block is compared whole, because it is stored whole; the others share all they can.
            let is_next = match is_first {
                true => shared == 0 && suffix > term.as_slice(),
                false => shared <= term.len() && term.get(shared) < suffix.first(),
            };
            term.truncate(shared);
            term.extend_from_slice(suffix);
            let (count, size) = (read(&mut bytes) as usize, read(&mut bytes) as usize);
            let Some((list, rest)) = postings.split_at_checked(size) else { return false };
            postings = rest;
            if !is_next
                || term.len() > MAX_TERM_BYTES
                || std::str::from_utf8(&term).is_err()
                || !postings::is_sound(list, count, chunks)
            {
                return false;
            }
        }
        bytes.is_empty() && postings.is_empty() && self.blocks.len() == self.terms().div_ceil(BLOCK)
    }

    /// Calls `each` with every term, in order, without allocating a string per term.
    pub(super) fn each_term(&self, each: &mut dyn FnMut(&str)) {
        let mut terms = self.terms_from(0);
        while terms.next().is_some() {
            each(&String::from_utf8_lossy(&terms.term));
        }
    }

    /// Iterates over all terms, in order.
    pub(super) fn all(&self) -> impl Iterator<Item = Entry> + '_ {
        self.entries(0)
    }

    /// Returns the first term of a block.
    fn head(&self, block: DictionaryBlock) -> &[u8] {
        let mut bytes = self.dictionary.get(block.dictionary as usize..).unwrap_or_default();
        read(&mut bytes);
        let size = read(&mut bytes) as usize;
        bytes.get(..size).unwrap_or_default()
    }

    fn entries(&self, block: usize) -> impl Iterator<Item = Entry> + '_ {
        let mut terms = self.terms_from(block);
        std::iter::from_fn(move || {
            let location = terms.next()?;
            Some(location.entry(String::from_utf8_lossy(&terms.term).into_owned()))
        })
    }

    fn terms_from(&self, block: usize) -> Terms<'_> {
        let first = self.blocks.get(block).copied().unwrap_or_default();
        let bytes = self.dictionary.get(first.dictionary as usize..).unwrap_or_default();
        let (number, all) = (block.saturating_mul(BLOCK) as u32, self.terms);
        Terms { bytes, number, all, start: first.postings as usize, term: Vec::new() }
    }
}

/// Decodes the dictionary term by term.
struct Terms<'a> {
    bytes: &'a [u8],
    /// The number of the next term.
    number: u32,
    all: u32,
    /// Offset of the next term's postings.
    start: usize,
    /// The term decoded last.
    term: Vec<u8>,
}

/// A dictionary entry without its term.
struct Location {
    number: u32,
    count: usize,
    start: usize,
    end: usize,
}

impl Location {
    fn entry(self, term: String) -> Entry {
        let Self { number, count, start, end } = self;
        Entry { term, number, count, start, end }
    }
}

impl Terms<'_> {
    fn next(&mut self) -> Option<Location> {
        if self.number >= self.all || self.bytes.is_empty() {
            return None;
        }
        let shared = read(&mut self.bytes) as usize;
        let size = read(&mut self.bytes) as usize;
        let (suffix, rest) = self.bytes.split_at_checked(size)?;
        self.bytes = rest;
        self.term.truncate(shared);
        self.term.extend_from_slice(suffix);
        let count = read(&mut self.bytes) as usize;
        let end = self.start.saturating_add(read(&mut self.bytes) as usize);
        let location = Location { number: self.number, count, start: self.start, end };
        (self.number, self.start) = (self.number + 1, end);
        Some(location)
    }
}

/// Writes terms in order.
#[derive(Debug, Default)]
pub(super) struct SealedWriter {
    words: SealedInvertedIndex,
    postings: Vec<u8>,
    last: Vec<u8>,
}

impl SealedWriter {
    /// Appends a term, which must be greater than the previous one.
    pub(super) fn push(&mut self, term: &str, list: &[Posting], length: &dyn Fn(u32) -> u32) {
        let words = &mut self.words;
        let start = self.postings.len();
        if (words.terms as usize).is_multiple_of(BLOCK) {
            words
                .blocks
                .push(DictionaryBlock { dictionary: words.dictionary.len() as u32, postings: start as u32 });
            self.last.clear();
        }
        postings::encode(list, length, &mut self.postings);
        let shared = term.bytes().zip(&self.last).take_while(|(a, b)| a == *b).count();
        let suffix = term.as_bytes().get(shared..).unwrap_or_default();
        write(&mut words.dictionary, shared as u32);
        write(&mut words.dictionary, suffix.len() as u32);
        words.dictionary.extend_from_slice(suffix);
        write(&mut words.dictionary, list.len() as u32);
        write(&mut words.dictionary, (self.postings.len() - start) as u32);
        words.terms += 1;
        self.last.truncate(shared);
        self.last.extend_from_slice(suffix);
    }

    pub(super) fn finish(mut self) -> SealedInvertedIndex {
        self.words.dictionary.shrink_to_fit();
        self.postings.shrink_to_fit();
        self.words.postings = Lists::Held(self.postings);
        self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn every_term_is_found_with_its_postings_and_no_other(
            terms in prop::collection::btree_map("[a-cß-é]{1,6}", 1usize..300, 0..80), other in "[a-cß-é]{1,6}",
        ) {
            let mut writer = SealedWriter::default();
            let lists: BTreeMap<&String, Vec<Posting>> =
                terms.iter().map(|(term, count)| (term, (0..*count as u32).map(|at| (at * 3, 1 + at % 2)).collect())).collect();
            lists.iter().for_each(|(term, list)| writer.push(term, list, &|_| 1));
            let words = writer.finish();
            prop_assert_eq!(words.all().map(|entry| entry.term).collect::<Vec<_>>(), terms.keys().cloned().collect::<Vec<_>>());
            for (term, list) in &lists {
                let entry = words.find(term).unwrap();
                let mut found = Vec::new();
                postings::blocks(words.postings(&entry), entry.count).for_each(|block| block.decode(|at, often| found.push((at, often))));
                prop_assert_eq!(&found, list);
            }
            prop_assert_eq!(words.find(&other).is_some(), terms.contains_key(&other));
            let from: Vec<String> = words.from(&other).map(|entry| entry.term).collect();
            prop_assert_eq!(from, terms.range(other..).map(|one| one.0.clone()).collect::<Vec<_>>());
        }

        #[test]
        fn a_changed_index_is_refused_or_still_lists_sorted_terms_and_valid_postings(
            terms in prop::collection::btree_map("[a-cß-é]{1,6}", 1usize..200, 1..60), at in any::<prop::sample::Index>(),
            value in any::<u8>(), in_postings in any::<bool>(),
        ) {
            let mut writer = SealedWriter::default();
            for (term, count) in &terms {
                let list: Vec<Posting> = (0..*count as u32).map(|at| (at * 3, 1 + at % 2)).collect();
                writer.push(term, &list, &|_| 1);
            }
            let mut words = writer.finish();
            prop_assert!(words.is_sound(600));
            let highest = terms.values().max().map_or(0, |count| 3 * (count - 1));
            prop_assert!(!words.is_sound(highest));
            let Lists::Held(postings) = &mut words.postings else { unreachable!("nothing was saved") };
            let bytes = if in_postings { postings } else { &mut words.dictionary };
            let at = at.index(bytes.len());
            bytes[at] = value;
            if words.is_sound(600) {
                let entries: Vec<Entry> = words.all().collect();
                prop_assert_eq!(entries.len(), terms.len());
                prop_assert!(entries.is_sorted_by(|a, b| a.term < b.term));
                for entry in &entries {
                    let mut chunks = Vec::new();
                    postings::blocks(words.postings(entry), entry.count).for_each(|block| block.decode(|at, _| chunks.push(at)));
                    prop_assert_eq!(chunks.len(), entry.count);
                    prop_assert!(chunks.is_sorted_by(|a, b| a < b) && chunks.iter().all(|chunk| *chunk < 600));
                }
            }
        }
    }
}
