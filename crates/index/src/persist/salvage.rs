//! What is whole of a damaged library: opened without what is not, which is told.

use serde::{Deserialize, Serialize};
use vademecum_protocol::error::{Error, Result};

/// How a library is read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reading {
    /// Whether f32 vectors are kept.
    pub(super) exact: bool,
    /// Whether it comes from elsewhere, so that nothing in it is taken on trust.
    pub(super) foreign: bool,
    /// Whether what is damaged is left out, and told.
    pub(super) salvage: bool,
}

/// How many documents and chunks a segment holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Count {
    pub(super) id: u64,
    pub(super) documents: u32,
    pub(super) chunks: u32,
}

/// What could not be read of a damaged library.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Lost {
    /// How many documents are not there; what an older version saved does not tell, and counts as none.
    pub documents: u32,
    /// How many chunks are not there, counted in the same way.
    pub chunks: u32,
    /// The files that are damaged. Vectors and graphs among them can be made again.
    pub files: Vec<Damaged>,
}

/// A damaged file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Damaged {
    /// Its name.
    pub file: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Lost {
    /// Notes a part of a segment that cannot be read, and that the rest does without.
    ///
    /// # Errors
    /// The error itself, where nothing is to be salvaged or the damage is none of the file's.
    pub(super) fn part(&mut self, how: Reading, error: Error) -> Result<()> {
        match error {
            Error::LibraryCorrupt { file, reason } if how.salvage => {
                self.files.push(Damaged { file, reason });
                Ok(())
            }
            error => Err(error),
        }
    }

    /// Notes a segment that cannot be read, with how much was in it.
    ///
    /// # Errors
    /// As [`Self::part`].
    pub(super) fn segment(&mut self, how: Reading, error: Error, count: Option<&Count>) -> Result<()> {
        self.part(how, error)?;
        if let Some(count) = count {
            self.documents = self.documents.saturating_add(count.documents);
            self.chunks = self.chunks.saturating_add(count.chunks);
        }
        Ok(())
    }
}
