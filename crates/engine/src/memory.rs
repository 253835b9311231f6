//! Keeps a knowledge base within `maxMemory`: texts and postings that are saved stay on the disk, and what does not fit is refused.

use super::{KnowledgeBase, State};
use serde::Serialize;
use std::rc::Rc;
use vademecum_index::paging::Disk;
use vademecum_index::persist::Library;
use vademecum_index::{Index, Memory, Prepared};
use vademecum_protocol::error::{Error, Result};

/// The share of `maxMemory` that is left for what is read from the disk.
const READ_SHARE: usize = 8;
/// The share of `maxMemory` that one merge reads.
const MERGE_SHARE: usize = 8;

/// Memory of a knowledge base, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "MemoryUse"))]
#[serde(rename_all = "camelCase")]
pub struct MemoryUse {
    /// What documents, their index and their vectors take, estimated to within about a tenth, and what was read from the disk.
    pub taken: usize,
    /// Texts and postings that are read from the disk as they are needed, because of `maxMemory`.
    pub on_disk: usize,
}

impl KnowledgeBase {
    /// Returns the bytes that the index may take beside what is read from the disk.
    fn most_taken(&self) -> Option<usize> {
        self.options.max_memory.map(most_taken)
    }

    /// Returns the bytes that may be read from the disk, beside an index that takes `taken`.
    fn room(&self, taken: usize) -> usize {
        let limit = self.options.max_memory.unwrap_or(usize::MAX);
        limit.saturating_sub(taken).max(limit / READ_SHARE)
    }

    /// Returns the bytes of text and postings that a merge may read.
    pub(super) fn most_merged(&self) -> usize {
        self.options.max_memory.map_or(usize::MAX, |most| most / MERGE_SHARE)
    }

    /// Drops saved texts and postings from memory until it is within the limit, and what was read from the disk if that is too much.
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
        self.open_state()?.borrow_mut().room = self.room(taken);
        self.forget_read();
        Ok(())
    }

    /// Drops what was read from the disk, if that is too much.
    pub(super) fn forget_read(&self) {
        let mut state = self.state.borrow_mut();
        if state.disk.as_ref().is_some_and(|disk| disk.loaded() > state.room) {
            state.index.forget_read();
        }
    }

    /// Returns whether the index takes more than it may beside what is read from the disk.
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
        let bytes = if state.reads_now() { more.taken.saturating_sub(more.pageable) } else { more.taken };
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
        let is_on_disk = state.reads_now();
        // Above the limit, what is in memory could not be dropped by the last save.
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
                megabytes(needed.saturating_add(limit / READ_SHARE)),
                megabytes(limit)
            ),
            retryable: false,
        })
    }

    /// Returns the files that texts are read from, for a call that may outlast the library.
    pub fn disk(&self) -> Option<Rc<Disk>> {
        self.state.borrow().disk.clone()
    }

    /// Ends a call: drops what it read from the disk if that is too much, and checks that all could be read.
    ///
    /// # Errors
    /// `storage_failed`: results of the call may lack texts. All later calls that read texts fail as well, until the library is opened again.
    pub fn settle(&self) -> Result<()> {
        self.forget_read();
        self.state.borrow().disk.as_ref().map_or(Ok(()), |disk| disk.check())
    }

    /// Returns the memory that an index takes, beside which `read` bytes were read from the disk.
    pub(super) fn memory_use(index: &Index, read: usize) -> MemoryUse {
        let memory = index.memory();
        MemoryUse { taken: memory.taken + read, on_disk: memory.paged }
    }
}

impl State {
    /// Returns whether texts can be read from the disk as they are needed.
    fn reads_now(&self) -> bool {
        self.disk.as_ref().is_some_and(|disk| disk.reads_now())
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

/// Numbers of a vector before the first one is there.
const USUAL_DIMENSIONS: usize = 384;

/// Returns the bytes that an index may take beside what is read from the disk.
pub(super) fn most_taken(limit: usize) -> usize {
    limit - limit / READ_SHARE
}

fn megabytes(bytes: usize) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
