//! The name of a chunk within an index.

/// Names a chunk for as long as its document is there; never given to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkKey(pub(crate) u32);
