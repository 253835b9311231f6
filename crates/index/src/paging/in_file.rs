//! Offsets within the file of a segment's texts and postings.

use super::DiskFile;
use crate::persist::container::{HEADER, offsets, table_end};

/// Bytes of the header and the table, of which a few sections need some 200: the length in a damaged file may be any.
const LONGEST_TABLE: usize = 4096;

/// Offsets of sections.
pub(crate) struct Places {
    pub(crate) documents: usize,
    pub(crate) words: usize,
}

impl Places {
    /// Reads the offsets from a file.
    pub(crate) fn of(file: &DiskFile) -> Option<Self> {
        let end = table_end(&file.try_read(0, HEADER)?).filter(|end| *end <= LONGEST_TABLE)?;
        let start = file.try_read(0, end)?;
        let sections = offsets(&start)?;
        let place = |name: &str| sections.iter().find(|one| one.0 == name).map(|one| one.1);
        Some(Self { documents: place("documents")?, words: place("words")? })
    }
}

/// Returns the bytes that a number takes as the codec of files writes it: seven bits each.
pub(crate) fn size_of_number(number: usize) -> usize {
    (usize::BITS - (number | 1).leading_zeros()).div_ceil(7) as usize
}
