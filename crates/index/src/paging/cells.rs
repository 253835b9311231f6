//! Ranges of a file that are read when they are first used.

use super::DiskFile;
use std::cell::OnceCell;
use std::rc::Rc;

/// Parts of a section of a file, each read when it is first used and kept until [`Cells::forget`].
#[derive(Debug)]
pub(crate) struct Cells<T: ?Sized + AsRef<[u8]>> {
    file: Rc<DiskFile>,
    /// Offset of the section within the file.
    start: usize,
    cells: Vec<OnceCell<Box<T>>>,
}

impl<T: ?Sized + AsRef<[u8]>> Cells<T> {
    pub(crate) fn new(file: &Rc<DiskFile>, start: usize, parts: usize) -> Self {
        Self { file: file.clone(), start, cells: std::iter::repeat_with(OnceCell::new).take(parts).collect() }
    }

    /// Returns a part if it was read before.
    pub(crate) fn known(&self, at: usize) -> Option<&T> {
        self.cells.get(at)?.get().map(|part| &**part)
    }

    /// Returns a part, read from `start` on within the section. `None` if it cannot be read, or if `parse` refuses it.
    pub(crate) fn get(
        &self,
        at: usize,
        start: usize,
        length: usize,
        parse: impl FnOnce(Vec<u8>) -> Option<Box<T>>,
    ) -> Option<&T> {
        let cell = self.cells.get(at)?;
        if cell.get().is_none() {
            let bytes = self.file.read(self.start.saturating_add(start), length)?;
            let Some(part) = parse(bytes) else {
                self.file.fail();
                return None;
            };
            if cell.set(part).is_ok() {
                self.file.disk.count(length);
            }
        }
        cell.get().map(|part| &**part)
    }

    /// Reads the first `length` bytes of the section, without keeping them.
    pub(crate) fn whole(&self, length: usize) -> Option<Vec<u8>> {
        self.file.read(self.start, length)
    }

    /// Returns how many reads have failed so far, of all files.
    pub(crate) fn failures(&self) -> usize {
        self.file.disk.failures()
    }

    /// Records that what was read is not what was written.
    pub(crate) fn fail(&self) {
        self.file.fail();
    }

    /// Drops the parts that were read.
    pub(crate) fn forget(&mut self) {
        let parts = self.cells.iter_mut().filter_map(OnceCell::take);
        let bytes: usize = parts.map(|part| (*part).as_ref().len()).sum();
        self.file.disk.discount(bytes);
    }

    /// Returns the bytes that the cells themselves take.
    pub(crate) fn memory(&self) -> usize {
        self.cells.len() * size_of::<OnceCell<Box<T>>>()
    }
}

impl<T: ?Sized + AsRef<[u8]>> Clone for Cells<T> {
    fn clone(&self) -> Self {
        Self::new(&self.file, self.start, self.cells.len())
    }
}

impl<T: ?Sized + AsRef<[u8]>> Drop for Cells<T> {
    fn drop(&mut self) {
        self.forget();
    }
}
