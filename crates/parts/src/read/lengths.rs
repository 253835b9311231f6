//! The lengths of chunks that were read, by key: with them, bounds of scores are close, and few chunks have to be scored.

use super::blocks::{Blocks, Decoded};
use super::tree::Tree;
#[cfg(not(feature = "small"))]
use std::cell::Cell;
use std::cell::{Ref, RefCell, RefMut};

/// The byte of all lengths from this one on; smaller ones are exact.
const LONG: u8 = u8::MAX;
/// Share of the reader's memory that they may take.
const SHARE: usize = 16;

/// Number of keys per block of the section of lengths.
pub(crate) const LENGTHS: usize = 16_384;

/// The lengths of consecutive keys, a byte each.
struct Block(Vec<u8>);

impl Decoded for Block {
    const UNSOUND: &str = "a block of lengths is too long";

    fn decode(block: Vec<u8>) -> Option<Self> {
        (block.len() <= LENGTHS).then_some(Self(block))
    }

    fn bytes(&self) -> usize {
        self.0.len()
    }
}

/// Lengths by key; 0 where none is known.
#[derive(Debug)]
pub(crate) struct KnownLengths {
    keys: usize,
    known: RefCell<Vec<u8>>,
    /// The section of all lengths; `None` in libraries that were written without it, and once it was read.
    section: RefCell<Option<Tree>>,
    /// Whether all blocks of the section were read.
    #[cfg(not(feature = "small"))]
    are_all: Cell<bool>,
}

impl KnownLengths {
    /// Creates lengths for keys below `end`; none are noted where they would take too much of `max_memory`.
    pub(crate) fn new(end: u32, max_memory: usize, section: Option<Tree>) -> Self {
        let keys = if end as usize <= max_memory / SHARE { end as usize } else { 0 };
        Self {
            keys,
            known: RefCell::default(),
            section: RefCell::new(section.filter(|_| keys > 0)),
            #[cfg(not(feature = "small"))]
            are_all: Cell::new(false),
        }
    }

    /// Reads all lengths, once, if blocks are at hand: a host would send more than the lengths of the few chunks that decide. Those that cannot be read
    /// stay unknown, and are read with the postings.
    #[cfg(not(feature = "small"))]
    pub(crate) async fn read_all(&self, blocks: &Blocks) {
        let Some(section) = self.section.borrow().clone().filter(|_| blocks.is_near()) else { return };
        let everything = (Vec::new(), vec![u8::MAX; size_of::<u32>()]);
        let entries =
            section.find(blocks, &[everything]).await.pop().and_then(Result::ok).unwrap_or_default();
        let mut read = 0;
        // Bounded, because a section may claim more blocks than there are keys.
        for entry in entries.into_iter().take(self.keys.div_ceil(LENGTHS)) {
            if !blocks.is_near() {
                break;
            }
            let block = blocks.read::<Block>(&[entry.block]).await.pop().and_then(Result::ok);
            let (Some(block), Ok(first)) = (block, entry.key.try_into().map(u32::from_be_bytes)) else {
                continue;
            };
            let mut known = self.allocated();
            let Some(rows) = known.get_mut(first as usize..) else { continue };
            rows.iter_mut().zip(&block.0).for_each(|(row, length)| *row = *length);
            read += 1;
        }
        self.are_all.set(read == self.keys.div_ceil(LENGTHS));
        self.section.take();
    }

    /// Returns all, for which memory is taken with the first ones.
    fn allocated(&self) -> RefMut<'_, Vec<u8>> {
        let mut known = self.known.borrow_mut();
        if known.is_empty() {
            known.resize(self.keys, 0);
        }
        known
    }

    /// Returns the bytes that they take.
    pub(crate) fn memory(&self) -> usize {
        self.known.borrow().len()
    }

    /// Notes lengths.
    pub(crate) fn note(&self, keys: &[u32], lengths: &[u32]) {
        let mut known = self.allocated();
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

    /// Returns whether all were read.
    #[cfg(not(feature = "small"))]
    pub(crate) fn are_all(&self) -> bool {
        self.are_all.get()
    }

    /// Returns all, each no greater than the chunk's.
    pub(crate) fn all(&self) -> Ref<'_, [u8]> {
        Ref::map(self.known.borrow(), Vec::as_slice)
    }
}

/// Returns the byte of a length: the length itself, or [`LONG`] from there on.
pub(crate) fn rounded(length: u32) -> u8 {
    u8::try_from(length).unwrap_or(LONG)
}
