//! A folder of parts as a host serves it, with the bytes counted.

use futures_util::future::LocalBoxFuture;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use vademecum::Result;
use vademecum_parts::{Fetch, FolderSource, Library, Options, PartName, Reply, Source};

/// Bytes and requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) bytes: u64,
    pub(crate) requests: u64,
}

/// A host that honours `Range`, or sends whole parts, which are then kept.
pub(crate) struct Host {
    path: PathBuf,
    folder: FolderSource,
    honours_range: bool,
    sent: Cell<Sent>,
    kept: RefCell<HashSet<PartName>>,
}

impl Host {
    /// Opens a library as it is when a page is loaded. The manifest is counted.
    pub(crate) fn open(path: &Path, honours_range: bool) -> std::result::Result<(Rc<Self>, Library), String> {
        let manifest = path.join("manifest.json");
        let manifest = fs::read(&manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
        let sent = Cell::new(Sent { bytes: manifest.len() as u64, requests: 1 });
        let (folder, kept) = (FolderSource::new(path), RefCell::default());
        let host = Rc::new(Self { path: path.to_owned(), folder, honours_range, sent, kept });
        let library = Library::open(&manifest, host.clone(), &Options::default());
        Ok((host, library.map_err(|error| error.to_string())?))
    }

    /// Returns what was sent since the last call.
    pub(crate) fn sent(&self) -> Sent {
        self.sent.take()
    }

    fn count(&self, bytes: usize) {
        let Sent { bytes: before, requests } = self.sent.get();
        self.sent.set(Sent { bytes: before + bytes as u64, requests: requests + 1 });
    }
}

impl Source for Host {
    fn read<'a>(&'a self, fetch: &'a Fetch) -> LocalBoxFuture<'a, Result<Reply>> {
        Box::pin(async move {
            if self.honours_range {
                self.count(fetch.range.len());
                return self.folder.read(fetch).await;
            }
            if self.kept.borrow_mut().insert(fetch.part) {
                self.count(fetch.size as usize);
            }
            let whole = fs::read(self.path.join(fetch.part.path()));
            whole.map(Reply::Whole).map_err(|error| {
                vademecum_parts::errors::part_missing(&fetch.part.to_string(), &error.to_string())
            })
        })
    }
}
