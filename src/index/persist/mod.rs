//! Keeping an index: files that are written once, and a manifest that says which of them count.
//!
//! A save writes what is new under names that nothing refers to yet, and then, as its last step, a manifest, in the
//! other of two places than the one before. Whatever is cut short, by a crash at any byte, leaves the manifest before,
//! and all it refers to. That manifest, and what the new one does not refer to, is removed afterwards.

pub(super) mod container;
mod files;

pub use container::FORMAT_VERSION;

use super::Index;
use super::segment::{Segment, SegmentId, Versions};
use crate::error::{Error, Result};
use crate::order::sort_by_key;
use container::{Kind, Sections};
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Where files are kept: a folder of the browser's, or of the disk.
pub trait Directory {
    /// Whether another has it open for writing.
    fn is_read_only(&self) -> bool {
        false
    }
    /// The names of all files.
    fn list(&self) -> LocalBoxFuture<'_, Result<Vec<String>>>;
    /// A file's bytes, or none where there is no such file.
    fn read<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Option<Vec<u8>>>>;
    /// Writes a file whole; durable when resolved.
    fn write<'a>(&'a self, name: &'a str, bytes: Vec<u8>) -> LocalBoxFuture<'a, Result<()>>;
    /// Removes a file; one that is not there is no error.
    fn remove<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<()>>;
}

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

fn encoded(segment: &Segment, part: Part) -> Vec<u8> {
    match part {
        Part::Text => files::text(segment),
        Part::Vectors => files::vectors(segment),
        Part::Graph => segment.vectors.graph().map(files::graph).unwrap_or_default(),
        Part::Deleted => files::deleted(segment),
    }
}

impl Manifest {
    fn of(index: &mut Index, settings: &Settings, generation: u64) -> Self {
        index.seal();
        Self {
            generation,
            next_key: index.next_key,
            next_segment: index.next_segment,
            settings: settings.clone(),
            schemas: index
                .schemas
                .iter()
                .map(|(name, schema)| (name.to_string(), serde_json::to_string(schema).unwrap_or_default()))
                .collect(),
            segments: index.segments.iter().map(|segment| Entry::of(segment)).collect(),
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let bytes = postcard::to_allocvec(self).unwrap_or_default();
        container::write(Kind::Manifest, &[("manifest", &bytes)])
    }

    fn from_bytes(file: &str, bytes: &[u8]) -> Result<Self> {
        Sections::read(file, bytes, Kind::Manifest)?.value("manifest")
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
    /// Opens what is in a directory: an index with its settings, empty where nothing was ever saved.
    ///
    /// # Errors
    /// [`Error::LibraryCorrupt`], [`Error::LibraryNewer`], and those of the directory. Nothing is changed or removed.
    pub async fn open(directory: Rc<dyn Directory>, exact_vectors: bool) -> Result<(Self, Index, Settings)> {
        let mut tries = 0;
        loop {
            let (manifest, failure) = read_manifests(&*directory).await?;
            let opened = Self::open_as(&directory, manifest.as_ref(), failure, exact_vectors).await;
            let generation = manifest.map(|manifest| manifest.generation);
            tries += 1;
            match opened {
                // Another tab may have saved, and tidied up, while this one was reading.
                Err(Error::LibraryCorrupt { .. })
                    if tries < TRIES && newest(&*directory).await? != generation => {}
                outcome => return outcome,
            }
        }
    }

    async fn open_as(
        directory: &Rc<dyn Directory>,
        manifest: Option<&Manifest>,
        failure: Option<Error>,
        exact_vectors: bool,
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
                    Self { directory, saved: Manifest::default() },
                    Index::new(exact_vectors),
                    Settings::default(),
                )),
            };
        };
        let mut index = Index::new(exact_vectors);
        (index.next_key, index.next_segment) = (saved.next_key, saved.next_segment.max(1));
        for entry in &saved.segments {
            let segment = read_segment(entry, exact_vectors, &*directory).await?;
            index.segments.push(Rc::new(segment));
        }
        let schemas = saved.schemas.iter();
        index.schemas = Rc::new(
            schemas
                .filter_map(|(name, json)| Some((name.as_str().into(), serde_json::from_str(json).ok()?)))
                .collect(),
        );
        let settings = saved.settings.clone();
        Ok((Self { directory, saved }, index, settings))
    }

    /// Whether another has it open for writing.
    pub fn is_read_only(&self) -> bool {
        self.directory.is_read_only()
    }

    /// Prepares a save of the index as it is now.
    pub fn prepare(&self, index: &mut Index, settings: &Settings) -> Saving {
        let manifest = Manifest::of(index, settings, self.saved.generation + 1);
        Saving { manifest, segments: index.segments.clone() }
    }

    /// Writes what a save has that is not there yet. One that fails leaves the state before.
    ///
    /// # Errors
    /// Those of the directory.
    pub async fn write(&mut self, saving: Saving) -> Result<Saved> {
        if saving.is_idle(&self.saved) {
            return Ok(Saved::default());
        }
        if self.is_read_only() {
            return Err(Error::ReadOnly);
        }
        if self.saved.generation == 0 {
            // So that a first save that is cut short is told from a library whose manifest was lost.
            self.directory.write(slot(0), Manifest::default().to_bytes()).await?;
        }
        let mut fresh = Vec::new();
        let outcome = self.write_all(&saving, &mut fresh).await;
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
        self.tidy().await;
        outcome
    }

    /// Removes what does not count, the manifest before among it: were the new one damaged, the old state would pass
    /// for it. The save is done by now; what cannot be removed is left for the next one.
    async fn tidy(&self) {
        let counts = self.saved.names();
        for name in self.directory.list().await.unwrap_or_default() {
            let beside = name.starts_with(BESIDE);
            if !beside && !counts.contains(&name) && name != slot(self.saved.generation) {
                let _ = self.directory.remove(&name).await;
            }
        }
    }

    async fn write_all(&self, saving: &Saving, fresh: &mut Vec<String>) -> Result<Saved> {
        let there = self.saved.names();
        let mut done = Saved::default();
        for (entry, segment) in saving.manifest.segments.iter().zip(&saving.segments) {
            for (part, name) in entry.files().filter(|(_, name)| !there.contains(name)) {
                let bytes = encoded(segment, part);
                done = Saved { files: done.files + 1, bytes: done.bytes + bytes.len() };
                fresh.push(name.clone());
                self.directory.write(&name, bytes).await?;
            }
        }
        let bytes = saving.manifest.to_bytes();
        done = Saved { files: done.files + 1, bytes: done.bytes + bytes.len() };
        let name = slot(saving.manifest.generation);
        fresh.push(name.to_owned());
        self.directory.write(name, bytes).await?;
        Ok(done)
    }
}

