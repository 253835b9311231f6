//! HTML to the text a reader sees, with its blocks.
//!
//! The tokenizer and its table of named characters are a tenth of a browser's engine, so they are a wasm module of their own,
//! made with the feature `html`; an engine without the feature reads HTML by a function of its host.

#[cfg(feature = "html")]
mod reader;

use super::block::Structure;
use vademecum_protocol::error::{Error, Result};

/// Reads HTML elsewhere.
pub type Reader = fn(&str) -> Result<Structure>;

thread_local! {
    static HOST: std::cell::Cell<Option<Reader>> = const { std::cell::Cell::new(None) };
}

/// Sets the function of the host that reads HTML, for an engine without a reader of its own.
pub fn use_host(reader: Reader) {
    HOST.with(|host| host.set(Some(reader)));
}

/// Extracts the readable text of an HTML source.
///
/// # Errors
/// Those of the host's reader, and where there is none at all.
pub fn extract(source: &str) -> Result<Structure> {
    #[cfg(feature = "html")]
    if HOST.with(|host| host.get()).is_none() {
        return Ok(reader::extract(source));
    }
    let read = HOST.with(|host| host.get());
    read.ok_or_else(|| Error::internal("HTML was added before its reader was there.".into()))?(source)
}
