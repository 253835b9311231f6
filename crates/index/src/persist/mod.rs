//! Keeping an index: files that are written once, and a manifest that says which of them count.
//!
//! A save writes what is new under names that nothing refers to yet, and then, as its last step, a manifest, in the
//! other of two places than the one before. Whatever is cut short, by a crash at any byte, leaves the manifest before,
//! and all it refers to. That manifest, and what the new one does not refer to, is removed afterwards.

pub(super) mod container;
mod directory;
mod files;
mod salvage;

pub use container::FORMAT_VERSION;
pub use directory::Directory;
use salvage::{Count, Reading};
pub use salvage::{Damaged, Lost};

use super::index::Index;
use super::segment::{Segment, SegmentId, Versions};
use container::{Kind, Sections};
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use vademecum_protocol::error::{Error, Result};
use vademecum_util::small_sort::sort_by_key;
use vademecum_util::vec_map;

/// What is kept beside the segments: the owner's own, as it hands it in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// What made the vectors, so that no other is compared with them.
    pub embedder: Option<String>,
    /// Each collection with what is declared of it, as JSON.
    pub collections: BTreeMap<String, String>,
}

/// Which files count.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Manifest {
    generation: u64,
    next_key: u32,
    next_segment: u64,
    settings: Settings,
    /// The metadata fields of each collection, as JSON.
    schemas: BTreeMap<String, String>,
    segments: Vec<Entry>,
    /// Of each segment, how many documents and chunks it holds: what is told where it is lost. A section of its own, which
    /// older versions do not know.
    #[serde(skip)]
    counts: Vec<Count>,
}

/// A segment's files: a part with version 0 was never written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    id: u64,
    vectors: u32,
    graph: u32,
    deleted: u32,
}

/// A part of a segment: a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Text,
    Vectors,
    Graph,
    Deleted,
}

impl Entry {
    fn of(segment: &Segment) -> Self {
        let Versions { vectors, graph, deleted } = segment.versions;
        // A count of 0 changes is version 1 of a file, so that the first change is another version.
        let graph = if segment.vectors.graph().is_some() { graph + 1 } else { 0 };
        let vectors = if segment.vectors.present().count() > 0 { vectors + 1 } else { 0 };
        let deleted = if segment.deleted.is_empty() { 0 } else { deleted + 1 };
        Self { id: segment.id.0, vectors, graph, deleted }
    }

    fn file(&self, part: Part) -> Option<String> {
        let (name, version) = match part {
            Part::Text => return Some(format!("s{}-text.vdm", self.id)),
            Part::Vectors => ("vectors", self.vectors),
            Part::Graph => ("graph", self.graph),
            Part::Deleted => ("deleted", self.deleted),
        };
        (version > 0).then(|| format!("s{}-{name}-{version}.vdm", self.id))
    }

    fn files(&self) -> impl Iterator<Item = (Part, String)> {
        let all = [Part::Text, Part::Vectors, Part::Graph, Part::Deleted];
        all.into_iter().filter_map(|part| Some((part, self.file(part)?)))
    }
}

fn encoded(segment: &Segment, part: Part) -> Result<Vec<u8>> {
    match part {
        Part::Text => files::text(segment),
        Part::Vectors => files::vectors(segment),
        Part::Graph => segment.vectors.graph().map_or(Ok(Vec::new()), files::graph),
        Part::Deleted => files::deleted(segment),
    }
}

impl Manifest {
    fn of(index: &mut Index, settings: &Settings, generation: u64) -> Result<Self> {
        index.seal();
        let schema = |schema| {
            serde_json::to_string(schema)
                .map_err(|error| Error::internal(format!("A schema cannot be written: {error}.")))
        };
        let schemas = index.schemas.iter().map(|(name, one)| Ok((name.to_string(), schema(one)?)));
        let count = |segment: &Rc<Segment>| Count {
            id: segment.id.0,
            documents: segment.live_documents().count() as u32,
            chunks: segment.live() as u32,
        };
        Ok(Self {
            generation,
            next_key: index.next_key,
            next_segment: index.next_segment,
            settings: settings.clone(),
            schemas: schemas.collect::<Result<_>>()?,
            segments: index.segments.iter().map(|segment| Entry::of(segment)).collect(),
            counts: index.segments.iter().map(count).collect(),
        })
    }

    fn to_bytes(&self) -> Result<Vec<u8>> {
        let (manifest, counts) = (container::encode(self)?, container::encode(&self.counts)?);
        let mut sections: Vec<(&str, &[u8])> = vec![("manifest", &manifest)];
        if !self.counts.is_empty() {
            sections.push(("counts", &counts));
        }
        container::write(Kind::Manifest, &sections)
    }

