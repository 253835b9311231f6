//! Extracts the plain text and the blocks of HTML.
//!
//! The tokenizer and its table of named characters are a tenth of the engine's size, so they are a wasm
//! module of their own, built with the feature `html`; without the feature, HTML is read by a function of the
//! host.

#[cfg(feature = "html")]
mod events;
#[cfg(feature = "html")]
mod reader;

use super::block::Structure;
use vademecum_protocol::error::{Error, Result};

/// Reads HTML outside of this crate.
pub type Reader = fn(&str) -> Result<Structure>;

thread_local! {
    static HOST: std::cell::Cell<Option<Reader>> = const { std::cell::Cell::new(None) };
}

/// Sets the host's HTML reader.
pub fn use_host(reader: Reader) {
    HOST.with(|host| host.set(Some(reader)));
}

/// Extracts the plain text and the blocks of an HTML source.
///
/// # Errors
/// Those of the host's reader, and [`Error::internal`] if there is no reader.
pub fn extract(source: &str) -> Result<Structure> {
    #[cfg(feature = "html")]
    if HOST.with(|host| host.get()).is_none() {
        return Ok(reader::extract(source));
    }
    let read = HOST.with(|host| host.get());
    read.ok_or_else(|| Error::internal("HTML was added before its reader was there.".into()))?(source)
}
