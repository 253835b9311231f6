//! Salvages a damaged library: opens its undamaged parts and reports the rest.

use serde::{Deserialize, Serialize};
use vademecum_protocol::error::{Error, Result};

/// Options for reading a library.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ReadOptions {
    /// Whether f32 vectors are kept.
    pub(super) exact: bool,
    /// Whether the bytes come from an untrusted source, so that everything is validated.
    pub(super) foreign: bool,
    /// Whether damaged parts are left out and reported.
    pub(super) salvage: bool,
    /// Bytes in memory above which texts and postings stay in their files.
    #[cfg(feature = "paging")]
    pub(super) most: Option<usize>,
}

/// The number of documents and chunks in a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Count {
    pub(super) id: u64,
    pub(super) documents: u32,
    pub(super) chunks: u32,
}

/// The parts of a damaged library that could not be read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lost {
    /// Number of lost documents, 0 if the library was saved by a version that did not store counts.
    pub documents: u32,
    /// Number of lost chunks, with the same exception.
    pub chunks: u32,
    /// The damaged files. Vectors and graphs among them can be recomputed: no document is lost with them.
    pub files: Vec<Damaged>,
}

/// A damaged file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Damaged {
    /// File name.
    pub file: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Lost {
    /// Records a damaged part of a segment that is not essential.
    ///
    /// # Errors
    /// The error itself, unless it is [`Error::LibraryCorrupt`] and the library is being salvaged.
    pub(super) fn part(&mut self, how: ReadOptions, error: Error) -> Result<()> {
        match error {
            Error::LibraryCorrupt { file, reason } if how.salvage => {
                self.files.push(Damaged { file, reason });
                Ok(())
            }
            error => Err(error),
        }
    }

    /// Records a segment that cannot be read, with the number of documents and chunks in it.
    ///
    /// # Errors
    /// As [`Self::part`].
    pub(super) fn segment(&mut self, how: ReadOptions, error: Error, count: Option<&Count>) -> Result<()> {
        self.part(how, error)?;
        if let Some(count) = count {
            self.documents = self.documents.saturating_add(count.documents);
            self.chunks = self.chunks.saturating_add(count.chunks);
        }
        Ok(())
    }
}
