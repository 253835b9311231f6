//! The inverted file of the tail, to which chunks are still added.

use super::postings::Posting;
use super::sealed::{SealedWords, SealedWriter};
use rustc_hash::FxHashMap;

/// Terms by number, each with its postings.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenWords {
    numbers: FxHashMap<Box<str>, u32>,
    lists: Vec<Vec<Posting>>,
}

impl OpenWords {
    /// The number of a term, a new one where it was never seen.
    pub(crate) fn number(&mut self, term: &str) -> u32 {
        if let Some(number) = self.numbers.get(term) {
            return *number;
        }
        let number = self.lists.len() as u32;
        self.numbers.insert(term.into(), number);
        self.lists.push(Vec::new());
        number
    }

    /// Counts a term `by` in `chunk`. Chunks come in order.
    pub(crate) fn count(&mut self, number: u32, chunk: u32, by: u32) {
        let Some(list) = self.lists.get_mut(number as usize) else { return };
        match list.last_mut() {
            Some((last, frequency)) if *last == chunk => *frequency = frequency.saturating_add(by),
            _ => list.push((chunk, by)),
        }
    }

    /// How many terms some chunk holds.
    pub(super) fn terms(&self) -> usize {
        self.lists.len()
    }

    /// The number and the postings of a term.
    pub(super) fn find(&self, term: &str) -> Option<(u32, &[Posting])> {
        let number = *self.numbers.get(term)?;
        Some((number, self.lists.get(number as usize)?))
    }

    /// Every term with its number.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, u32)> {
        self.numbers.iter().map(|(term, number)| (&**term, *number))
    }

    /// The same, compressed; `length` tells a chunk's length.
    pub(super) fn seal(&self, length: &dyn Fn(u32) -> u32) -> SealedWords {
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
