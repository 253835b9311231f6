//! The agent: steps that turn a question into an answer with its sources.
//!
//! A [`styles::pipeline`] is plain data; [`run::Run`] takes its steps one after another. What a step needs from
//! outside (an LLM, a searcher, an observer) comes through the traits of [`ports`], so nothing here knows of the
//! index or of a browser. Without an LLM every step has a form that does without.

pub mod ask;
pub mod budget;
pub mod budget_plan;
mod call;
pub mod capability;
pub mod clarify;
pub mod context;
pub mod coverage;
pub mod event;
pub mod evidence;
mod guard;
pub mod history;
mod ids;
pub mod library;
pub mod output;
pub mod plan;
pub mod ports;
pub mod progress;
pub mod prompt;
pub mod reply;
pub mod run;
pub mod seen;
mod sources;
pub mod state;
pub mod steps;
mod style;
pub mod styles;
pub mod tools;
pub mod user;
mod windows;
mod withheld;

pub use vademecum_firewall as firewall;
pub use vademecum_grounding::{citation, claim, grounding, sufficiency};
