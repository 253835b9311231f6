//! Keeps a knowledge base within `maxMemory`: texts and postings that are saved stay on the disk, and what does not fit is refused.

use super::KnowledgeBase;
use serde::Serialize;
use vademecum_index::persist::Library;
use vademecum_index::{Index, Memory, Prepared};
use vademecum_protocol::error::{Error, Result};

/// One in so many bytes of `maxMemory` is reserved for the cache of texts and postings that are read from the disk.
const CACHE_SHARE: usize = 8;
/// One merge of several segments reads at most one in so many bytes of `maxMemory`.
const MERGE_SHARE: usize = 8;

/// Memory of a knowledge base, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "MemoryUse"))]
#[serde(rename_all = "camelCase")]
pub struct MemoryUse {
    /// Bytes of documents, their index and their vectors in memory, to within about a tenth, and of the cache of texts and postings.
    pub taken: usize,
    /// Bytes of texts and postings that `maxMemory` leaves on the disk.
    pub on_disk: usize,
}

impl KnowledgeBase {
    /// Returns the maximum size of the index beside the cache, in bytes; `None` without a limit.
    fn most_taken(&self) -> Option<usize> {
        self.options.max_memory.map(most_taken)
    }

    /// Returns the maximum size of the cache beside an index of `taken` bytes.
    fn max_cache(&self, taken: usize) -> usize {
        let limit = self.options.max_memory.unwrap_or(usize::MAX);
        limit.saturating_sub(taken).max(limit / CACHE_SHARE)
    }

    /// Returns the bytes of text and postings that a merge may read.
    pub(super) fn most_merged(&self) -> usize {
        self.options.max_memory.map_or(usize::MAX, |most| most / MERGE_SHARE)
    }

