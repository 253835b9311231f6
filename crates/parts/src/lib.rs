//! Libraries in parts: a manifest and immutable, content-addressed parts in a folder, of which a question reads only what it needs.
//!
//! A [`Library`] is opened by the bytes of its manifest and a [`Source`], which reads ranges of parts from a host, a folder or a
//! store in the browser. Nothing that a source returns is trusted: whole parts are verified by their name, ranges block by block
//! by hashes in directories, which are blocks themselves; their roots are in the manifest.
//!
//! Start reading at `library.rs` for searching, and at `manifest.rs` for the layout.

// What the small build leaves out is used by the other.
#![cfg_attr(feature = "small", allow(dead_code, unused_imports, unused_variables, unused_mut))]

mod block;
mod bytes;
mod cells;
mod columns;
pub mod errors;
#[cfg(feature = "write")]
mod folder;
mod library;
mod manifest;
mod name;
mod page;
mod postings;
mod read;
mod request;
mod rice;
mod source;
mod tables;
mod texts;
#[cfg(feature = "write")]
pub mod write;

#[cfg(feature = "write")]
pub use folder::FolderSource;

pub use library::{Library, Options};
pub use manifest::{Cells, CollectionInfo, EmbedderInfo, Manifest, Root};
pub use name::PartName;
pub use request::{DocumentView, Missing, Mode, Part, SearchRequest, SearchResponse};
pub use source::{Fetch, Reply, Source};