    fn from_bytes(file: &str, bytes: &[u8]) -> Result<Self> {
        let sections = Sections::read(file, bytes, Kind::Manifest)?;
        let counts = if sections.find("counts").is_some() { sections.value("counts")? } else { Vec::new() };
        Ok(Self { counts, ..sections.value("manifest")? })
    }

    fn names(&self) -> BTreeSet<String> {
        self.segments.iter().flat_map(Entry::files).map(|(_, name)| name).collect()
    }
}

const MANIFESTS: [&str; 2] = ["manifest-0.vdm", "manifest-1.vdm"];

/// How the files of conversations begin. They are kept in the same place by others, and are none of the index's.
const BESIDE: &str = "chat-";

/// How often a library is read again because it was written meanwhile.
const TRIES: usize = 8;

/// The place a generation's manifest is written to.
fn slot(generation: u64) -> &'static str {
    if generation.is_multiple_of(2) { MANIFESTS[0] } else { MANIFESTS[1] }
}

/// What one save wrote.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Saved {
    /// Files, the manifest included.
    pub files: usize,
    /// Bytes in them.
    pub bytes: usize,
}

/// A directory with what was last read from it or written to it.
pub struct Library {
    directory: Rc<dyn Directory>,
    saved: Manifest,
    /// What was left out, where what is whole of a damaged library was opened.
    lost: Option<Lost>,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Library").field("generation", &self.saved.generation).finish_non_exhaustive()
    }
}

/// A save that was prepared in one step and is now written, file by file.
#[derive(Debug)]
pub struct Saving {
    manifest: Manifest,
    segments: Vec<Rc<Segment>>,
}

impl Saving {
    /// Whether it would write nothing.
    fn is_idle(&self, saved: &Manifest) -> bool {
        saved.generation > 0
            && self.manifest.segments == saved.segments
            && self.manifest.settings == saved.settings
            && self.manifest.schemas == saved.schemas
            && self.manifest.next_key == saved.next_key
    }
}

impl Library {
    /// As [`Library::open`], but leaves out what is damaged: a segment whose text or tombstones are, vectors and graphs by
    /// themselves. What is opened like this is only read.
    ///
    /// # Errors
    /// [`Error::LibraryCorrupt`] where neither manifest can be read, [`Error::LibraryNewer`], and those of the directory.
    pub async fn salvage(
        directory: Rc<dyn Directory>,
        exact_vectors: bool,
    ) -> Result<(Self, Index, Settings)> {
        Self::read(directory, Reading { exact: exact_vectors, salvage: true, ..Reading::default() }).await
    }

    /// What was left out, where it was opened like this.
    pub fn lost(&self) -> Option<&Lost> {
        self.lost.as_ref()
    }

    /// Opens what is in a directory: an index with its settings, empty where nothing was ever saved.
    ///
    /// # Errors
    /// [`Error::LibraryCorrupt`], [`Error::LibraryNewer`], and those of the directory. Nothing is changed or removed.
    pub async fn open(directory: Rc<dyn Directory>, exact_vectors: bool) -> Result<(Self, Index, Settings)> {
        Self::read(directory, Reading { exact: exact_vectors, ..Reading::default() }).await
    }

    async fn read(directory: Rc<dyn Directory>, how: Reading) -> Result<(Self, Index, Settings)> {
        let mut tries = 0;
        loop {
            let (manifest, failure) = read_manifests(&*directory).await?;
            let opened = Self::open_as(&directory, manifest.as_ref(), failure, how).await;
            let is_damaged = match &opened {
                Ok((library, ..)) => library.lost.as_ref().is_some_and(|lost| !lost.files.is_empty()),
                Err(error) => matches!(error, Error::LibraryCorrupt { .. }),
            };
            tries += 1;
            // Another tab may have saved, and tidied up, while this one was reading.
            let generation = manifest.map(|manifest| manifest.generation);
            if !is_damaged || tries == TRIES || newest(&*directory).await? == generation {
                return opened;
            }
        }
    }

