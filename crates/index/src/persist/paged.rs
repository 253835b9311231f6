//! Libraries that keep only a part of themselves in memory.

use super::manifest::{Entry, SegmentPart};
use super::{Directory, Library, ReadOptions, Settings};
use crate::index::Index;
use crate::paging::{Disk, DiskFile};
use crate::segment::SegmentId;
use std::rc::Rc;
use vademecum_protocol::error::Result;

impl Library {
    /// As [`Library::open`], or with `salvage` as [`Library::salvage`]. Where the directory reads at once ([`Directory::hold`]), texts and
    /// postings stay in their files from the segment on with which the index takes more than `most` bytes of memory.
    ///
    /// # Errors
    /// As [`Library::open`] and [`Library::salvage`].
    pub async fn open_within(
        directory: Rc<dyn Directory>,
        exact_vectors: bool,
        salvage: bool,
        most: Option<usize>,
    ) -> Result<(Self, Index, Settings)> {
        let how = ReadOptions { exact: exact_vectors, salvage, most, ..ReadOptions::default() };
        Self::read(directory, how).await
    }

    /// Returns the files that are read at once.
    pub fn disk(&self) -> &Rc<Disk> {
        &self.disk
    }

    /// Opens the file of a segment's texts and postings, for [`Index::page_out`]. `None` if the segment is not saved, or the directory cannot
    /// read its file at once.
    pub async fn hold(&self, id: SegmentId) -> Option<Rc<DiskFile>> {
        let saved = self.saved.segments.iter().find(|entry| entry.id == id.0)?;
        self.disk.open(saved.file(SegmentPart::Text)?).await
    }
}

/// Drops the texts and postings of the segment read last from memory if the index takes more than `most` bytes.
pub(super) async fn page_out_above(index: &mut Index, most: Option<usize>, disk: &Rc<Disk>, entry: &Entry) {
    if most.is_some_and(|most| index.memory().taken > most)
        && let Some(name) = entry.file(SegmentPart::Text)
        && let Some(file) = disk.open(name).await
    {
        index.page_out(SegmentId(entry.id), &file);
    }
}
