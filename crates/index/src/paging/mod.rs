//! Paging: ranges of files that are read when they are used, instead of being kept in memory.
//!
//! A segment is saved, and then its file is opened for reading at once ([`Disk::open`]). What it contains is compared with what is in
//! memory, which is dropped if both are equal ([`Index::page_out`](crate::Index::page_out)). Afterwards ranges are read when they are
//! first used, and kept until [`Index::clear_cache`](crate::Index::clear_cache).

mod cells;
mod disk;
mod in_file;

pub(super) use cells::Cells;
pub use disk::{Disk, DiskFile};
pub(super) use in_file::{Places, size_of_number};
