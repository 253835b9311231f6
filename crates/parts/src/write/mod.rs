//! The writer: from a snapshot of an index to a folder with a manifest and parts.
//!
//! The same library gives the same bytes, and an update leaves unchanged parts alone: chunks are numbered by their keys, which are
//! never reused, blocks and parts end where hashes of their contents say, and cells keep their centroids until the library has
//! grown by half. Parts are written first and the manifest last, by a rename, so that a reader sees the old library or the new one.

mod failed;
mod kmeans;
mod layout;
mod parts;
mod sections;
mod texts;
mod tree;
mod vectors;
mod words;

use crate::errors::FORMAT;
use crate::folder::FolderSource;
use crate::library::{Library, Options};
use crate::manifest::{CollectionInfo, EmbedderInfo, Manifest};
use crate::name::{PartName, first};
use crate::page::Entry;
use crate::tables;
use failed::storage_failed;
use futures_util::future::LocalBoxFuture;
use layout::Layout;
use parts::{Folder, Packer};
use sections::Sections;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::rc::Rc;
use vademecum_index::Searcher;
use vademecum_index::export::ExportedChunk;
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::relevance::Calibration;
use vademecum_text::terms::Language;

/// What is published.
#[derive(Debug)]
pub struct Content<'a> {
    /// A snapshot, without the documents that must not leave this device.
    pub searcher: &'a Searcher,
    /// Id of the embedder of the vectors, if there are any and it has one.
    pub embedder: Option<String>,
    /// Name, description and language of each collection.
    pub collections: Vec<Described>,
    /// Cosines to expect, if known.
    pub calibration: Option<Calibration>,
}

/// A collection as it was declared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Described {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// The language by which its words are stemmed.
    pub language: Option<Language>,
}

/// Options of the writer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PublishOptions {
    /// Whether parts are removed that neither this version of the library nor the one before has.
    pub prune: bool,
    /// Number of cells of vectors. Default: by the number of vectors.
    pub cells: Option<usize>,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// Number of documents.
    pub documents: usize,
    /// Number of chunks.
    pub chunks: usize,
    /// Number of parts, and their summed length.
    pub parts: usize,
    /// Summed length of the parts.
    pub bytes: u64,
    /// Number of parts that were not there before.
    pub new_parts: usize,
    /// Summed length of these.
    pub new_bytes: u64,
    /// Number of parts that were removed.
    pub removed: usize,
    /// Length of the manifest.
    pub manifest_bytes: usize,
}

