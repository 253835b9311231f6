//! The wasm module that reads libraries in parts, compiled for wasm only. It contains no engine and no encoder: it is what a page
//! loads before its first hit.
//!
//! ```js
//! const reader = new PartsReader(manifest, { read: async (part, start, end, isFresh, signal) => bytes, atHand: () => false }, 64e6);
//! const { hits } = await reader.search(JSON.stringify({ query: "tides" }));
//! ```
//!
//! [`reader::PartsReader`] is the exported library; [`source`] implements its port by a JavaScript object, which fetches and stores.

#![cfg(target_arch = "wasm32")]

pub mod reader;
pub mod source;
