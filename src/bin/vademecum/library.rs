//! A library file: opened into memory, and replaced as a whole.

use crate::embedder::ModelEmbedder;
use crate::host::Host;
use futures_executor::block_on;
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use vademecum::encoder::Embedder;
use vademecum::engine::{KnowledgeBase, Options};
use vademecum::error::{Error, Result};

/// Bytes of a document's text; the default of a page would refuse long books.
pub(crate) const MAX_DOCUMENT_BYTES: usize = 64 << 20;

/// Opens a library file, or an empty library if there is no path.
///
/// # Errors
/// `library_corrupt`, `library_newer`, `embedder_mismatch`, `storage_failed`.
pub(crate) fn open(
    path: Option<&Path>,
    embedder: Option<Rc<ModelEmbedder>>,
    host: Rc<Host>,
    options: Options,
) -> Result<KnowledgeBase> {
    let embedder = embedder.map(|embedder| embedder as Rc<dyn Embedder>);
    let kb = KnowledgeBase::new(embedder, host, options);
    if let Some(path) = path {
        let bytes = fs::read(path).map_err(|error| failed("read", path, &error))?;
        block_on(kb.import(&bytes)).map_err(|error| named(error, path))?;
    }
    Ok(kb)
}

/// Names the file in the error of a damaged library.
fn named(error: Error, path: &Path) -> Error {
    match error {
        Error::LibraryCorrupt { reason, .. } => {
            Error::LibraryCorrupt { file: path.display().to_string(), reason }
        }
        other => other,
    }
}

/// Returns the error of a file operation.
pub(crate) fn failed(verb: &str, path: &Path, error: &std::io::Error) -> Error {
    let is_full =
        matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge);
    let code = if is_full { "storage_full" } else { "storage_failed" };
    let advice = match error.kind() {
        ErrorKind::NotFound => " Check the path.",
        ErrorKind::PermissionDenied => " Check its permissions.",
        _ => "",
    };
    Error::of_storage(code, format!("{} cannot be {verb}: {error}.{advice}", path.display()), is_full)
}

/// Checks that a file can be written where it should be.
///
/// # Errors
/// `invalid_argument` if its folder does not exist, or a folder has its name.
pub(crate) fn check_target(path: &Path) -> Result<()> {
    let folder = folder_of(path);
    if path.file_name().is_none() || path.is_dir() {
        return Err(Error::invalid("--out", "the name of a file", format!("{}, a folder", path.display())));
    }
    if !folder.is_dir() {
        let got = format!("{}, and there is no folder {}", path.display(), folder.display());
        return Err(Error::invalid("--out", "a file in a folder that exists", got));
    }
    Ok(())
}

/// Returns the folder of a file.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Replaces a file at once: readers see the old contents or the new ones, also if the program is killed or the disk is full.
///
/// # Errors
/// `storage_full`, `storage_failed`; the old file is kept.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let aside = path.with_added_extension(format!("tmp-{}", std::process::id()));
    let write = || {
        let mut file = File::create(&aside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&aside, path)
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&aside);
        failed("written", path, &error)
    })
}

/// The right to write a library, which ends with the process.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Takes the lock, and removes what a killed process left.
    ///
    /// # Errors
    /// `library_in_use`, `storage_failed`.
    pub(crate) fn take(library: &Path) -> Result<Self> {
        let path = library.with_added_extension("lock");
        let file = loop {
            let file = File::options().create(true).truncate(false).write(true).open(&path);
            let file = file.map_err(|error| failed("written", &path, &error))?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => break file,
                // The process that held the lock has removed the file since it was opened.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let message = format!(
                        "{} is being written by another vademecum process. Wait until that has ended.",
                        library.display()
                    );
                    return Err(Error::of_storage("library_in_use", message, true));
                }
                Err(TryLockError::Error(error)) => return Err(failed("locked", &path, &error)),
            }
        };
        let name = library.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for entry in fs::read_dir(folder_of(library)).into_iter().flatten().flatten() {
            if is_left_of(&name, &entry.file_name().to_string_lossy()) {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(Self { path, _file: file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Where a file that is open cannot be told from another, its removal could give two processes the lock.
        if cfg!(unix) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Returns whether a path still leads to an open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |one: fs::Metadata, other: fs::Metadata| (one.dev(), one.ino()) == (other.dev(), other.ino());
    file.metadata().is_ok_and(|own| path.metadata().is_ok_and(|there| same(own, there)))
}

/// Returns whether a path still leads to an open file: always, since lock files are not removed here.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Returns whether a file is what a killed process left while it replaced a library, or the record beside it.
fn is_left_of<'a>(library: &str, name: &'a str) -> bool {
    let without = |rest: &'a str, part| rest.strip_prefix(part).unwrap_or(rest);
    let rest = name.strip_prefix(library).map(|rest| without(without(rest, ".fresh"), ".files"));
    let process = rest.and_then(|rest| rest.strip_prefix(".tmp-"));
    process.is_some_and(|process| !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_killed_process_left_is_removed() {
        for name in ["a.library.tmp-12", "a.library.files.tmp-12", "a.library.fresh.files.tmp-1"] {
            assert!(is_left_of("a.library", name), "{name}");
        }
        for name in [
            "a.library",
            "a.library.tmp-",
            "a.library.tmp-1.md",
            "a.library.notes.tmp-1",
            "a.library-2.tmp-1",
        ] {
            assert!(!is_left_of("a.library", name), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_on_a_file_that_was_removed_is_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let old = File::create(&path).unwrap();
        assert!(is_at(&old, &path));
        fs::remove_file(&path).unwrap();
        let new = File::create(&path).unwrap();
        assert!(!is_at(&old, &path) && is_at(&new, &path));
    }
}
