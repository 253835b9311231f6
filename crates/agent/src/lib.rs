//! The agent: answers a question from the documents of a library, in steps, with checked citations.
//!
//! - [`styles::pipeline::Pipeline`] is a run as plain data: the question, and either a list of steps or one of the [`styles`]
//!   (ReAct, plan and execute, investigate, graph), which choose the next step themselves.
//! - [`ports`] are the traits through which a run reaches LLMs, a searcher, the caller's functions and an observer. So the agent
//!   depends neither on the index nor on a browser. Without an LLM, every step falls back to a rule.
//! - [`run::Run`] executes the steps. Each one reads and changes the [`context::Context`], which becomes the result. The
//!   [`checkpoint`] of a stopped run can be resumed.
//! - The egress guard ([`egress`]) keeps documents marked `neverSend` out of all requests, and `vademecum-firewall` keeps
//!   documents from instructing the model.
//!
//! Start reading at `drive.rs`, the loop over the steps, and then at a step such as `steps/search.rs`.
//!
//! ```
//! use futures_util::FutureExt;
//! use futures_util::future::{LocalBoxFuture, ready};
//! use vademecum_agent::ports::{
//!     CollectionView, Found, NoFunctions, NoLlm, NoObserver, SearchLimits, Searcher,
//! };
//! use vademecum_agent::styles::pipeline::{Pipeline, Ports};
//! use vademecum_protocol::cancel::Cancel;
//! use vademecum_protocol::document::whole_document;
//! use vademecum_protocol::error::Result;
//! use vademecum_protocol::platform::Native;
//!
//! struct OneDocument;
//!
//! impl Searcher for OneDocument {
//!     fn search<'a>(&'a self, _: &'a str, _: &'a str, _: &'a SearchLimits) -> LocalBoxFuture<'a, Result<Found>> {
//!         let hits = vec![whole_document("acme.md", "The notice period is 30 days.")];
//!         Box::pin(ready(Ok(Found { total: hits.len(), hits, ..Found::default() })))
//!     }
//!
//!     fn collections(&self) -> Result<Vec<CollectionView>> {
//!         Ok(Vec::new())
//!     }
//! }
//!
//! let pipeline: Pipeline = serde_json::from_value(serde_json::json!({
//!     "question": "What is the notice period?",
//!     "steps": [{ "step": "search" }, { "step": "answer" }],
//! }))?;
//! let ports = Ports {
//!     llm: &NoLlm,
//!     searcher: &OneDocument,
//!     functions: &NoFunctions,
//!     observer: &NoObserver,
//!     platform: &Native::default(),
//!     cancel: Cancel::default(),
//! };
//! let result = pipeline.run(ports).now_or_never().expect("nothing to wait for");
//! assert_eq!(result.answer.as_deref(), Some("The notice period is 30 days. [1]"));
//! assert_eq!(result.citations[0].doc_id, "acme.md");
//! # Ok::<(), serde_json::Error>(())
//! ```

pub mod budget;
pub mod budget_plan;
mod call;
pub mod capability;
pub mod checkpoint;
mod clarified;
pub mod clarify;
pub mod context;
pub mod coverage;
mod coverage_map;
mod drive;
pub mod egress;
pub mod errors;
pub mod event;
pub mod evidence;
pub mod history;
pub mod hooks;
mod ids;
mod inspections;
pub mod library;
pub mod llm_call;
pub mod outcome;
mod outward;
pub mod plan;
pub mod ports;
pub mod prompt;
mod records;
pub mod reply;
pub mod run;
pub mod scratchpad;
mod search_overrides;
mod sources;
pub mod step_id;
mod step_overrides;
pub mod steps;
pub mod style;
pub mod styles;
pub mod table;
pub mod tools;
mod watch;
mod withheld;

pub use vademecum_firewall as firewall;
pub use vademecum_grounding::{citation, claim, grounding, sufficiency};
