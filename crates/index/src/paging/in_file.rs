//! Offsets within the file of a segment's texts and postings.

use super::DiskFile;
use crate::persist::container::{HEADER, offsets, table_end};

/// Offsets of sections.
pub(crate) struct Places {
    pub(crate) documents: usize,
    pub(crate) words: usize,
}

impl Places {
    /// Reads the offsets from a file.
    pub(crate) fn of(file: &DiskFile) -> Option<Self> {
        let end = table_end(&file.read(0, HEADER)?)?;
        let start = file.read(0, end)?;
        let sections = offsets(&start)?;
        let place = |name: &str| sections.iter().find(|one| one.0 == name).map(|one| one.1);
        Some(Self { documents: place("documents")?, words: place("words")? })
    }
}

/// Returns the bytes that a number takes as the codec of files writes it: seven bits each.
pub(crate) fn size_of_number(number: usize) -> usize {
    (usize::BITS - (number | 1).leading_zeros()).div_ceil(7) as usize
}
