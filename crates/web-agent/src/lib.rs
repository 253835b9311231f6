//! The wasm module of the agent. It has no index: it calls the engine module through JavaScript ([`bridge`]).

#![cfg(target_arch = "wasm32")]

pub mod agent;
pub mod bridge;
mod call;
mod functions;
mod llm;
