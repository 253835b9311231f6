//! A cache of ranges of a file.

use super::DiskFile;
use std::cell::OnceCell;
use std::rc::Rc;

/// Parts of a section of a file, each read on first use and cached until [`Cells::clear`].
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

    /// Returns a part if it is cached.
    pub(crate) fn known(&self, at: usize) -> Option<&T> {
        self.cells.get(at)?.get().map(|part| &**part)
    }

    /// Returns a part, read from `start` on within the section. `None` if it cannot be read, or if `parse` refuses it; the failure is recorded.
    pub(crate) fn get(
        &self,
        at: usize,
        start: usize,
        length: usize,
        parse: impl FnOnce(Vec<u8>) -> Option<Box<T>>,
    ) -> Option<&T> {
        if self.known(at).is_none() {
            let bytes = self.file.read(self.start.saturating_add(start), length)?;
            let cell = self.cells.get(at).zip(parse(bytes));
            if cell.is_some_and(|(cell, part)| cell.set(part).is_ok()) {
                self.file.disk.count(length);
            } else {
                self.file.fail();
            }
        }
        self.known(at)
    }

    /// Reads the first `length` bytes of the section, without caching them.
    pub(crate) fn whole(&self, length: usize) -> Option<Vec<u8>> {
        self.file.read(self.start, length)
    }

    /// Returns how many reads have failed so far, of all files.
    pub(crate) fn failures(&self) -> usize {
        self.file.disk.failures()
    }

    /// Records a failed read.
    pub(crate) fn fail(&self) {
        self.file.fail();
    }

    /// Drops the cached parts.
    pub(crate) fn clear(&mut self) {
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
        self.clear();
    }
}
