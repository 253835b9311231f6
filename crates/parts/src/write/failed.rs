//! Errors of files.

use std::path::Path;
use vademecum_protocol::error::Error;

/// Creates the error of a file that cannot be written or removed.
pub(crate) fn storage_failed(path: &Path, error: &std::io::Error) -> Error {
    let full = error.kind() == std::io::ErrorKind::StorageFull;
    let code = if full { "storage_full" } else { "storage_failed" };
    Error::of_storage(
        code,
        format!(
            "{} could not be written: {error}. The library that was there before is unchanged.",
            path.display()
        ),
        full,
    )
}
