//! HTML to the text a reader sees, with its blocks.
//!
//! A browser's engine goes without the tokenizer and its table of named characters, a tenth of what a page would wait for: they
//! are a module of their own (the feature `html`), which JavaScript starts before it adds HTML.

#[cfg(feature = "html")]
mod reader;

#[cfg(not(feature = "html"))]
use super::block::Structure;
#[cfg(feature = "html")]
pub use reader::extract;

/// Extracts the readable text of an HTML source: by the host, which was told to have a reader.
#[cfg(not(feature = "html"))]
pub fn extract(source: &str) -> Structure {
    let read = HOST.with(|host| host.get());
    read.and_then(|read| read(source)).unwrap_or_default()
}

/// Reads HTML elsewhere.
#[cfg(not(feature = "html"))]
pub type Reader = fn(&str) -> Option<Structure>;

#[cfg(not(feature = "html"))]
thread_local! {
    static HOST: std::cell::Cell<Option<Reader>> = const { std::cell::Cell::new(None) };
}

/// Has HTML read by the host.
#[cfg(not(feature = "html"))]
pub fn use_host(reader: Reader) {
    HOST.with(|host| host.set(Some(reader)));
}