    async fn open_as(
        directory: &Rc<dyn Directory>,
        manifest: Option<&Manifest>,
        failure: Option<Error>,
        how: Reading,
    ) -> Result<(Self, Index, Settings)> {
        let directory = directory.clone();
        let Some(saved) = manifest.cloned() else {
            // Files of documents, and nothing that says which of them count: nobody should write over them.
            let names = directory.list().await?;
            let lost = names.into_iter().find(|name| name.ends_with("-text.vdm"));
            let missing = lost
                .map(|_| Error::LibraryCorrupt { file: MANIFESTS[0].into(), reason: "it is missing".into() });
            return match failure.or(missing) {
                Some(error) => Err(error),
                None => Ok((
                    Self { directory, saved: Manifest::default(), lost: how.salvage.then(Lost::default) },
                    Index::new(how.exact),
                    Settings::default(),
                )),
            };
        };
        let mut index = Index::new(how.exact);
        let mut lost = Lost::default();
        (index.next_key, index.next_segment) = (saved.next_key, saved.next_segment.max(1));
        for entry in &saved.segments {
            match read_segment(entry, how, &*directory, &mut lost).await {
                Ok(segment) => index.segments.push(Rc::new(segment)),
                Err(error) => lost.segment(how, error, saved.counts.iter().find(|one| one.id == entry.id))?,
            }
        }
        if how.foreign && !has_own_keys(&index) {
            let reason = "two of its segments hold the same chunk".into();
            return Err(Error::LibraryCorrupt { file: slot(saved.generation).into(), reason });
        }
        let unreadable = |name: &str| {
            let reason = format!("the fields of `{name}` cannot be read");
            Error::LibraryCorrupt { file: slot(saved.generation).into(), reason }
        };
        let schema = |(name, json): (&String, &String)| {
            Ok((name.as_str().into(), serde_json::from_str(json).map_err(|_| unreadable(name))?))
        };
        index.schemas = Rc::new(saved.schemas.iter().map(schema).collect::<Result<_>>()?);
        let settings = saved.settings.clone();
        Ok((Self { directory, saved, lost: how.salvage.then_some(lost) }, index, settings))
    }

    /// Whether another has it open for writing, or only what is whole of it is here.
    pub fn is_read_only(&self) -> bool {
        self.directory.is_read_only() || self.lost.is_some()
    }

    /// Prepares a save of the index as it is now.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn prepare(&self, index: &mut Index, settings: &Settings) -> Result<Saving> {
        let manifest = Manifest::of(index, settings, self.saved.generation + 1)?;
        Ok(Saving { manifest, segments: index.segments.clone() })
    }

    /// Writes what a save has that is not there yet. One that fails leaves the state before.
    ///
    /// # Errors
    /// Those of the directory.
    pub async fn write(&mut self, saving: Saving) -> Result<Saved> {
        if saving.is_idle(&self.saved) || self.lost.is_some() {
            return Ok(Saved::default());
        }
        if self.is_read_only() {
            return Err(Error::ReadOnly);
        }
        if self.saved.generation == 0 {
            // So that a first save that is cut short is told from a library whose manifest was lost.
            self.directory.write(slot(0), Manifest::default().to_bytes()?).await?;
        }
        let mut fresh = Vec::new();
        let manifest = saving.manifest.to_bytes()?;
        let outcome = self.write_all(&saving, &manifest, &mut fresh).await;
        if let Err(error) = outcome {
            // The manifest first: it may have been written whole, and then counts until it is gone.
            for name in fresh.into_iter().rev() {
                if self.directory.remove(&name).await.is_err() {
                    break; // what is left over is removed by the next save
                }
            }
            return Err(error);
        }
        self.saved = saving.manifest;
        self.tidy(manifest).await;
        outcome
    }

    /// Puts a copy of the new manifest in the place of the one before, so that a damaged one has another to fall back on, and
    /// that is not the state before. Then removes what does not count. The save is done by now; what cannot be removed is
    /// left for the next one.
    async fn tidy(&self, manifest: Vec<u8>) {
        let counts = self.saved.names();
        let copy = slot(self.saved.generation + 1);
        let copied = self.directory.write(copy, manifest).await.is_ok();
        for name in self.directory.list().await.unwrap_or_default() {
            let beside = name.starts_with(BESIDE);
            let is_manifest = name == slot(self.saved.generation) || (copied && name == copy);
            if !beside && !counts.contains(&name) && !is_manifest {
                let _ = self.directory.remove(&name).await;
            }
        }
    }

    async fn write_all(&self, saving: &Saving, manifest: &[u8], fresh: &mut Vec<String>) -> Result<Saved> {
        let there = self.saved.names();
        let mut done = Saved::default();
        for (entry, segment) in saving.manifest.segments.iter().zip(&saving.segments) {
            for (part, name) in entry.files().filter(|(_, name)| !there.contains(name)) {
                let bytes = encoded(segment, part)?;
                done = Saved { files: done.files + 1, bytes: done.bytes + bytes.len() };
                fresh.push(name.clone());
                self.directory.write(&name, bytes).await?;
            }
        }
        done = Saved { files: done.files + 1, bytes: done.bytes + manifest.len() };
        let name = slot(saving.manifest.generation);
        fresh.push(name.to_owned());
        self.directory.write(name, manifest.to_vec()).await?;
        Ok(done)
    }
}

