//! Persistence: immutable segment files, and a manifest that lists the current ones.
//!
//! A save writes new files under names that no manifest refers to, and as its last step a new manifest,
//! alternating between two names. A save cut short at any byte leaves the previous manifest and all files it
//! refers to. Files that the new manifest does not refer to are removed afterwards.

pub(super) mod container;
pub(super) mod directory;
mod exported;
mod files;
mod manifest;
mod salvage;

pub use container::FORMAT_VERSION;
pub use directory::Directory;
use directory::MANIFESTS;
use manifest::{Entry, Manifest, SegmentPart};
use salvage::ReadOptions;
pub use salvage::{Damaged, Lost};
pub use settings::Settings;

use super::index::Index;
#[cfg(feature = "paging")]
use super::paging::{Disk, DiskFile};
use super::segment::{Segment, SegmentId, Versions};
use container::{Kind, Sections};
use exported::Exported;
use serde::Serialize;
use std::rc::Rc;
use vademecum_protocol::error::{Error, Result};
use vademecum_util::small_sort::sort_by_key;
use vademecum_util::vec_map;

mod settings;

fn encoded(segment: &Segment, part: SegmentPart) -> Result<Vec<u8>> {
    match part {
        SegmentPart::Text => files::text(segment),
        SegmentPart::Vectors => files::vectors(segment),
        SegmentPart::Graph => segment.vectors.graph().map_or(Ok(Vec::new()), files::graph),
        SegmentPart::Deleted => files::deleted(segment),
    }
}

/// File name prefix of conversations, which share the directory but do not belong to the index.
const CONVERSATION_PREFIX: &str = "chat-";

/// Maximum number of attempts to read a library that is written meanwhile.
const MAX_READS: usize = 8;

/// Returns the file name of a generation's manifest.
fn slot(generation: u64) -> &'static str {
    if generation.is_multiple_of(2) { MANIFESTS[0] } else { MANIFESTS[1] }
}

/// Size of a save.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Saved {
    /// Number of files written, including the manifest.
    pub files: usize,
    /// Number of bytes written.
    pub bytes: usize,
}

/// An open library: a directory and the manifest last read from it or written to it.
pub struct Library {
    directory: Rc<dyn Directory>,
    saved: Manifest,
    /// What was left out, if the library was opened by [`Library::salvage`].
    lost: Option<Lost>,
    #[cfg(feature = "paging")]
    disk: Rc<Disk>,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Library").field("generation", &self.saved.generation).finish_non_exhaustive()
    }
}

/// A prepared save: a snapshot to be written file by file.
#[derive(Debug)]
pub struct Saving {
    manifest: Manifest,
    segments: Vec<Rc<Segment>>,
}

impl Saving {
    /// Returns whether nothing would be written.
    fn is_idle(&self, saved: &Manifest) -> bool {
        saved.generation > 0
            && self.manifest.segments == saved.segments
            && self.manifest.settings == saved.settings
            && self.manifest.schemas == saved.schemas
            && self.manifest.next_key == saved.next_key
    }
}

impl Library {
    /// Opens a damaged library without its damaged files: a segment is left out if its text or tombstones are
    /// damaged; damaged vectors and graphs are left out by themselves. The library is read-only.
    ///
    /// # Errors
    /// [`Error::LibraryCorrupt`] if neither manifest can be read, [`Error::LibraryNewer`], and those of the
    /// directory.
    pub async fn salvage(
        directory: Rc<dyn Directory>,
        exact_vectors: bool,
    ) -> Result<(Self, Index, Settings)> {
        Self::read(directory, ReadOptions { exact: exact_vectors, salvage: true, ..ReadOptions::default() })
            .await
    }

    /// As [`Library::open`], or with `salvage` as [`Library::salvage`]. Where the directory reads at once ([`Directory::hold`]), texts and
    /// postings stay in their files from the segment on with which the index takes more than `most` bytes of memory.
    ///
    /// # Errors
    /// As [`Library::open`] and [`Library::salvage`].
    #[cfg(feature = "paging")]
    pub async fn open_within(
        directory: Rc<dyn Directory>,
        exact_vectors: bool,
        salvage: bool,
        most: Option<usize>,
    ) -> Result<(Self, Index, Settings)> {
        let how = ReadOptions { exact: exact_vectors, salvage, most, ..ReadOptions::default() };
        Self::read(directory, how).await
    }

    /// Returns the files that are read at once.
    #[cfg(feature = "paging")]
    pub fn disk(&self) -> &Rc<Disk> {
        &self.disk
    }

    /// Opens the file of a segment's texts and postings, for [`Index::page_out`]. `None` if the segment is not saved, or the directory cannot
    /// read its file at once.
    #[cfg(feature = "paging")]
    pub async fn hold(&self, id: SegmentId) -> Option<Rc<DiskFile>> {
        let saved = self.saved.segments.iter().find(|entry| entry.id == id.0)?;
        self.disk.open(saved.file(SegmentPart::Text)?).await
    }

