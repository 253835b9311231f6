//! Text processing: decoding, document structure, chunking, sentences, and keyword terms.
//!
//! ```
//! use vademecum_protocol::document::Format;
//! use vademecum_text::chunk::{Budget, chunk};
//! use vademecum_text::{decode, structure, terms};
//!
//! let source = decode::utf8("tides.md", b"# Tides\n\nThe moon pulls the seas.")?;
//! let document = structure::read(source, Format::Markdown)?;
//! let pieces = chunk(&document, &Budget::estimated(128));
//! assert_eq!(pieces[0].headings, ["Tides"]);
//!
//! let terms = terms::terms(&document.text[pieces[0].bytes.clone()]);
//! let stems: Vec<&str> = terms.iter().map(|term| term.text.as_str()).collect();
//! assert_eq!(stems, ["tide", "moon", "pull", "sea"]);
//! # Ok::<(), vademecum_protocol::error::Error>(())
//! ```
//!
//! **Data flow.** [`decode::utf8`] turns bytes into text. [`structure::read`] finds the [`block::Structure`]:
//! plain text, blocks and links, from Markdown, HTML or plain text. [`chunk::chunk`] splits it along the
//! structure into [`chunk::Piece`]s within a token budget. [`terms`] analyses text and queries for the
//! inverted index: word segmentation, normalisation, stop words and stemming per language.
//!
//! Positions are byte ranges of one text; only [`chunk`] adds the UTF-16 ranges that JavaScript needs. The
//! crate is independent of indexes, models and browsers; what a browser provides itself ([`normal_forms`],
//! [`number`], [`html`]) can be replaced by functions of the host.
//!
//! Start reading at `structure.rs`, `chunk.rs` and `terms/analyzer.rs`.

mod annex;
pub mod block;
mod boundaries;
pub mod chunk;
pub mod decode;
mod full_stop;
pub mod html;
mod links;
mod markdown;
pub mod months;
pub mod nearest;
pub mod normal_forms;
pub mod number;
pub mod sentence;
pub mod shingles;
pub mod structure;
pub mod terms;
pub mod title;
mod units;
mod wrapping;
