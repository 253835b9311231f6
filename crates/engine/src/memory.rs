//! Keeps a knowledge base within `maxMemory`: texts and postings that are saved stay on the disk, and what does not fit is refused.

use super::KnowledgeBase;
use serde::Serialize;
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

    /// Refuses documents that would take more memory than there is. Saves first if that makes room.
    ///
    /// # Errors
    /// `library_too_large`, and those of saving.
    pub(super) async fn make_room(&self, documents: &[Prepared]) -> Result<()> {
        let Some(most) = self.most_taken() else { return Ok(()) };
        if self.open_state()?.borrow().index.memory().taken > most {
            self.save().await?;
        }
        let more = {
            let index = &self.open_state()?.borrow().index;
            let embedded = self.embedder.is_some().then(|| index.dimensions().unwrap_or(USUAL_DIMENSIONS));
            Index::estimate(documents, embedded.unwrap_or_default())
        };
        self.refuse_above(more)
    }

    /// As [`Self::make_room`], for an index that is imported.
    pub(super) fn make_room_for(&self, other: &Index) -> Result<()> {
        self.refuse_above(other.memory())
    }

    fn refuse_above(&self, more: Memory) -> Result<()> {
        let (Some(limit), Some(most)) = (self.options.max_memory, self.most_taken()) else { return Ok(()) };
        let state = self.open_state()?.borrow();
        let now = state.index.memory();
        let is_on_disk = state.disk.as_ref().is_some_and(|disk| disk.reads_now());
        // Above the limit, what is in memory could not be dropped by the last save.
        let droppable =
            if now.taken > most { more.pageable } else { now.pageable.saturating_add(more.pageable) };
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

    /// Ends a call: drops what it read from the disk if that is too much, and checks that all could be read.
    ///
    /// # Errors
    /// `storage_failed`: results of the call may lack texts. All later calls fail as well, until the library is opened again.
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

/// Numbers of a vector before the first one is there.
const USUAL_DIMENSIONS: usize = 384;

/// Returns the bytes that an index may take beside what is read from the disk.
pub(super) fn most_taken(limit: usize) -> usize {
    limit - limit / READ_SHARE
}

fn megabytes(bytes: usize) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
