//! Where a library is kept.

use futures_util::future::LocalBoxFuture;
use vademecum_protocol::error::Result;

/// Where files are kept: a folder of the browser's, or of the disk.
pub trait Directory {
    /// Whether another has it open for writing.
    fn is_read_only(&self) -> bool {
        false
    }
    /// The names of all files.
    fn list(&self) -> LocalBoxFuture<'_, Result<Vec<String>>>;
    /// A file's bytes, or none where there is no such file.
    fn read<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Option<Vec<u8>>>>;
    /// Writes a file whole; durable when resolved.
    fn write<'a>(&'a self, name: &'a str, bytes: Vec<u8>) -> LocalBoxFuture<'a, Result<()>>;
    /// Removes a file; one that is not there is no error.
    fn remove<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<()>>;
}
