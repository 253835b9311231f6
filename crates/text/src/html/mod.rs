//! HTML to the text a reader sees, with its blocks.
//!
//! A browser's engine goes without the tokenizer and its table of named characters, a tenth of what a page would wait for: they
//! are a module of their own (the feature `html`), which JavaScript starts before it adds HTML.

#[cfg(feature = "html")]
mod reader;

use super::block::Structure;
#[cfg(not(feature = "html"))]
use vademecum_protocol::error::Error;
use vademecum_protocol::error::Result;

/// Extracts the readable text of an HTML source.
///
/// # Errors
/// None here; in a browser's engine, those of the module that reads it.
#[cfg(feature = "html")]
pub fn extract(source: &str) -> Result<Structure> {
    Ok(reader::extract(source))
}

/// Extracts the readable text of an HTML source: by the host, which was told to have a reader.
///
/// # Errors
/// Where the host has none, or it failed.
#[cfg(not(feature = "html"))]
pub fn extract(source: &str) -> Result<Structure> {
    let read = HOST.with(|host| host.get());
    read.ok_or_else(|| Error::internal("HTML was added before its reader was there.".into()))?(source)
}

/// Reads HTML elsewhere.
#[cfg(not(feature = "html"))]
pub type Reader = fn(&str) -> Result<Structure>;

#[cfg(not(feature = "html"))]
thread_local! {
    static HOST: std::cell::Cell<Option<Reader>> = const { std::cell::Cell::new(None) };
}

/// Has HTML read by the host.
#[cfg(not(feature = "html"))]
pub fn use_host(reader: Reader) {
    HOST.with(|host| host.set(Some(reader)));
}
