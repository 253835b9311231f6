//! Private retrieval and agentic question answering, in a browser tab or natively.
//!
//! ```
//! use futures_util::FutureExt;
//! use std::rc::Rc;
//! use vademecum::{cancel::Cancel, document::Document, embed::hashing::HashingEmbedder, platform::Native};
//! use vademecum::retrieve::{KnowledgeBase, Options, SearchRequest};
//!
//! let kb = KnowledgeBase::new(Some(Rc::new(HashingEmbedder)), Rc::new(Native::default()), Options::default());
//! let documents = vec![
//!     Document::new("ownership.md", "# Ownership\n\nEach value has one owner. When the owner goes away, so does the value."),
//!     Document::new("traits.md", "# Traits\n\nA trait names behaviour that types share."),
//! ];
//! let never = Cancel::default();
//! kb.add("default", documents, &never, &|_| {}).now_or_never().unwrap()?;
//! let request = SearchRequest { query: "who owns a value".into(), ..SearchRequest::default() };
//! let found = kb.search(&request, &never).now_or_never().unwrap()?;
//! assert_eq!(found.hits[0].chunk.doc_id, "ownership.md");
//! assert_eq!(found.hits[0].chunk.headings, ["Ownership"]);
//! # Ok::<(), vademecum::Error>(())
//! ```
//!
//! Where things are, in the order data passes through them:
//!
//! | module | what it does |
//! |---|---|
//! | [`document`] | [`document::Document`] in, [`document::Chunk`] and [`document::Hit`] out |
//! | [`text`] | structure, chunks, sentences, terms |
//! | [`embed`] | the [`embed::Embedder`] port and the ONNX encoder behind it |
//! | [`index`] | BM25, vectors, fusion |
//! | [`retrieve`] | [`retrieve::KnowledgeBase`]: add, search, remove |
//! | [`eval`] | recall, nDCG, MRR over labelled sets |
//! | [`agent`] | pipelines of steps, the LLM port, citations |
//! | `web` | the wasm boundary; browsers only |

// The modules that read HTML or search vectors alone compile nothing else.
#[cfg(any(not(target_arch = "wasm32"), feature = "engine", feature = "agent"))]
pub mod agent;
pub mod cancel;
pub mod document;
pub mod embed;
pub mod error;
#[cfg(any(not(target_arch = "wasm32"), feature = "engine", feature = "agent"))]
pub mod eval;
pub mod index;
pub mod order;
pub mod platform;
#[cfg(any(not(target_arch = "wasm32"), feature = "engine", feature = "agent"))]
pub mod retrieve;
pub mod sorted;
pub mod text;
#[cfg(target_arch = "wasm32")]
pub mod web;

pub use error::{Error, Result};
