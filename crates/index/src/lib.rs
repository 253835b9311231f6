//! The index: documents and their chunks in segments, found by words, by vectors, by metadata and by links.
//!
//! Everything here is synchronous but for merging, and knows nothing of models: vectors are handed in. A chunk is
//! searchable by keyword from the moment its document is inserted, and by vector from the moment
//! [`Index::set_vector`] is called. Whoever searches takes a [`Searcher`], which is a snapshot.

mod chunk_key;
mod deleted;
mod documents;
pub mod filter;
mod fingerprint;
mod fusion;
mod import;
mod index;
mod inverted;
mod link_index;
mod links;
mod listing;
mod map;
mod merge;
pub mod persist;
mod rescore;
mod searcher;
mod segment;
mod sendable;
pub mod standalone;
mod survey;

pub use chunk_key::ChunkKey;
pub use documents::{Prepared, StoredChunk, StoredDocument};
pub use fusion::{Arm, Found, Fusion, Matches, Weights};
pub use index::{Index, MergeJob, Merged, Shape, Size};
pub use map::{ChunkMap, MapPoint};
pub use merge::Breathe;
pub use searcher::{Query, Searcher};
pub use segment::SegmentId;
pub use vademecum_vectors as vectors;
pub use vademecum_vectors::bitmap;
