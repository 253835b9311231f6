//! The agent: steps that turn a question into an answer with its sources.
//!
//! A [`styles::pipeline`] is plain data; [`run::Run`] takes its steps one after another. What a step needs from
//! outside (an LLM, a searcher, an observer) comes through the traits of [`ports`], so nothing here knows of the
//! index or of a browser. Without an LLM every step has a form that does without.

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
pub mod event;
pub mod evidence;
pub mod history;
pub mod hooks;
mod ids;
mod inspections;
pub mod library;
pub mod llm_call;
mod outward;
mod own;
mod parts;
pub mod plan;
pub mod ports;
pub mod prompt;
mod records;
pub mod reply;
pub mod run;
pub mod scratchpad;
mod shingles;
mod sources;
pub mod step_id;
pub mod steps;
pub mod style;
pub mod styles;
pub mod table;
pub mod tools;
mod watch;
mod withheld;

pub use vademecum_firewall as firewall;
pub use vademecum_grounding::{citation, claim, grounding, sufficiency};
