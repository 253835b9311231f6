//! The port through which the reader gets the bytes of parts: a host, a folder, a store in the browser.

use crate::name::PartName;
use futures_util::future::LocalBoxFuture;
use std::ops::Range;
use vademecum_protocol::error::Result;

/// A request for bytes of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetch {
    /// The part; [`PartName::path`] is where it lies below the manifest.
    pub part: PartName,
    /// The length of the whole part in bytes.
    pub size: u32,
    /// The wanted bytes: not empty, within the size.
    pub range: Range<u32>,
    /// Whether caches must be bypassed, because the bytes that came before had a wrong hash. Asked for once per failure.
    pub fresh: bool,
}

/// What a source returns. The reader verifies it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Exactly the wanted bytes.
    Range(Vec<u8>),
    /// The whole part, for example from a host that ignores `Range`.
    Whole(Vec<u8>),
}

/// Reads bytes of parts. Requests of one question are made side by side; a source bounds how many run at once. It need not verify
/// anything, and should keep whole parts that it was given, since later requests may want other ranges of them.
pub trait Source {
    /// Reads a range of a part, or the whole part.
    ///
    /// # Errors
    /// [`part_missing`](crate::errors::part_missing) if the part is not there or cannot be reached; `aborted`; or another coded error.
    fn read<'a>(&'a self, fetch: &'a Fetch) -> LocalBoxFuture<'a, Result<Reply>>;

    /// Returns the bytes if they are available synchronously, such as from an open file. `None` if they are not, or cannot be read: the caller then
    /// awaits [`Source::read`], which returns the error.
    fn at_hand(&self, _fetch: &Fetch) -> Option<Vec<u8>> {
        None
    }
}
