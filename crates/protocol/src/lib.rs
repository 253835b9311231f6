//! The types shared by all crates of the workspace.
//!
//! - [`document`]: a [`document::Document`] is added, split into [`document::Chunk`]s, and found as [`document::Hit`]s. Start
//!   reading there.
//! - [`searcher`]: the [`searcher::Searcher`] port, through which the agent searches an index that may be in another module.
//! - [`error`]: [`Error`] with a stable code and a message for people.
//! - [`cancel`] and [`platform`]: cancellation, and the services of the host (clock, timers, random numbers).
//! - [`address`]: which addresses a page may link.
//!
//! ```
//! use vademecum_protocol::document::{Document, Format, chunk_id, parse_chunk_id};
//!
//! let document = Document::new("notes/a.md", "A cat sat.");
//! assert_eq!(document.format(), Format::Markdown);
//!
//! let id = chunk_id("default", &document.id, 0);
//! assert_eq!(id, "default/notes/a.md#0");
//! assert_eq!(parse_chunk_id(&id), Some(("default".to_owned(), "notes/a.md", 0)));
//! ```

pub mod address;
pub mod cancel;
pub mod document;
pub mod error;
pub mod hops;
pub mod platform;
pub mod range;
pub mod relevance;
#[cfg(feature = "schema")]
pub mod schema;
pub mod searcher;

pub use error::{Error, Result};
