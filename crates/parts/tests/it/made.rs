//! Libraries made for tests, and sources that behave in one way or another.

use futures_util::future::LocalBoxFuture;
use std::cell::{Cell, RefCell};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use tempfile::TempDir;
use vademecum::document::Document;
use vademecum::engine::{KnowledgeBase, Publication};
use vademecum_parts::write::{Content, Described, PublishOptions, Published, publish};
use vademecum_parts::{Fetch, FolderSource, Library, Options, Reply, SearchRequest, SearchResponse, Source};
use vademecum_protocol::error::Result;
use vademecum_testing::block_on;

/// Words of made documents: some have the same stem, some begin alike, some differ by a letter.
pub(crate) const WORDS: [&str; 16] = [
    "harbour",
    "harbours",
    "harvest",
    "the",
    "boat",
    "boats",
    "leave",
    "unused",
    "holiday",
    "of",
    "tide",
    "tidal",
    "moon",
    "river",
    "HashMap",
    "read_line",
];

pub(crate) fn content(publication: &Publication) -> Content<'_> {
    let described = |(name, description, language): &(String, String, Option<_>)| Described {
        name: name.clone(),
        description: description.clone(),
        language: *language,
    };
    Content {
        searcher: &publication.searcher,
        embedder: publication.embedder.clone(),
        collections: publication.collections.iter().map(described).collect(),
        calibration: publication.calibration,
    }
}

pub(crate) fn write(kb: &KnowledgeBase, folder: &Path, options: PublishOptions) -> Published {
    publish(&content(&kb.publication().unwrap()), folder, options).unwrap()
}

/// A library in parts, in a folder that ends with it.
pub(crate) struct Made {
    pub(crate) folder: TempDir,
    pub(crate) library: Library,
}

impl Made {
    pub(crate) fn of(kb: &KnowledgeBase) -> Self {
        let folder = tempfile::tempdir().unwrap();
        write(kb, folder.path(), PublishOptions::default());
        let library = open(folder.path());
        Self { folder, library }
    }

    pub(crate) fn search(&self, request: &SearchRequest, vector: Option<&[f32]>) -> Result<SearchResponse> {
        block_on(self.library.search(request, vector))
    }

    /// Opens the folder through another source.
    pub(crate) fn through(&self, source: impl Source + 'static) -> Library {
        let manifest = fs::read(self.folder.path().join("manifest.json")).unwrap();
        Library::open(&manifest, Rc::new(source), &Options::default()).unwrap()
    }
}

pub(crate) fn open(folder: &Path) -> Library {
    let manifest = fs::read(folder.join("manifest.json")).unwrap();
    Library::open(&manifest, Rc::new(FolderSource::new(folder)), &Options::default()).unwrap()
}

/// A document of some of [`WORDS`], by their numbers.
pub(crate) fn document(id: &str, title: Option<&str>, words: &[usize]) -> Document {
    let text: Vec<&str> = words.iter().map(|word| WORDS[word % WORDS.len()]).collect();
    let title = title.map(str::to_owned);
    Document { title, ..Document::new(id, format!("Note {id}: {}.", text.join(" "))) }
}

/// What a [`Changed`] source does to a reply.
type Change = Box<dyn Fn(&Fetch, Result<Reply>) -> Result<Reply>>;

/// A folder whose replies are changed.
pub(crate) struct Changed {
    folder: FolderSource,
    change: Change,
    pub(crate) asked: Rc<RefCell<Vec<Fetch>>>,
}

impl Changed {
    pub(crate) fn new(
        made: &Made,
        change: impl Fn(&Fetch, Result<Reply>) -> Result<Reply> + 'static,
    ) -> Self {
        let folder = FolderSource::new(made.folder.path());
        Self { folder, change: Box::new(change), asked: Rc::default() }
    }
}

impl Source for Changed {
    fn read<'a>(&'a self, fetch: &'a Fetch) -> LocalBoxFuture<'a, Result<Reply>> {
        self.asked.borrow_mut().push(fetch.clone());
        Box::pin(async move { (self.change)(fetch, self.folder.read(fetch).await) })
    }
}

/// A folder whose parts are at hand, with a wrong byte in each read if they are damaged. Counts what has to be waited for.
pub(crate) struct Near {
    folder: FolderSource,
    path: PathBuf,
    pub(crate) is_damaged: bool,
    pub(crate) awaited: Rc<Cell<usize>>,
    /// Bytes that were read without waiting.
    pub(crate) read: Rc<Cell<usize>>,
}

impl Near {
    pub(crate) fn new(made: &Made) -> Self {
        let path = made.folder.path().to_owned();
        Self {
            folder: FolderSource::new(&path),
            path,
            is_damaged: false,
            awaited: Rc::default(),
            read: Rc::default(),
        }
    }
}

impl Source for Near {
    fn read<'a>(&'a self, fetch: &'a Fetch) -> LocalBoxFuture<'a, Result<Reply>> {
        self.awaited.set(self.awaited.get() + 1);
        self.folder.read(fetch)
    }

    fn at_hand(&self, fetch: &Fetch) -> Option<Vec<u8>> {
        let whole = fs::read(self.path.join(fetch.part.path())).ok()?;
        let mut bytes = whole.get(fetch.range.start as usize..fetch.range.end as usize)?.to_vec();
        bytes[0] ^= u8::from(self.is_damaged);
        self.read.set(self.read.get() + bytes.len());
        Some(bytes)
    }
}

/// Counts calls.
pub(crate) fn counter() -> (Rc<Cell<usize>>, Rc<Cell<usize>>) {
    let count = Rc::new(Cell::new(0));
    (count.clone(), count)
}
