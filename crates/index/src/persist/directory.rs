//! The storage port.

use futures_util::future::LocalBoxFuture;
use vademecum_protocol::error::Result;

/// The file names of the manifests.
pub(super) const MANIFESTS: [&str; 2] = ["manifest-0.vdm", "manifest-1.vdm"];

/// Stores a library's files, for example in OPFS, IndexedDB or a folder on disk.
pub trait Directory {
    /// Returns whether another holder has it open for writing.
    fn is_read_only(&self) -> bool {
        false
    }
    /// Returns the names of all files.
    fn list(&self) -> LocalBoxFuture<'_, Result<Vec<String>>>;
    /// Returns the contents of a file, `None` if it does not exist.
    fn read<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Option<Vec<u8>>>>;
    /// Returns whether [`Directory::hold`] can open files. Default: no.
    #[cfg(feature = "paging")]
    fn reads_now(&self) -> bool {
        false
    }
    /// Opens a file, which is not written any more, for [`Directory::read_now`]. Returns whether that was possible. Default: it is not.
    #[cfg(feature = "paging")]
    fn hold<'a>(&'a self, _name: &'a str) -> LocalBoxFuture<'a, Result<bool>> {
        Box::pin(std::future::ready(Ok(false)))
    }
    /// Fills `bytes` with those of an open file from `start` on, without waiting. Returns whether it could.
    #[cfg(feature = "paging")]
    fn read_now(&self, _name: &str, _start: usize, _bytes: &mut [u8]) -> bool {
        false
    }
    /// Writes a whole file; durable once resolved.
    fn write<'a>(&'a self, name: &'a str, bytes: Vec<u8>) -> LocalBoxFuture<'a, Result<()>>;
    /// Removes a file. Removing one that does not exist is not an error.
    fn remove<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<()>>;
}
