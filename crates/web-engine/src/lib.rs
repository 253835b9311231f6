//! The wasm module of the engine, compiled for wasm only.
//!
//! ```js
//! const engine = await Engine.open(directory, { chunkTokens: 128 }, embedder);
//! await engine.add("default", [{ id: "tides.md", text: "# Tides" }]);
//! const { hits } = await engine.search({ query: "tides" });
//! ```
//!
//! [`engine::Engine`] is the exported knowledge base. [`embedder`] and [`directory`] implement its ports by
//! JavaScript objects: encoders run in other modules, and [`use_html`] reads HTML by another one. [`bridge`] answers
//! the agent's module.
//!
//! Start reading at `engine.rs`.

#![cfg(target_arch = "wasm32")]

pub mod bridge;
#[cfg(feature = "meaning")]
mod counter;
pub mod directory;
mod documents;
pub mod embedder;
pub mod engine;
#[cfg(feature = "meaning")]
mod remote;
pub mod use_html;
