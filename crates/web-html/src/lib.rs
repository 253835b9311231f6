//! The wasm module that reads HTML.

#![cfg(target_arch = "wasm32")]

pub mod read_html;
