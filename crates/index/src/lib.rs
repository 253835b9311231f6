//! The index: documents and their chunks, searchable by keyword, vector, metadata and links.
//!
//! An [`Index`] is a list of immutable segments and a tail that takes new documents, as in Lucene. It is
//! synchronous except for merging and persistence, and knows nothing of encoders: vectors are passed in. A
//! chunk is searchable by keyword once its document is inserted, and by vector once [`Index::set_vector`] is
//! called.
//!
//! ```
//! use vademecum_index::{Index, Prepared, Query};
//! use vademecum_protocol::document::Format;
//! use vademecum_text::chunk::{Budget, chunk};
//! use vademecum_text::{structure, terms::Language};
//!
//! let text = structure::read("# Tides\n\nThe moon pulls the sea.".to_owned(), Format::Markdown)?;
//! let mut index = Index::default();
//! index.insert(vec![Prepared {
//!     id: "tides.md".to_owned(),
//!     collection: "notes".into(),
//!     title: text.title.clone(),
//!     url: None,
//!     pieces: chunk(&text, &Budget::estimated(256)),
//!     text: text.text,
//!     links: Vec::new(),
//!     metadata: serde_json::Map::new(),
//!     language: Language::English,
//! }]);
//!
//! let searcher = index.searcher();
//! let query = Query { keywords: Some("moon"), limit: 10, ..Query::default() };
//! let hits = searcher.search(&query)?.best;
//! let chunk = searcher.chunk(hits[0].key).unwrap();
//! assert_eq!(chunk.document.id(), "tides.md");
//! # Ok::<(), vademecum_protocol::error::Error>(())
//! ```
//!
//! **Data flow.** [`Prepared`] documents are appended to the tail, which is sealed when it is full or saved:
//! its inverted index is compressed, its vectors get sketches and, by way of [`Index::next_graph`], an HNSW
//! graph. [`Index::next_merge`] merges small segments and those with many tombstones. [`Index::searcher`]
//! returns a [`Searcher`], a snapshot that later writes do not affect. It runs a [`Query`] through two
//! retrievers, BM25 over the inverted indexes and nearest neighbours over the vectors, and fuses their
//! rankings to [`Matches`]. [`filter`] restricts both retrievers by metadata; [`persist`] saves and opens an
//! index.
//!
//! Start reading at `index.rs` and `segment.rs` for writing, at `searcher.rs` for reading, and at
//! `inverted/bm25.rs` for scoring.

mod chunk_key;
mod deleted;
mod documents;
pub mod export;
pub mod filter;
mod fingerprint;
mod foreign;
mod fusion;
mod import;
mod index;
mod inverted;
mod link_index;
mod links;
mod listing;
#[cfg(feature = "paging")]
mod memory;
mod merge;
mod never_sent;
mod never_sent_prints;
#[cfg(feature = "paging")]
pub mod paging;
mod parsed;
pub mod partial;
pub mod persist;
mod rescore;
mod searcher;
mod segment;
mod sendable;
mod spelling;
pub mod standalone;
mod survey;
mod texts;
mod vector_list;

pub use chunk_key::ChunkKey;
pub use documents::{Prepared, StoredChunk, StoredDocument};
pub use foreign::{Foreign, Passage};
pub use fusion::{Arm, Found, Fusion, Matches, WEIGHT, Weights};
pub use index::{Index, MergeJob, Merged, Shape, Size};
#[cfg(feature = "paging")]
pub use memory::Memory;
pub use merge::Breathe;
pub use rescore::ReadWords;
pub use searcher::{Query, Searcher};
pub use segment::SegmentId;
pub use vademecum_vectors as vectors;
pub use vademecum_vectors::bitmap;
pub use vector_list::{ChunkVectors, EmbeddedChunk};
