//! A library file: opened into memory, and replaced as a whole.

use crate::embedder::ModelEmbedder;
use crate::host::Host;
use futures_executor::block_on;
use std::fs::{self, File};
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

fn folder_of(path: &Path) -> PathBuf {
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
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|error| failed("written", &path, &error))?;
        if file.try_lock().is_err() {
            let message = format!(
                "{} is being written by another vademecum process. Wait until that has ended.",
                library.display()
            );
            return Err(Error::of_storage("library_in_use", message, true));
        }
        let name = library.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for entry in fs::read_dir(folder_of(library)).into_iter().flatten().flatten() {
            let found = entry.file_name().to_string_lossy().into_owned();
            if found.strip_prefix(&name).is_some_and(|rest| rest.contains(".tmp-")) {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(Self { path, _file: file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
