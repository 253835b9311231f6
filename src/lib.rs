//! Private retrieval and agentic question answering, in a browser tab or natively.
//!
//! ```
//! use futures_util::FutureExt;
//! use std::rc::Rc;
//! use vademecum::{cancel::Cancel, document::Document, encoder::hashing::HashingEmbedder, platform::Native};
//! use vademecum::engine::{KnowledgeBase, Options, SearchRequest};
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
//! Modules, in the order of data flow:
//!
//! | module | contents |
//! |---|---|
//! | [`document`] | [`document::Document`] in, [`document::Chunk`] and [`document::Hit`] out |
//! | [`text`] | structure, chunks, sentences, terms |
//! | [`encoder`] | the [`encoder::Embedder`] port and the ONNX encoder behind it |
//! | [`index`] | BM25, vectors, fusion |
//! | [`engine`] | [`engine::KnowledgeBase`]: add, search, remove |
//! | [`eval`] | recall, nDCG, MRR over labelled sets |
//! | [`agent`] | runs, steps, styles, tools; the LLM port; citations |
//! | [`searcher`] | the port through which an agent searches |
//! | [`cancel`], [`error`], [`platform`] | cancellation, errors with codes, the host's clock |
//!
//! Start reading at [`engine::KnowledgeBase`] for retrieval, and at [`agent::styles::pipeline::Pipeline`] for agents.

pub use vademecum_agent as agent;
pub use vademecum_encoder as encoder;
pub use vademecum_engine as engine;
pub use vademecum_eval as eval;
pub use vademecum_index as index;
pub use vademecum_protocol::{Error, Result, address, cancel, document, error, hops, platform, searcher};
pub use vademecum_text as text;
pub use vademecum_util as util;