    /// Returns what was left out, if the library was opened by [`Library::salvage`].
    pub fn lost(&self) -> Option<&Lost> {
        self.lost.as_ref()
    }

    /// Opens the library in a directory, with its settings; an empty index if nothing was ever saved.
    ///
    /// # Errors
    /// [`Error::LibraryCorrupt`], [`Error::LibraryNewer`], and those of the directory. No file is changed.
    pub async fn open(directory: Rc<dyn Directory>, exact_vectors: bool) -> Result<(Self, Index, Settings)> {
        Self::read(directory, ReadOptions { exact: exact_vectors, ..ReadOptions::default() }).await
    }

    async fn read(directory: Rc<dyn Directory>, how: ReadOptions) -> Result<(Self, Index, Settings)> {
        let mut tries = 0;
        loop {
            let (manifest, failure) = read_manifests(&*directory).await?;
            let opened = Self::open_as(&directory, manifest.as_ref(), failure, how).await;
            let is_damaged = match &opened {
                Ok((library, ..)) => library.lost.as_ref().is_some_and(|lost| !lost.files.is_empty()),
                Err(error) => matches!(error, Error::LibraryCorrupt { .. }),
            };
            tries += 1;
            // Another tab may have saved, and removed old files, during the read.
            let generation = manifest.map(|manifest| manifest.generation);
            if !is_damaged || tries == MAX_READS || newest(&*directory).await? == generation {
                return opened;
            }
        }
    }