/// The newest manifest that can be read; else what is wrong with one.
async fn read_manifests(directory: &dyn Directory) -> Result<(Option<Manifest>, Option<Error>)> {
    let mut manifests = Vec::new();
    let mut failure = None;
    for name in MANIFESTS {
        if let Some(bytes) = directory.read(name).await? {
            match Manifest::from_bytes(name, &bytes) {
                Ok(manifest) => manifests.push(manifest),
                Err(error @ Error::LibraryNewer { .. }) => return Err(error),
                // The very first write was cut short.
                Err(_) if Manifest::default().to_bytes().starts_with(&bytes) => {}
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

async fn read_segment(entry: &Entry, exact: bool, directory: &dyn Directory) -> Result<Segment> {
    let mut segment = Segment::empty(SegmentId(entry.id), exact);
    for (part, name) in entry.files() {
        let bytes = directory
            .read(&name)
            .await?
            .ok_or_else(|| Error::LibraryCorrupt { file: name.clone(), reason: "it is missing".into() })?;
        match part {
            Part::Text => files::read_text(&mut segment, &name, &bytes)?,
            Part::Vectors => files::read_vectors(&mut segment, exact, &name, &bytes)?,
            Part::Graph => files::read_graph(&mut segment, &name, &bytes)?,
            Part::Deleted => files::read_deleted(&mut segment, &name, &bytes)?,
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
pub fn export(index: &mut Index, settings: &Settings) -> Vec<u8> {
    let manifest = Manifest::of(index, settings, 1);
    let mut sections = vec![(MANIFESTS[1].to_owned(), manifest.to_bytes())];
    for (entry, segment) in manifest.segments.iter().zip(&index.segments) {
        sections.extend(entry.files().map(|(part, name)| (name, encoded(segment, part))));
    }
    let sections: Vec<(&str, &[u8])> =
        sections.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    container::write(Kind::Library, &sections)
}

/// Reads what [`export`] wrote.
///
/// # Errors
/// [`Error::LibraryCorrupt`], [`Error::LibraryNewer`].
pub async fn import(bytes: &[u8], exact_vectors: bool) -> Result<(Index, Settings)> {
    let sections = Sections::read("the exported library", bytes, Kind::Library)?;
    sections.get(MANIFESTS[1])?;
    let files = sections.all().map(|(name, bytes)| (name.to_owned(), bytes.to_vec())).collect();
    let (_, index, settings) = Library::open(Rc::new(Exported(RefCell::new(files))), exact_vectors).await?;
    Ok((index, settings))
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
