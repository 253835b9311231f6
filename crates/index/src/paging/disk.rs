//! The files that segments are read from.

use crate::persist::directory::Directory;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use vademecum_protocol::error::{Error, Result};

/// Bytes that are compared at a time.
const WINDOW: usize = 1 << 20;

/// The files of a library that are open for reading at once.
pub struct Disk {
    directory: Rc<dyn Directory>,
    /// Bytes of the cache.
    cached: Cell<usize>,
    /// A file that could not be read.
    failed: RefCell<Option<String>>,
    failures: Cell<usize>,
    files: RefCell<Vec<Weak<DiskFile>>>,
}

impl std::fmt::Debug for Disk {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Disk").field("cached", &self.cached).finish_non_exhaustive()
    }
}

/// A file that is read at once. Its library does not remove it before this is dropped.
#[derive(Debug)]
pub struct DiskFile {
    pub(super) disk: Rc<Disk>,
    name: String,
}

impl Disk {
    pub(crate) fn new(directory: Rc<dyn Directory>) -> Rc<Self> {
        Rc::new(Self {
            directory,
            cached: Cell::default(),
            failed: RefCell::default(),
            failures: Cell::default(),
            files: RefCell::default(),
        })
    }

    /// Returns whether the storage can read at once.
    pub fn reads_now(&self) -> bool {
        self.directory.reads_now()
    }

    /// Opens a file. `None` if that is not possible now, so that what it contains stays in memory.
    pub(crate) async fn open(self: &Rc<Self>, name: String) -> Option<Rc<DiskFile>> {
        if !self.directory.hold(&name).await.unwrap_or(false) {
            return None;
        }
        let file = Rc::new(DiskFile { disk: self.clone(), name });
        let mut files = self.files.borrow_mut();
        files.retain(|one| one.strong_count() > 0);
        files.push(Rc::downgrade(&file));
        Some(file)
    }

    /// Returns whether a segment still reads a file, which thus must not be removed.
    pub(crate) fn is_in_use(&self, name: &str) -> bool {
        self.files.borrow().iter().filter_map(Weak::upgrade).any(|file| file.name == name)
    }

    /// Returns the bytes of texts and postings that were read and are cached.
    pub fn cached(&self) -> usize {
        self.cached.get()
    }

    pub(super) fn failures(&self) -> usize {
        self.failures.get()
    }

    pub(super) fn count(&self, bytes: usize) {
        self.cached.set(self.cached.get().saturating_add(bytes));
    }

    pub(super) fn discount(&self, bytes: usize) {
        self.cached.set(self.cached.get().saturating_sub(bytes));
    }

    /// Checks that everything could be read so far. After a failure all calls fail until the library is opened again: what was computed from a
    /// text that is missing (a tombstone's terms, a vector, the fingerprints of what is never sent) must be neither used nor saved.
    ///
    /// # Errors
    /// `storage_failed`.
    pub fn check(&self) -> Result<()> {
        let Some(name) = &*self.failed.borrow() else { return Ok(()) };
        let message = format!(
            "The library's file `{name}` could not be read: it is missing, or is not what was written. The browser may have cleared its storage. Open the library again; with `salvage` if it is damaged."
        );
        Err(Error::of_storage("storage_failed", message, false))
    }
}

impl DiskFile {
    /// Reads a range that memory does not contain. `None` if that fails, which [`Disk::check`] then reports.
    pub(super) fn read(&self, start: usize, length: usize) -> Option<Vec<u8>> {
        let bytes = self.try_read(start, length);
        if bytes.is_none() {
            self.fail();
        }
        bytes
    }

    /// Reads a range. `None` if that fails; no failure is recorded, because memory contains the same.
    pub(super) fn try_read(&self, start: usize, length: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; length];
        let is_read = length == 0 || self.disk.directory.read_now(&self.name, start, &mut bytes);
        is_read.then_some(bytes)
    }

    /// Records a failed read.
    pub(super) fn fail(&self) {
        *self.disk.failed.borrow_mut() = Some(self.name.clone());
        self.disk.failures.set(self.disk.failures.get() + 1);
    }

    /// Returns whether the file has these bytes from `start` on.
    pub(crate) fn has(&self, start: usize, bytes: &[u8]) -> bool {
        let mut windows = (start..).step_by(WINDOW).zip(bytes.chunks(WINDOW));
        windows.all(|(at, window)| self.try_read(at, window.len()).is_some_and(|found| found == window))
    }
}
