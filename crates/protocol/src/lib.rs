//! What crosses the boundaries between crates: [`document::Document`] in, [`document::Chunk`] and [`document::Hit`] out,
//! which addresses may become links, errors with stable codes, cancellation, the host, and the port by which an agent searches.
//!
//! ```
//! use vademecum_protocol::document::{Document, parse_chunk_id, chunk_id};
//!
//! let document = Document::new("notes/a.md", "A cat sat.");
//! let id = chunk_id("default", &document.id, 0);
//! let parsed = parse_chunk_id(&id).unwrap();
//! assert_eq!((parsed.0.as_ref(), parsed.1.as_ref(), parsed.2), ("default", "notes/a.md", 0));
//! ```

pub mod address;
pub mod cancel;
pub mod document;
pub mod error;
pub mod platform;
pub mod searcher;

pub use error::{Error, Result};
