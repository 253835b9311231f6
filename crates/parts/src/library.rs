//! A library in parts, opened for reading.

use crate::errors::{manifest_invalid, part_damaged};
use crate::manifest::Manifest;
use crate::name::PartName;
use crate::read::admitted::Tables;
#[cfg(not(feature = "small"))]
use crate::read::ahead::Ahead;
use crate::read::blocks::Blocks;
use crate::read::lengths::KnownLengths;
use crate::read::texts;
use crate::read::tree::Tree;
use crate::read::vectors::VectorSections;
use crate::read::words::TermSections;
use crate::request::{DocumentView, Part};
use crate::source::Source;
use crate::tables;
#[cfg(not(feature = "small"))]
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use vademecum_protocol::document::{Document, SUMMARY};
use vademecum_protocol::error::{Error, Result};
use vademecum_text::nearest::nearest;

/// Options of the reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Maximum size of the decompressed blocks that are kept in memory, in bytes. Default: 64 MB.
    pub max_memory: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_memory: 64 << 20 }
    }
}

/// A library in parts. Cheap to open: nothing is read before the first question.
pub struct Library {
    pub(crate) manifest: Manifest,
    pub(crate) blocks: Blocks,
    pub(crate) terms: TermSections,
    pub(crate) lengths: KnownLengths,
    pub(crate) tables: Tables,
    pub(crate) texts: Option<Tree>,
    pub(crate) vectors: Option<VectorSections>,
    /// What is read ahead; `None` before that is known.
    #[cfg(not(feature = "small"))]
    pub(crate) ahead: RefCell<Option<Ahead>>,
    parts: Option<Tree>,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Library")
            .field("fingerprint", &self.manifest.fingerprint)
            .finish_non_exhaustive()
    }
}

impl Library {
    /// Opens a library by the bytes of its manifest.
    ///
    /// # Errors
    /// `manifest_invalid`; [`Error::LibraryNewer`] if a later version wrote it.
    pub fn open(manifest: &[u8], source: Rc<dyn Source>, options: &Options) -> Result<Self> {
        let manifest = Manifest::parse(manifest)?;
        let tree = |name: &str| manifest.sections.get(name).map(Tree::of).transpose();
        let (terms, completions) = (tree("terms")?, tree("completions")?);
        let (documents, columns, ids) = (tree("documents")?, tree("columns")?, tree("ids")?);
        let (texts, parts) = (tree("texts")?, tree("parts")?);
        if manifest.chunks > 0 && (texts.is_none() || documents.is_none() || ids.is_none()) {
            return Err(manifest_invalid("it has chunks, but lacks a section of them"));
        }
        let cells = (tree("centroids")?, tree("sketches")?, tree("cells")?);
        let vectors = match (&manifest.cells, &manifest.embedder, cells) {
            (Some(cells), Some(embedder), (Some(centroids), Some(sketches), Some(by_key))) => {
                let trees = [centroids, sketches, by_key];
                Some(VectorSections::new(embedder.dimensions, cells.clone(), trees))
            }
            (None, None, _) => None,
            _ => return Err(manifest_invalid("it has vectors, but lacks a section of them")),
        };
        Ok(Self {
            blocks: Blocks::new(source, options.max_memory),
            terms: TermSections { terms, completions },
            lengths: KnownLengths::new(manifest.next_key, options.max_memory, tree("lengths")?),
            tables: Tables { documents, columns, ids },
            texts,
            vectors,
            #[cfg(not(feature = "small"))]
            ahead: RefCell::default(),
            parts,
            manifest,
        })
    }

    /// Returns the manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the bytes that decoded blocks and known lengths take in memory.
    pub fn memory(&self) -> usize {
        self.blocks.memory() + self.lengths.memory()
    }

    /// Returns a document with its plain text and its chunks.
    ///
    /// # Errors
    /// [`Error::UnknownCollection`], [`Error::UnknownDocument`], `part_missing`, `part_damaged`.
    pub async fn document(&self, collection: &str, id: &str) -> Result<DocumentView> {
        self.known(collection)?;
        let unknown = || Error::UnknownDocument { collection: collection.to_owned(), id: id.to_owned() };
        let texts = self.texts.as_ref().ok_or_else(unknown)?;
        let keys = self.tables.keys_of(&self.blocks, collection, &[id.to_owned()]).await?;
        for key in keys {
            let stretches = texts::document(texts, &self.blocks, key).await?;
            let Some(first) = stretches.first() else { continue };
            let name =
                self.manifest.collections.get(first.collection as usize).map(|info| info.name.as_str());
            if first.id != id || name != Some(collection) {
                continue;
            }
            let unsound = || part_damaged("of texts", "the blocks of a document do not fit together");
            let mut text = Vec::new();
            for one in &stretches {
                // Stretches overlap where chunks do.
                let known = text.len().checked_sub(one.offset as usize).ok_or_else(unsound)?;
                text.extend_from_slice(one.text.as_bytes().get(known..).unwrap_or_default());
            }
            let text = String::from_utf8(text).map_err(|_| unsound())?;
            let chunk = |at| stretches.iter().find_map(|one| one.chunk(key.checked_add(at)?, collection));
            let chunks: Option<Vec<_>> = (0..first.chunks_in_all).map(chunk).collect();
            let chunks = chunks.filter(|_| text.len() == first.length_in_all as usize).ok_or_else(unsound)?;
            let mut metadata = first.metadata();
            let summary = metadata.remove(SUMMARY).and_then(|summary| summary.as_str().map(str::to_owned));
            let (title, url) = (first.title.clone(), first.url.clone());
            let id = first.id.clone();
            let document = Document { id, title, url, text, pages: None, format: None, summary, metadata };
            return Ok(DocumentView { document, chunks });
        }
        Err(unknown())
    }

    /// Lists all parts, for keeping the library on this device.
    ///
    /// # Errors
    /// `part_missing`, `part_damaged`.
    pub async fn parts(&self) -> Result<Vec<Part>> {
        let Some(tree) = &self.parts else { return Ok(Vec::new()) };
        let mut all: BTreeMap<PartName, u32> = tree.parts(&self.blocks).await?.into_iter().collect();
        for (_, block) in tree.read_range::<Vec<u8>>(&self.blocks, (Vec::new(), vec![0xff; 17])).await? {
            let parts = tables::decode_parts(&block);
            all.extend(parts.ok_or_else(|| part_damaged("of parts", "a list of parts does not decode"))?);
        }
        let part = |(name, bytes): (PartName, u32)| Part { name: name.to_string(), path: name.path(), bytes };
        Ok(all.into_iter().map(part).collect())
    }

    /// Returns the centroids, and the number of vectors that they were computed from.
    #[cfg(feature = "write")]
    pub(crate) async fn trained(&self) -> Result<Option<(crate::cells::codes::Centroids, usize)>> {
        let Some(vectors) = &self.vectors else { return Ok(None) };
        let directory = vectors.directory(&self.blocks).await?;
        Ok(Some((directory.centroids.clone(), vectors.cells.trained_on)))
    }

    /// Returns the number of a collection.
    ///
    /// # Errors
    /// [`Error::UnknownCollection`].
    pub(crate) fn known(&self, name: &str) -> Result<usize> {
        let infos = &self.manifest.collections;
        if let Some(at) = infos.iter().position(|info| info.name == name) {
            return Ok(at);
        }
        let names: Vec<&str> = infos.iter().map(|info| info.name.as_str()).collect();
        let nearest = nearest(name, names.iter().copied())
            .map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
        Err(Error::UnknownCollection { name: name.to_owned(), nearest, known: names.join(", ") })
    }
}
