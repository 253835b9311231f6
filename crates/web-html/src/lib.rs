//! The wasm module that reads HTML, compiled for wasm only.
//!
//! [`read_html::read_html`] returns the [`vademecum_text::block::Structure`] of an HTML source in postcard
//! form, which `use_html` of the engine's module deserialises:
//!
//! ```js
//! useHtml(source => readHtml(source));
//! ```

#![cfg(target_arch = "wasm32")]

pub mod read_html;
