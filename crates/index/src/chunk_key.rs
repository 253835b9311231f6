//! Chunk keys.

use serde::{Deserialize, Serialize};

/// Identifies a chunk within an index. Keys grow with insertion and are never reused, so a key kept across an
/// `await` refers to the same chunk or to none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ChunkKey(pub(crate) u32);

impl ChunkKey {
    /// Returns the key as a number.
    pub fn number(self) -> u32 {
        self.0
    }
}
