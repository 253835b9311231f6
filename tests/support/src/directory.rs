//! A directory in memory that simulates crashes at any byte, a full disk, and another writer.

use futures_util::future::{LocalBoxFuture, ready};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use vademecum::encoder::Embedder;
use vademecum::engine::{KnowledgeBase, Options};
use vademecum::error::{Error, Result};
use vademecum::index::persist::Directory;
use vademecum::platform::Native;

/// Files by name.
pub type Files = BTreeMap<String, Vec<u8>>;

/// A change of the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Written(String, Vec<u8>),
    Removed(String),
}

impl Step {
    /// Returns the cost of a change in simulated crashes: the bytes of a file plus one for its creation, or one for a
    /// removal.
    pub fn size(&self) -> usize {
        match self {
            Self::Written(_, bytes) => bytes.len() + 1,
            Self::Removed(_) => 1,
        }
    }
}

#[derive(Default)]
pub struct Memory {
    pub files: RefCell<Files>,
    /// All changes, in order.
    pub steps: RefCell<Vec<Step>>,
    /// Remaining cost of changes before a simulated crash. A write that exceeds it is truncated.
    pub left: Cell<Option<usize>>,
    /// Maximum number of bytes in all files. A write that exceeds it is truncated and fails.
    pub quota: Cell<Option<usize>>,
    /// Makes writes return an error although they succeed.
    pub lying: Cell<bool>,
    pub read_only: Cell<bool>,
    /// Whether it reads at once.
    pub now: Cell<bool>,
    /// Number of reads at once.
    pub reads: Cell<usize>,
}

fn failure(reason: &str) -> Error {
    Error::EmbedderFailed { reason: reason.to_owned() }
}

impl Memory {
    pub fn of(files: Files) -> Rc<Self> {
        Rc::new(Self { files: RefCell::new(files), ..Self::default() })
    }

    pub fn size(&self) -> usize {
        self.files.borrow().values().map(Vec::len).sum()
    }

    /// Subtracts `size` from `left`, and returns the part that remained.
    fn spend(&self, size: usize) -> usize {
        let Some(left) = self.left.get() else { return size };
        self.left.set(Some(left.saturating_sub(size)));
        left.min(size)
    }
}

impl Directory for Memory {
    fn is_read_only(&self) -> bool {
        self.read_only.get()
    }

    fn list(&self) -> LocalBoxFuture<'_, Result<Vec<String>>> {
        Box::pin(ready(Ok(self.files.borrow().keys().cloned().collect())))
    }

    fn read<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Option<Vec<u8>>>> {
        Box::pin(ready(Ok(self.files.borrow().get(name).cloned())))
    }

    fn reads_now(&self) -> bool {
        self.now.get()
    }

    fn hold<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<bool>> {
        Box::pin(ready(Ok(self.now.get() && self.files.borrow().contains_key(name))))
    }

    fn read_now(&self, name: &str, start: usize, bytes: &mut [u8]) -> bool {
        self.reads.set(self.reads.get() + 1);
        let files = self.files.borrow();
        let found = files.get(name).and_then(|file| file.get(start..start + bytes.len()));
        found.map(|found| bytes.copy_from_slice(found)).is_some()
    }

    fn write<'a>(&'a self, name: &'a str, bytes: Vec<u8>) -> LocalBoxFuture<'a, Result<()>> {
        assert!(!self.read_only.get(), "a directory that another holds is not written");
        let others: usize =
            self.files.borrow().iter().filter(|(other, _)| *other != name).map(|one| one.1.len()).sum();
        let room = self.quota.get().map_or(usize::MAX, |quota| quota.saturating_sub(others));
        let done = self.spend(bytes.len() + 1);
        if done > 0 {
            let kept = bytes.iter().copied().take((done - 1).min(room)).collect();
            self.files.borrow_mut().insert(name.to_owned(), kept);
        }
        let outcome = match (done <= bytes.len(), room < bytes.len() || self.lying.get()) {
            (true, _) => Err(failure("the machine died")),
            (_, true) => Err(failure("there is no room")),
            _ => Ok(()),
        };
        self.steps.borrow_mut().push(Step::Written(name.to_owned(), bytes));
        Box::pin(ready(outcome))
    }

    fn remove<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<()>> {
        assert!(!self.read_only.get(), "a directory that another holds is not written");
        if self.spend(1) == 0 {
            return Box::pin(ready(Err(failure("the machine died"))));
        }
        self.files.borrow_mut().remove(name);
        self.steps.borrow_mut().push(Step::Removed(name.to_owned()));
        Box::pin(ready(Ok(())))
    }
}

pub fn open_with(
    directory: &Rc<Memory>,
    embedder: Option<Rc<dyn Embedder>>,
    options: Options,
) -> Result<KnowledgeBase> {
    let platform = Rc::new(Native::default());
    super::block_on(KnowledgeBase::open(directory.clone(), embedder, platform, options))
}

pub fn open(directory: &Rc<Memory>) -> Result<KnowledgeBase> {
    open_with(directory, super::hashing(), Options::default())
}
