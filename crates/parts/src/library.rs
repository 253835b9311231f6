//! A library in parts, opened for reading.

use crate::manifest::Manifest;
use crate::request::{DocumentView, Part, SearchRequest, SearchResponse};
use crate::source::Source;
use std::rc::Rc;
use vademecum_protocol::error::{Error, Result};

/// Options of the reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Maximum size of the decompressed blocks that are kept in memory, in bytes. Default: 64 MB.
    pub max_memory: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_memory: 64 << 20 }
    }
}

/// A library in parts. Cheap to open: nothing is read before the first question.
pub struct Library {
    manifest: Manifest,
    #[expect(dead_code, reason = "read by the sections")]
    source: Rc<dyn Source>,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Library").field("fingerprint", &self.manifest.fingerprint).finish_non_exhaustive()
    }
}

impl Library {
    /// Opens a library by the bytes of its manifest.
    ///
    /// # Errors
    /// `manifest_invalid`; [`Error::LibraryNewer`] if a later version wrote it.
    pub fn open(manifest: &[u8], source: Rc<dyn Source>, options: &Options) -> Result<Self> {
        let _ = options;
        Ok(Self { manifest: Manifest::parse(manifest)?, source })
    }

    /// Returns the manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the size of the decompressed blocks in memory, in bytes.
    pub fn memory(&self) -> usize {
        0
    }

    /// Searches. `vector` is the unit vector of the query, for the modes `vector` and `hybrid`; hybrid mode without one searches
    /// by words and says so in `mode`.
    ///
    /// # Errors
    /// [`Error::EmptyQuestion`], [`Error::UnknownCollection`], [`Error::NoEmbedder`] in vector mode without a vector,
    /// [`Error::VectorShape`], [`Error::InvalidArgument`], those of a filter; `part_missing` or `part_damaged` if nothing could answer.
    pub async fn search(&self, request: &SearchRequest, vector: Option<&[f32]>) -> Result<SearchResponse> {
        let _ = (request, vector);
        Err(Error::internal("Searching is not written yet.".to_owned()))
    }

    /// Returns a document with its plain text and its chunks.
    ///
    /// # Errors
    /// [`Error::UnknownCollection`], [`Error::UnknownDocument`], `part_missing`, `part_damaged`.
    pub async fn document(&self, collection: &str, id: &str) -> Result<DocumentView> {
        let _ = (collection, id);
        Err(Error::internal("Reading documents is not written yet.".to_owned()))
    }

    /// Lists all parts, for keeping the library on this device.
    ///
    /// # Errors
    /// `part_missing`, `part_damaged`.
    pub async fn parts(&self) -> Result<Vec<Part>> {
        Err(Error::internal("Listing parts is not written yet.".to_owned()))
    }
}
