//! The encoded postings of a sealed inverted index: in memory, or in the segment's file.

#[cfg(feature = "paging")]
use crate::paging::{Cells, DiskFile};
use serde::ser::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::ops::Range;
#[cfg(feature = "paging")]
use std::rc::Rc;
#[cfg(feature = "paging")]
use xxhash_rust::xxh3::xxh3_64;

/// The lists of all terms, one after another. Saved as bytes.
#[derive(Debug, Clone)]
pub(super) enum Lists {
    /// In memory.
    Held(Vec<u8>),
    /// In the segment's file.
    #[cfg(feature = "paging")]
    InFile(Box<ListsInFile>),
}

/// Lists that are read from a file, those of a block of the dictionary together.
#[cfg(feature = "paging")]
#[derive(Debug, Clone)]
pub(super) struct ListsInFile {
    length: usize,
    blocks: Cells<[u8]>,
    /// Hashes of the blocks, and of all together.
    hashes: Vec<u64>,
    hash: u64,
}

impl Default for Lists {
    fn default() -> Self {
        Self::Held(Vec::new())
    }
}

impl PartialEq for Lists {
    fn eq(&self, other: &Self) -> bool {
        self.whole().is_some_and(|own| other.whole().is_some_and(|other| own == other))
    }
}

impl Serialize for Lists {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = self.whole().ok_or_else(|| S::Error::custom("the postings cannot be read"))?;
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de> Deserialize<'de> for Lists {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde_bytes::deserialize(deserializer).map(Self::Held)
    }
}

impl Lists {
    /// Returns the length in bytes.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Held(bytes) => bytes.len(),
            #[cfg(feature = "paging")]
            Self::InFile(lists) => lists.length,
        }
    }

    /// Returns all lists, which are read from the file without caching if they are there. `None` if they cannot be read.
    pub(super) fn whole(&self) -> Option<Cow<'_, [u8]>> {
        match self {
            Self::Held(bytes) => Some(Cow::Borrowed(bytes)),
            #[cfg(feature = "paging")]
            Self::InFile(lists) => lists.whole().map(Cow::Owned),
        }
    }

    /// Returns the list at `range`, within the block of this number and range.
    #[cfg_attr(not(feature = "paging"), expect(unused_variables, reason = "held lists need the range alone"))]
    pub(super) fn get(&self, range: Range<usize>, block: usize, of: impl FnOnce() -> Range<usize>) -> &[u8] {
        match self {
            Self::Held(bytes) => bytes.get(range).unwrap_or_default(),
            #[cfg(feature = "paging")]
            Self::InFile(lists) => lists.list(range, block, of()),
        }
    }
}

#[cfg(feature = "paging")]
impl Lists {
    /// Returns the bytes in memory, 0 if they are in a file.
    pub(super) fn held(&self) -> usize {
        match self {
            Self::Held(bytes) => bytes.capacity(),
            Self::InFile(_) => 0,
        }
    }

    /// Returns the bytes in memory without the cache.
    pub(super) fn memory(&self) -> usize {
        match self {
            Self::Held(bytes) => bytes.capacity(),
            Self::InFile(lists) => lists.blocks.memory() + 8 * lists.hashes.len(),
        }
    }

    /// Drops the lists from memory if the file has the same from `start` on, and returns whether it did.
    pub(super) fn page_out(
        &mut self,
        file: &Rc<DiskFile>,
        start: usize,
        blocks: impl Iterator<Item = Range<usize>>,
    ) -> bool {
        let Self::Held(bytes) = self else { return true };
        if !file.has(start, bytes) {
            return false;
        }
        let hashes = blocks.map(|block| bytes.get(block).map(xxh3_64)).collect::<Option<Vec<u64>>>();
        let Some(hashes) = hashes else { return false };
        let blocks = Cells::new(file, start, hashes.len());
        let (length, hash) = (bytes.len(), xxh3_64(bytes));
        *self = Self::InFile(Box::new(ListsInFile { length, blocks, hashes, hash }));
        true
    }

    /// Drops the cache.
    pub(super) fn clear_cache(&mut self) {
        if let Self::InFile(lists) = self {
            lists.blocks.clear();
        }
    }
}

#[cfg(feature = "paging")]
impl ListsInFile {
    fn whole(&self) -> Option<Vec<u8>> {
        let bytes = self.blocks.whole(self.length)?;
        let is_right = xxh3_64(&bytes) == self.hash;
        if !is_right {
            self.blocks.fail();
        }
        is_right.then_some(bytes)
    }

    /// Returns the list at `range`, of the block of this number at `of`; empty if it cannot be read, which is recorded.
    fn list(&self, range: Range<usize>, block: usize, of: Range<usize>) -> &[u8] {
        let hash = self.hashes.get(block).copied();
        let parse = |bytes: Vec<u8>| (Some(xxh3_64(&bytes)) == hash).then(|| bytes.into_boxed_slice());
        let within = range.start.wrapping_sub(of.start)..range.end.wrapping_sub(of.start);
        let list = self.blocks.get(block, of.start, of.len(), parse).and_then(|lists| lists.get(within));
        list.unwrap_or_else(|| {
            self.blocks.fail();
            &[]
        })
    }
}
