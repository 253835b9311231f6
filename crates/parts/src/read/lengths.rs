//! The lengths of chunks that were read, by key: with them, bounds of scores are close, and few chunks have to be scored.

use std::cell::{Ref, RefCell};

/// The byte of all lengths from this one on; smaller ones are exact.
const LONG: u8 = u8::MAX;
/// Share of the reader's memory that they may take.
const SHARE: usize = 16;

/// Lengths by key; 0 where none is known.
#[derive(Debug)]
pub(crate) struct KnownLengths {
    keys: usize,
    known: RefCell<Vec<u8>>,
}

impl KnownLengths {
    /// Creates lengths for keys below `end`; none are noted where they would take too much of `max_memory`.
    pub(crate) fn new(end: u32, max_memory: usize) -> Self {
        let keys = end as usize;
        Self { keys: if keys <= max_memory / SHARE { keys } else { 0 }, known: RefCell::default() }
    }

    /// Returns the bytes that they take.
    pub(crate) fn memory(&self) -> usize {
        self.known.borrow().len()
    }

    /// Notes lengths.
    pub(crate) fn note(&self, keys: &[u32], lengths: &[u32]) {
        let mut known = self.known.borrow_mut();
        if known.is_empty() {
            known.resize(self.keys, 0);
        }
        for (key, length) in keys.iter().zip(lengths) {
            if let Some(slot) = known.get_mut(*key as usize) {
                *slot = rounded(*length);
            }
        }
    }

    /// Returns a length, if it is known exactly.
    pub(crate) fn exact(&self, key: u32) -> Option<u32> {
        let known = self.known.borrow().get(key as usize).copied();
        known.filter(|length| (1..LONG).contains(length)).map(u32::from)
    }

    /// Returns all, each no greater than the chunk's.
    pub(crate) fn all(&self) -> Ref<'_, [u8]> {
        Ref::map(self.known.borrow(), Vec::as_slice)
    }
}

/// Returns the byte that stands for a length: the length itself, or [`LONG`] from there on.
pub(crate) fn rounded(length: u32) -> u8 {
    u8::try_from(length).unwrap_or(LONG)
}