    /// Drops saved texts and postings from memory until it is within the limit, and clears the cache if it exceeds its share.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub(super) async fn page_out(&self, library: &Library) -> Result<()> {
        let Some(most) = self.most_taken() else { return Ok(()) };
        let (mut taken, held) = {
            let index = &self.open_state()?.borrow().index;
            (index.memory().taken, index.in_memory())
        };
        for (bytes, id) in held {
            if taken <= most {
                break;
            }
            if let Some(file) = library.hold(id).await
                && self.open_state()?.borrow_mut().index.page_out(id, &file)
            {
                taken = taken.saturating_sub(bytes);
            }
        }
        self.open_state()?.borrow_mut().max_cache = self.max_cache(taken);
        self.clear_cache();
        Ok(())
    }

    /// Clears the cache of texts and postings if it exceeds its maximum size.
    pub(super) fn clear_cache(&self) {
        let mut state = self.state.borrow_mut();
        if self.disk.get().is_some_and(|disk| disk.cached() > state.max_cache) {
            state.index.clear_cache();
        }
    }

    /// Returns whether the index exceeds its maximum size.
    pub(super) fn is_above_limit(&self) -> Result<bool> {
        let Some(most) = self.most_taken() else { return Ok(false) };
        Ok(self.open_state()?.borrow().index.memory().taken > most)
    }

    /// Refuses documents that would take more memory than there is, and reserves it otherwise. Saves first if that makes room.
    ///
    /// # Errors
    /// `library_too_large`, and those of saving.
    pub(super) async fn make_room(&self, documents: &[Prepared]) -> Result<Reserved<'_>> {
        if self.options.max_memory.is_none() {
            return Ok(Reserved { kb: self, bytes: 0 });
        }
        if self.is_above_limit()? {
            self.save().await?;
        }
        let more = Index::estimate(documents, self.vector_bytes()?);
        self.refuse_above(more)?;
        let mut state = self.open_state()?.borrow_mut();
        let bytes = if self.reads_now() { more.taken.saturating_sub(more.pageable) } else { more.taken };
        state.reserved = state.reserved.saturating_add(bytes);
        Ok(Reserved { kb: self, bytes })
    }

    /// As [`Self::make_room`], for an index that is imported.
    pub(super) fn make_room_for(&self, other: &Index) -> Result<()> {
        let mut more = other.memory();
        more.taken = more.taken.saturating_add(self.vectors_to_come(other)?);
        self.refuse_above(more)
    }

    /// Returns the bytes of a vector with its sketch; 0 without an embedder.
    fn vector_bytes(&self) -> Result<usize> {
        if self.embedder.is_none() {
            return Ok(0);
        }
        let dimensions = self.open_state()?.borrow().index.dimensions().unwrap_or(USUAL_DIMENSIONS);
        let exact = if self.options.exact_vectors { 4 * dimensions } else { 0 };
        Ok(dimensions + dimensions / 8 + exact)
    }

    /// Returns the bytes of the vectors that an index lacks.
    fn vectors_to_come(&self, index: &Index) -> Result<usize> {
        let size = index.size(None);
        Ok(size.chunks.saturating_sub(size.vectors).saturating_mul(self.vector_bytes()?))
    }

    fn refuse_above(&self, more: Memory) -> Result<()> {
        let (Some(limit), Some(most)) = (self.options.max_memory, self.most_taken()) else { return Ok(()) };
        let state = self.open_state()?.borrow();
        let mut now = state.index.memory();
        let to_come = self.vectors_to_come(&state.index)?.saturating_add(state.reserved);
        now.taken = now.taken.saturating_add(to_come);
        let is_on_disk = self.reads_now();
        // Above the limit, the last save could not drop the texts and postings that are in memory.
        let is_stuck = now.taken.saturating_sub(to_come) > most;
        let droppable = if is_stuck { more.pageable } else { now.pageable.saturating_add(more.pageable) };
        let both = now.taken.saturating_add(more.taken);
        let needed = if is_on_disk { both.saturating_sub(droppable) } else { both };
        if needed <= most {
            return Ok(());
        }
        let what = if is_on_disk {
            "without its texts, which stay on the disk"
        } else {
            "as its storage cannot be read in parts"
        };
        Err(Error::Relayed {
            code: "library_too_large",
            message: format!(
                "With these documents the library would take about {} of memory ({what}), and `maxMemory` is {}. None was added. Raise `maxMemory`, remove documents, or build the library in advance and attach it with `keep`.",
                megabytes(needed.saturating_add(limit / CACHE_SHARE)),
                megabytes(limit)
            ),
            retryable: false,
        })
    }

    /// Returns whether texts can be read from the disk in the midst of a search.
    fn reads_now(&self) -> bool {
        self.disk.get().is_some_and(|disk| disk.reads_now())
    }

    /// Ends a call: clears the cache if it exceeds its maximum size, and checks that no read has failed, also if the call outlasts the library.
    ///
    /// # Errors
    /// `storage_failed`: results of the call may lack texts. All later calls that read texts fail as well, until the library is opened again.
    pub fn settle(&self) -> Result<()> {
        self.clear_cache();
        self.disk.get().map_or(Ok(()), |disk| disk.check())
    }

    /// Returns the memory of its index and cache.
    pub(super) fn memory_use(&self, index: &Index) -> MemoryUse {
        let memory = index.memory();
        let cached = self.disk.get().map_or(0, |disk| disk.cached());
        MemoryUse { taken: memory.taken + cached, on_disk: memory.paged }
    }
}

/// Memory of documents that are being inserted; given back on drop.
pub(super) struct Reserved<'a> {
    kb: &'a KnowledgeBase,
    bytes: usize,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        let mut state = self.kb.state.borrow_mut();
        state.reserved = state.reserved.saturating_sub(self.bytes);
    }
}

/// Numbers of a vector that are assumed before the first one is known.
const USUAL_DIMENSIONS: usize = 384;

/// Returns the maximum size of an index beside the cache, in bytes.
pub(super) fn most_taken(limit: usize) -> usize {
    limit - limit / CACHE_SHARE
}

fn megabytes(bytes: usize) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
