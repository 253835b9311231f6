//! Memory of an index: counts it, and drops from it what can be read from files.

use super::documents::Prepared;
use super::index::Index;
use super::inverted::InvertedIndex;
use super::paging::{DiskFile, Places};
use super::segment::{Segment, SegmentId};
use std::rc::Rc;

/// Bytes of a chunk beside its vector: its row, key, names, links of the graph, and terms.
const CHUNK: usize = 400;
/// Bytes of a document's row, with its id, title and address.
const DOCUMENT: usize = 300;
/// Bytes of a metadata field.
const FIELD: usize = 40;

/// Bytes of an index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Memory {
    /// All of it in memory, without the cache of texts and postings that were read from files.
    pub taken: usize,
    /// Texts and postings among these, which can be dropped once they are saved.
    pub pageable: usize,
    /// Texts and postings that are in files.
    pub paged: usize,
}

impl Index {
    /// Counts its bytes, to within about a tenth.
    pub fn memory(&self) -> Memory {
        // A hash and a key for each embedded chunk, and a byte of the table.
        let known = self.embedded.as_ref().map_or(0, |known| 17 * known.capacity());
        let mut memory = Memory { taken: known, ..Memory::default() };
        for segment in self.segments.iter().chain([&self.tail]) {
            let held = segment.pageable();
            memory.taken += segment.memory();
            memory.pageable += held;
            memory.paged += if held == 0 { segment.content() } else { 0 };
        }
        memory
    }

    /// Estimates the bytes that documents will take in memory, as [`Index::memory`] counts them, with vectors of so many bytes.
    pub fn estimate(documents: &[Prepared], vector: usize) -> Memory {
        let mut memory = Memory::default();
        for document in documents {
            // A posting takes a byte or two, and a word about seven.
            let pageable = document.text.len() + document.text.len() / 4;
            let chunks = document.pieces.len() * (CHUNK + vector);
            memory.taken += pageable + chunks + DOCUMENT + document.metadata.len() * FIELD;
            memory.pageable += pageable;
        }
        memory
    }

    /// Returns the segments whose texts and postings are in memory, with the bytes of these, most first. The tail is not among them.
    pub fn in_memory(&self) -> Vec<(usize, SegmentId)> {
        let mut held: Vec<(usize, SegmentId)> =
            self.segments.iter().map(|one| (one.pageable(), one.id)).filter(|one| one.0 > 0).collect();
        held.sort_unstable_by_key(|one| (std::cmp::Reverse(one.0), one.1));
        held
    }

    /// Drops the texts and postings of a segment from memory, if `file` contains the same ones. Returns whether it did: not while a search
    /// still uses them.
    pub fn page_out(&mut self, id: SegmentId, file: &Rc<DiskFile>) -> bool {
        let segment = self.segments.iter_mut().find(|one| one.id == id);
        segment.and_then(Rc::get_mut).is_some_and(|segment| segment.page_out(file))
    }

    /// Drops the cache of texts and postings, except those that a search still reads.
    pub fn clear_cache(&mut self) {
        for segment in self.segments.iter_mut().filter_map(Rc::get_mut) {
            if let Some(documents) = Rc::get_mut(&mut segment.documents) {
                documents.text.clear_cache();
            }
            if let Some(InvertedIndex::Sealed(words)) = Rc::get_mut(&mut segment.words) {
                words.clear_cache();
            }
        }
    }

    /// Limits the bytes of texts and postings that one merge reads: a merge takes them into memory.
    pub fn set_most_merged(&mut self, bytes: usize) {
        self.most_merged = bytes;
    }
}

impl Segment {
    /// Returns the bytes of its texts and postings in memory.
    pub(super) fn pageable(&self) -> usize {
        self.documents.text.held() + self.words.held()
    }

    /// Returns the bytes of its texts and postings, wherever they are.
    pub(super) fn content(&self) -> usize {
        self.documents.text.len() + self.words.content()
    }

    /// Returns its bytes in memory, without the cache.
    fn memory(&self) -> usize {
        let vectors = self.vectors.memory();
        // A key of 4 bytes a chunk; a name is a key and a hash.
        let names = 16 * self.names.all().count();
        self.documents.memory()
            + self.words.memory()
            + 4 * self.len()
            + names
            + vectors.vectors
            + vectors.sketch
            + vectors.graph
    }

    /// As [`Index::page_out`].
    pub(super) fn page_out(&mut self, file: &Rc<DiskFile>) -> bool {
        let Some(documents) = Rc::get_mut(&mut self.documents) else { return false };
        let Some(InvertedIndex::Sealed(words)) = Rc::get_mut(&mut self.words) else { return false };
        let Some(places) = Places::of(file) else { return false };
        documents.page_out(file, places.documents) && words.page_out(file, places.words)
    }
}
