//! Tombstones of a segment, and what the deleted chunks contributed to its statistics.

use super::bitmap::Bitmap;
use super::documents::{DocumentRow, Documents};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The deleted documents and chunks of one segment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Deleted {
    documents: Bitmap,
    chunks: Bitmap,
    length: u64,
    /// Per term number: the number of deleted chunks that contain the term, subtracted from its document
    /// frequency.
    terms: FxHashMap<u32, u32>,
}

/// The serialised form.
#[derive(Serialize, Deserialize)]
pub(super) struct Saved {
    documents: (u32, Vec<u64>),
    chunks: (u32, Vec<u64>),
    length: u64,
    terms: Vec<(u32, u32)>,
}

impl Deleted {
    /// Returns the deleted documents, by row.
    pub(super) fn documents(&self) -> &Bitmap {
        &self.documents
    }

    /// Returns the deleted chunks, by row.
    pub(super) fn chunks(&self) -> &Bitmap {
        &self.chunks
    }

    /// Returns the summed length of the deleted chunks, in terms.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Returns the number of deleted chunks that contain a term.
    pub(super) fn count_of(&self, term: u32) -> usize {
        self.terms.get(&term).map_or(0, |count| *count as usize)
    }

    /// Returns whether nothing is deleted.
    pub(super) fn is_empty(&self) -> bool {
        self.documents.count() == 0
    }

    pub(super) fn document(&mut self, row: u32) -> bool {
        self.documents.insert(row as usize)
    }

    /// Marks a chunk as deleted and records its length and its distinct terms.
    pub(super) fn chunk(&mut self, row: u32, length: u32, terms: impl Iterator<Item = u32>) {
        self.chunks.insert(row as usize);
        self.length = self.length.saturating_add(length.into());
        for term in terms {
            let count = self.terms.entry(term).or_default();
            *count = count.saturating_add(1);
        }
    }

    /// Moves the counts to new term numbers.
    pub(super) fn renumber(&mut self, moved: impl Fn(u32) -> Option<u32>) {
        let terms = self.terms.iter().filter_map(|(term, count)| Some((moved(*term)?, *count)));
        self.terms = terms.collect();
    }

    /// Returns whether the tombstones are consistent with `documents`: within range, and a chunk is deleted
    /// exactly if its document is.
    pub(super) fn is_of(&self, documents: &Documents) -> bool {
        let whole = |(at, row): (usize, &DocumentRow)| {
            let gone = self.documents.contains(at);
            row.chunks.clone().all(|chunk| self.chunks.contains(chunk as usize) == gone)
        };
        self.documents.len() <= documents.rows.len()
            && self.chunks.len() <= documents.chunks.len()
            && documents.rows.iter().enumerate().all(whole)
    }

    /// Returns the serialised form.
    pub(super) fn saved(&self) -> Saved {
        let bits = |bits: &Bitmap| (bits.len() as u32, bits.words().to_vec());
        let mut terms: Vec<(u32, u32)> = self.terms.iter().map(|(term, count)| (*term, *count)).collect();
        terms.sort_unstable();
        Saved { documents: bits(&self.documents), chunks: bits(&self.chunks), length: self.length, terms }
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let saved: Saved = postcard::from_bytes(bytes).ok()?;
        // A length that does not match the number of words is rejected before anything of that size is
        // allocated.
        let bits = |(len, words): (u32, Vec<u64>)| {
            (words.len() == (len as usize).div_ceil(64)).then(|| Bitmap::from_words(words, len as usize))
        };
        Some(Self {
            documents: bits(saved.documents)?,
            chunks: bits(saved.chunks)?,
            length: saved.length,
            terms: saved.terms.into_iter().collect(),
        })
    }
}