/// The newest manifest that can be read; else what is wrong with one.
async fn read_manifests(directory: &dyn Directory) -> Result<(Option<Manifest>, Option<Error>)> {
    let first = Manifest::default().to_bytes()?;
    let mut manifests = Vec::new();
    let mut failure = None;
    for name in MANIFESTS {
        if let Some(bytes) = directory.read(name).await? {
            match Manifest::from_bytes(name, &bytes) {
                Ok(manifest) => manifests.push(manifest),
                Err(error @ Error::LibraryNewer { .. }) => return Err(error),
                // The very first write was cut short.
                Err(_) if first.starts_with(&bytes) => {}
                Err(error) => failure = Some(error),
            }
        }
    }
    sort_by_key(&mut manifests, |manifest| manifest.generation);
    Ok((manifests.pop(), failure))
}

async fn newest(directory: &dyn Directory) -> Result<Option<u64>> {
    Ok(read_manifests(directory).await?.0.map(|manifest| manifest.generation))
}

/// Whether no chunk is in two segments.
fn has_own_keys(index: &Index) -> bool {
    let keys = vec_map::set(index.segments.iter().flat_map(|segment| segment.keys.iter().copied()));
    keys.len() == index.segments.iter().map(|segment| segment.keys.len()).sum::<usize>()
}

async fn read_segment(
    entry: &Entry,
    how: Reading,
    directory: &dyn Directory,
    lost: &mut Lost,
) -> Result<Segment> {
    let mut segment = Segment::empty(SegmentId(entry.id), how.exact);
    for (part, name) in entry.files() {
        let read = match (directory.read(&name).await?, part) {
            (None, _) => Err(Error::LibraryCorrupt { file: name.clone(), reason: "it is missing".into() }),
            (Some(bytes), Part::Text) => files::read_text(&mut segment, how.foreign, &name, &bytes),
            (Some(bytes), Part::Vectors) => files::read_vectors(&mut segment, how.exact, &name, &bytes),
            // A graph is over vectors: it goes with them.
            (Some(_), Part::Graph) if segment.vectors.present().count() == 0 => Ok(()),
            (Some(bytes), Part::Graph) => files::read_graph(&mut segment, &name, &bytes),
            (Some(bytes), Part::Deleted) => files::read_deleted(&mut segment, &name, &bytes),
        };
        match (read, part) {
            // Both can be made again.
            (Err(error), Part::Vectors | Part::Graph) => lost.part(how, error)?,
            (read, _) => read?,
        }
    }
    segment.versions = Versions {
        vectors: entry.vectors.saturating_sub(1),
        graph: entry.graph.saturating_sub(1),
        deleted: entry.deleted.saturating_sub(1),
    };
    Ok(segment)
}

/// The whole index with its settings as one file.
///
/// # Errors
/// Where it cannot be written.
pub fn export(index: &mut Index, settings: &Settings) -> Result<Vec<u8>> {
    let manifest = Manifest::of(index, settings, 1)?;
    let bytes = manifest.to_bytes()?;
    // Twice, as in a directory: without it nothing else is of use.
    let mut sections = vec![(MANIFESTS[1].to_owned(), bytes.clone()), (MANIFESTS[0].to_owned(), bytes)];
    for (entry, segment) in manifest.segments.iter().zip(&index.segments) {
        for (part, name) in entry.files() {
            sections.push((name, encoded(segment, part)?));
        }
    }
    let sections: Vec<(&str, &[u8])> =
        sections.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    container::write(Kind::Library, &sections)
}

/// Reads what [`export`] wrote; with `salvage`, what is whole of it.
///
/// # Errors
/// [`Error::LibraryCorrupt`], [`Error::LibraryNewer`].
pub async fn import(
    bytes: &[u8],
    exact_vectors: bool,
    salvage: bool,
) -> Result<(Index, Settings, Option<Lost>)> {
    let sections = Sections::read_checked("the exported library", bytes, Kind::Library, !salvage)?;
    sections.get(MANIFESTS[1])?;
    let files = sections.all().map(|(name, bytes)| (name.to_owned(), bytes.to_vec())).collect();
    let how = Reading { exact: exact_vectors, foreign: true, salvage };
    let (library, index, settings) = Library::read(Rc::new(Exported(RefCell::new(files))), how).await?;
    Ok((index, settings, library.lost))
}

/// The files within an exported library. All but the manifests are read once, and given away then.
struct Exported(RefCell<BTreeMap<String, Vec<u8>>>);

impl Directory for Exported {
    fn list(&self) -> LocalBoxFuture<'_, Result<Vec<String>>> {
        Box::pin(async { Ok(self.0.borrow().keys().cloned().collect()) })
    }

    fn read<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Option<Vec<u8>>>> {
        let mut files = self.0.borrow_mut();
        let bytes = if MANIFESTS.contains(&name) { files.get(name).cloned() } else { files.remove(name) };
        Box::pin(std::future::ready(Ok(bytes)))
    }

    fn write<'a>(&'a self, _: &'a str, _: Vec<u8>) -> LocalBoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn remove<'a>(&'a self, _: &'a str) -> LocalBoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }
}