    async fn open_as(
        directory: &Rc<dyn Directory>,
        manifest: Option<&Manifest>,
        failure: Option<Error>,
        how: ReadOptions,
    ) -> Result<(Self, Index, Settings)> {
        let directory = directory.clone();
        let Some(saved) = manifest.cloned() else {
            // Segment files without a manifest must not be overwritten.
            let names = directory.list().await?;
            let lost = names.into_iter().find(|name| name.ends_with("-text.vdm"));
            let missing = lost
                .map(|_| Error::LibraryCorrupt { file: MANIFESTS[0].into(), reason: "it is missing".into() });
            return match failure.or(missing) {
                Some(error) => Err(error),
                None => {
                    let library = Self {
                        #[cfg(feature = "paging")]
                        disk: Disk::new(directory.clone()),
                        directory,
                        saved: Manifest::default(),
                        lost: how.salvage.then(Lost::default),
                    };
                    Ok((library, Index::new(how.exact), Settings::default()))
                }
            };
        };
        let mut index = Index::new(how.exact);
        let mut lost = Lost::default();
        #[cfg(feature = "paging")]
        let disk = Disk::new(directory.clone());
        (index.next_key, index.next_segment) = (saved.next_key, saved.next_segment.max(1));
        for entry in &saved.segments {
            match read_segment(entry, how, &*directory, &mut lost).await {
                Ok(segment) => {
                    index.segments.push(Rc::new(segment));
                    #[cfg(feature = "paging")]
                    page_out_above(&mut index, how.most, &disk, entry).await;
                }
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
        let schema = |(name, json): &(String, String)| {
            Ok((name.as_str().into(), serde_json::from_str(json).map_err(|_| unreadable(name))?))
        };
        index.schemas = Rc::new(saved.schemas.iter().map(schema).collect::<Result<_>>()?);
        let settings = saved.settings.clone();
        let library = Self {
            #[cfg(feature = "paging")]
            disk,
            directory,
            saved,
            lost: how.salvage.then_some(lost),
        };
        Ok((library, index, settings))
    }

    /// Returns whether saving is impossible: another holder writes to the directory, or the library was
    /// salvaged.
    pub fn is_read_only(&self) -> bool {
        self.directory.is_read_only() || self.lost.is_some()
    }

    /// Prepares a save of the current index; seals its tail.
    ///
    /// # Errors
    /// [`Error::internal`] if serialisation fails.
    pub fn prepare(&self, index: &mut Index, settings: &Settings) -> Result<Saving> {
        let manifest = Manifest::of(index, settings, self.saved.generation + 1)?;
        Ok(Saving { manifest, segments: index.segments.clone() })
    }

    /// Writes the files that do not exist yet, then the manifest. A failed save leaves the previous state.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], those of the directory, and `storage_failed` if a text could not be read from its file.
    pub async fn write(&mut self, saving: Saving) -> Result<Saved> {
        if saving.is_idle(&self.saved) || self.lost.is_some() {
            return Ok(Saved::default());
        }
        if self.is_read_only() {
            return Err(Error::ReadOnly);
        }
        #[cfg(feature = "paging")]
        self.disk.check()?;
        if self.saved.generation == 0 {
            // Distinguishes a first save that was cut short from a library whose manifest was lost.
            self.directory.write(slot(0), Manifest::default().to_bytes()?).await?;
        }
        let mut fresh = Vec::new();
        let manifest = saving.manifest.to_bytes()?;
        let outcome = self.write_all(&saving, &manifest, &mut fresh).await;
        if let Err(error) = outcome {
            // Remove the manifest first: if it was written completely, it is valid until it is gone.
            for name in fresh.into_iter().rev() {
                if self.directory.remove(&name).await.is_err() {
                    break; // the next save removes the rest
                }
            }
            return Err(error);
        }
        self.saved = saving.manifest;
        self.tidy(manifest).await;
        outcome
    }

    /// Replaces the previous manifest by a copy of the new one, so that a damaged manifest does not bring
    /// back the previous state, and removes obsolete files. The save has succeeded by then; files that cannot
    /// be removed are left for the next save.
    async fn tidy(&self, manifest: Vec<u8>) {
        let counts = self.saved.names();
        let copy = slot(self.saved.generation + 1);
        let copied = self.directory.write(copy, manifest).await.is_ok();
        for name in self.directory.list().await.unwrap_or_default() {
            let beside = name.starts_with(CONVERSATION_PREFIX);
            let is_manifest = name == slot(self.saved.generation) || (copied && name == copy);
            #[cfg(feature = "paging")]
            let beside = beside || self.disk.is_in_use(&name);
            if !beside && counts.binary_search(&name).is_err() && !is_manifest {
                let _ = self.directory.remove(&name).await;
            }
        }
    }

    async fn write_all(&self, saving: &Saving, manifest: &[u8], fresh: &mut Vec<String>) -> Result<Saved> {
        let there = self.saved.names();
        let mut done = Saved::default();
        for (entry, segment) in saving.manifest.segments.iter().zip(&saving.segments) {
            for (part, name) in entry.files().filter(|(_, name)| there.binary_search(name).is_err()) {
                let bytes = encoded(segment, part)?;
                done = Saved { files: done.files + 1, bytes: done.bytes + bytes.len() };
                fresh.push(name.clone());
                self.directory.write(&name, bytes).await?;
            }
        }
        #[cfg(feature = "paging")]
        self.disk.check()?;
        done = Saved { files: done.files + 1, bytes: done.bytes + manifest.len() };
        let name = slot(saving.manifest.generation);
        fresh.push(name.to_owned());
        self.directory.write(name, manifest.to_vec()).await?;
        Ok(done)
    }
}

/// Returns the newest readable manifest, and the error of an unreadable one.
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

/// Returns whether every chunk key occurs in one segment only.
fn has_own_keys(index: &Index) -> bool {
    let keys = vec_map::set(index.segments.iter().flat_map(|segment| segment.keys.iter().copied()));
    keys.len() == index.segments.iter().map(|segment| segment.keys.len()).sum::<usize>()
}

/// Drops the texts and postings of the segment read last from memory if the index takes more than `most` bytes.
#[cfg(feature = "paging")]
async fn page_out_above(index: &mut Index, most: Option<usize>, disk: &Rc<Disk>, entry: &Entry) {
    if most.is_some_and(|most| index.memory().taken > most)
        && let Some(name) = entry.file(SegmentPart::Text)
        && let Some(file) = disk.open(name).await
    {
        index.page_out(SegmentId(entry.id), &file);
    }
}

async fn read_segment(
    entry: &Entry,
    how: ReadOptions,
    directory: &dyn Directory,
    lost: &mut Lost,
) -> Result<Segment> {
    let mut segment = Segment::empty(SegmentId(entry.id), how.exact);
    for (part, name) in entry.files() {
        let read = match (directory.read(&name).await?, part) {
            (None, _) => Err(Error::LibraryCorrupt { file: name.clone(), reason: "it is missing".into() }),
            (Some(bytes), SegmentPart::Text) => files::read_text(&mut segment, how.foreign, &name, &bytes),
            (Some(bytes), SegmentPart::Vectors) => {
                files::read_vectors(&mut segment, how.exact, &name, &bytes)
            }
            // A graph requires its vectors.
            (Some(_), SegmentPart::Graph) if segment.vectors.present().count() == 0 => Ok(()),
            (Some(bytes), SegmentPart::Graph) => files::read_graph(&mut segment, &name, &bytes),
            (Some(bytes), SegmentPart::Deleted) => files::read_deleted(&mut segment, &name, &bytes),
        };
        match (read, part) {
            // Vectors and graphs can be recomputed.
            (Err(error), SegmentPart::Vectors | SegmentPart::Graph) => lost.part(how, error)?,
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

/// Serialises the whole index and its settings into one file.
///
/// # Errors
/// [`Error::internal`] if serialisation fails.
pub fn export(index: &mut Index, settings: &Settings) -> Result<Vec<u8>> {
    let manifest = Manifest::of(index, settings, 1)?;
    let bytes = manifest.to_bytes()?;
    // Stored twice, as in a directory: without a manifest, nothing else can be read.
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

/// Reads the output of [`export`]; with `salvage`, its undamaged parts.
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
    let how = ReadOptions { exact: exact_vectors, foreign: true, salvage, ..ReadOptions::default() };
    let (library, index, settings) = Library::read(Rc::new(Exported::of(&sections)), how).await?;
    Ok((index, settings, library.lost))
}
