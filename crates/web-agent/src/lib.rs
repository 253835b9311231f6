//! The wasm module of the agent. It has no index: it asks the engine's module by way of JavaScript ([`searcher`]).

#![cfg(target_arch = "wasm32")]

pub mod agent;
pub mod bridge;
mod call;
mod functions;
mod llm;
