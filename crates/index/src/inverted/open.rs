//! The inverted index of the tail, which grows with every chunk.

use super::postings::Posting;
use super::sealed::{SealedInvertedIndex, SealedWriter};
use rustc_hash::FxHashMap;

/// Terms by number, with their postings.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenInvertedIndex {
    numbers: FxHashMap<Box<str>, u32>,
    lists: Vec<Vec<Posting>>,
    /// Numbers of chunks with a term, where the lists have only some of them.
    declared: Vec<usize>,
}

impl OpenInvertedIndex {
    /// Returns the number of a term, assigning the next one to a new term.
    pub(crate) fn number(&mut self, term: &str) -> u32 {
        if let Some(number) = self.numbers.get(term) {
            return *number;
        }
        let number = self.lists.len() as u32;
        self.numbers.insert(term.into(), number);
        self.lists.push(Vec::new());
        number
    }

    /// Notes how many chunks contain a term, of which the index may have some only. Terms must be declared in the order of their numbers.
    pub(crate) fn declare(&mut self, count: usize) {
        self.declared.push(count);
    }

    /// Returns the number of chunks that contain a term.
    pub(super) fn containing(&self, number: u32) -> usize {
        let declared = self.declared.get(number as usize).copied();
        declared.unwrap_or_else(|| self.lists.get(number as usize).map_or(0, Vec::len))
    }

    /// Adds `by` to a term's frequency in `chunk`. Chunks must be passed in ascending order.
    pub(crate) fn count(&mut self, number: u32, chunk: u32, by: u32) {
        let Some(list) = self.lists.get_mut(number as usize) else { return };
        match list.last_mut() {
            Some((last, frequency)) if *last == chunk => *frequency = frequency.saturating_add(by),
            _ => list.push((chunk, by)),
        }
    }

    /// Returns the number of terms.
    pub(super) fn terms(&self) -> usize {
        self.lists.len()
    }

    /// Returns the number and the postings of a term.
    pub(crate) fn find(&self, term: &str) -> Option<(u32, &[Posting])> {
        let number = *self.numbers.get(term)?;
        Some((number, self.lists.get(number as usize)?))
    }

    /// Iterates over all terms and their numbers.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, u32)> {
        self.numbers.iter().map(|(term, number)| (&**term, *number))
    }

    /// Compresses the index; `length` returns the length of a chunk.
    pub(super) fn seal(&self, length: &dyn Fn(u32) -> u32) -> SealedInvertedIndex {
        let mut terms: Vec<(&str, u32)> = self.all().collect();
        terms.sort_unstable();
        let mut writer = SealedWriter::default();
        for (term, number) in terms {
            if let Some(list) = self.lists.get(number as usize) {
                writer.push(term, list, length);
            }
        }
        writer.finish()
    }
}