/// Writes a library into a folder: `manifest.json` and `parts`. What an earlier version left there and is unchanged stays.
///
/// # Errors
/// `storage_failed`; [`Error::LibraryNewer`] if a later version of the format is there.
pub fn publish(content: &Content<'_>, path: &Path, options: PublishOptions) -> Result<Published> {
    let manifest_path = path.join("manifest.json");
    let before = match fs::read(&manifest_path) {
        Ok(bytes) => match Library::open(&bytes, Rc::new(FolderSource::new(path)), &Options::default()) {
            Ok(library) => Some(library),
            Err(error @ Error::LibraryNewer { .. }) => return Err(error),
            // A damaged manifest is replaced; a folder with another file of that name is not one of parts.
            Err(_) => None,
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(storage_failed(&manifest_path, &error)),
    };
    let mut folder = Folder::open(path)?;
    let chunks = content.searcher.export();
    let layout = Layout::of(chunks.len(), options.cells);
    let dimensions = chunks.iter().find_map(|one| one.vector()).map_or(0, |vector| vector.len());
    let id = content.embedder.clone().unwrap_or_default();
    let embedder = (dimensions > 0).then_some(EmbedderInfo { id, dimensions });
    let collections = collections(content, &chunks);
    let names: Vec<String> = collections.iter().map(|one| one.name.clone()).collect();
    let mut sections = Sections::default();
    let lengths: HashMap<u32, u32> = chunks.iter().map(|one| (one.key, one.length)).collect();
    words::write(&mut folder, &layout, content.searcher, &lengths, &mut sections)?;
    words::write_lengths(&mut folder, &layout, &lengths, &mut sections)?;
    texts::write(&mut folder, &layout, &chunks, &names, &mut sections)?;
    let same =
        before.as_ref().filter(|before| options.cells.is_none() && before.manifest().embedder == embedder);
    let earlier = same.and_then(|before| now(Box::pin(before.trained())).ok().flatten());
    let earlier = earlier.map(|(centroids, trained_on)| vectors::Earlier { centroids, trained_on });
    let (vectors, cells) = match embedder {
        Some(_) => vectors::write(&mut folder, &layout, &chunks, dimensions, earlier, &mut sections)?,
        None => (0, None),
    };
    write_parts(&mut folder, &layout, &mut sections)?;
    let documents = collections.iter().map(|one| one.documents).sum();
    let mut manifest = Manifest {
        format: FORMAT,
        fingerprint: String::new(),
        embedder,
        documents,
        chunks: chunks.len(),
        vectors,
        length: chunks.iter().map(|one| u64::from(one.length)).sum(),
        next_key: chunks.last().map_or(0, |one| one.key.saturating_add(1)),
        rule: content.searcher.rule(),
        languages: content.searcher.languages(),
        collections,
        calibration: content.calibration,
        cells,
        sections: sections.0,
    };
    let encode = |manifest: &Manifest| {
        serde_json::to_vec(manifest).map_err(|error| Error::internal(format!("The manifest: {error}")))
    };
    let hash: [u8; 8] = first(&encode(&manifest)?);
    manifest.fingerprint = format!("{:016x}", u64::from_be_bytes(hash));
    let bytes = encode(&manifest)?;
    // Listed before the manifest is replaced, since its parts are kept for readers that still have it.
    let kept: Option<BTreeSet<String>> = match &before {
        Some(before) => {
            now(Box::pin(before.parts())).ok().map(|parts| parts.into_iter().map(|part| part.name).collect())
        }
        None => Some(BTreeSet::new()),
    };
    parts::write(&manifest_path, &bytes)?;
    let removed = match kept.filter(|_| options.prune) {
        Some(kept) => prune(path, &folder, &kept)?,
        None => 0,
    };
    Ok(Published {
        documents,
        chunks: manifest.chunks,
        parts: folder.parts.len(),
        bytes: folder.parts.values().map(|size| u64::from(*size)).sum(),
        new_parts: folder.new_parts,
        new_bytes: folder.new_bytes,
        removed,
        manifest_bytes: bytes.len(),
    })
}

/// Runs what reads a folder, which never waits.
fn now<T>(mut future: LocalBoxFuture<'_, Result<T>>) -> Result<T> {
    use std::task::{Context, Poll, Waker};
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => Err(Error::internal("A read of a folder was left pending.".to_owned())),
    }
}

fn collections(content: &Content<'_>, chunks: &[ExportedChunk<'_>]) -> Vec<CollectionInfo> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for one in chunks {
        let (documents, of_chunks) = counts.entry(one.chunk.document.collection()).or_default();
        *documents += usize::from(one.chunk.ordinal == 0);
        *of_chunks += 1;
    }
    let declared: BTreeMap<&str, &Described> =
        content.collections.iter().map(|one| (one.name.as_str(), one)).collect();
    let names: BTreeSet<&str> = counts.keys().chain(declared.keys()).copied().collect();
    let info = |name: &str| {
        let described = declared.get(name).copied().cloned().unwrap_or_default();
        let (documents, chunks) = counts.get(name).copied().unwrap_or_default();
        CollectionInfo {
            name: name.to_owned(),
            description: described.description,
            language: described.language,
            schema: content.searcher.schema_of(name).cloned().unwrap_or_default(),
            documents,
            chunks,
        }
    };
    names.into_iter().map(info).collect()
}

/// Writes the list of all parts but those of the list itself, which a reader meets while it reads the list.
fn write_parts(folder: &mut Folder, layout: &Layout, sections: &mut Sections) -> Result<()> {
    let all: Vec<(PartName, u32)> = folder.parts.iter().map(|(name, size)| (*name, *size)).collect();
    let mut packer = Packer::new(folder, layout.tables);
    let mut keys = Vec::new();
    for some in all.chunks(512) {
        keys.extend(some.first().map(|one| one.0.0.to_vec()));
        packer.push(&crate::block::pack(&tables::encode::parts(some)))?;
    }
    let blocks = packer.finish()?;
    let entries = keys.into_iter().zip(blocks).map(|(key, block)| Entry { key, block }).collect();
    sections.add("parts", folder, entries, layout)
}

fn prune(path: &Path, folder: &Folder, kept: &BTreeSet<String>) -> Result<usize> {
    let parts = path.join("parts");
    let files = fs::read_dir(&parts).map_err(|error| storage_failed(&parts, &error))?;
    let mut removed = 0;
    for file in files.flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        let Some(part) = name.strip_suffix(".bin").and_then(PartName::parse) else { continue };
        if !folder.parts.contains_key(&part) && !kept.contains(&part.to_string()) {
            fs::remove_file(file.path()).map_err(|error| storage_failed(&file.path(), &error))?;
            removed += 1;
        }
    }
    Ok(removed)
}
