//! The index: inserts and removes documents, seals and merges segments.

use super::chunk_key::ChunkKey;
use super::documents::Prepared;
use super::filter::{Schema, Schemas};
use super::inverted::InvertedIndex;
use super::links::{Titles, link_names};
use super::merge::{self, Breathe};
use super::searcher::Searcher;
use super::segment::{Segment, SegmentId, WordCache};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use vademecum_protocol::error::{Error, Result};
use vademecum_text::terms::Rule;
use vademecum_text::title::bare_title;
use vademecum_util::small_sort::sort_by_key;
use vademecum_vectors::{self as vectors, Graph, Memory, Vectors};

/// The tail is sealed when it holds this many chunks,
const SEAL_CHUNKS: usize = 4096;
/// or this many bytes of text.
const SEAL_BYTES: usize = 8 << 20;

/// Counts of what an index contains.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Number of documents.
    pub documents: usize,
    /// Number of chunks.
    pub chunks: usize,
    /// Number of chunks with a vector.
    pub vectors: usize,
    /// Number of distinct terms, summed over segments.
    pub terms: usize,
}

/// Structure and memory of an index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Shape {
    /// Number of segments, including a non-empty tail.
    pub segments: usize,
    /// Number of deleted chunks that no merge has removed yet.
    pub deleted: usize,
    /// Number of segments with an HNSW graph.
    pub graphs: usize,
    /// Number of segments large enough for a graph that do not have one yet.
    pub graphs_pending: usize,
    /// Bytes taken by vectors.
    pub memory: Memory,
    /// Bytes taken by compressed postings and dictionaries.
    pub words: usize,
}

/// A merge in progress, with snapshots of its source segments.
#[derive(Debug)]
pub struct MergeJob {
    sources: Vec<Rc<Segment>>,
    id: SegmentId,
    exact: bool,
}

/// A finished merge; pass it to [`Index::finish_merge`].
#[derive(Debug)]
pub struct Merged {
    job: MergeJob,
    segment: Segment,
}

/// The documents of a knowledge base, searchable by keyword, vector, metadata and link.
#[derive(Debug)]
pub struct Index {
    pub(super) segments: Vec<Rc<Segment>>,
    pub(super) tail: Rc<Segment>,
    pub(super) cache: WordCache,
    pub(super) schemas: Rc<Schemas>,
    pub(super) next_key: u32,
    pub(super) next_segment: u64,
    pub(super) exact_vectors: bool,
    pub(super) graph_from: usize,
    /// The titles of all documents; loaded on first use.
    pub(super) titles: Option<Titles>,
    /// Per content hash: the key of a chunk, possibly deleted, that has the vector of that content; loaded on
    /// first use.
    pub(super) embedded: Option<FxHashMap<u64, u32>>,
    /// Maximum number of bytes of texts and postings that one merge reads.
    #[cfg(feature = "paging")]
    pub(super) most_merged: usize,
}

impl Default for Index {
    fn default() -> Self {
        Self::new(false)
    }
}

impl Index {
    /// Creates an empty index. `exact_vectors` keeps f32 rows beside the int8 rows, at four times the memory.
    pub fn new(exact_vectors: bool) -> Self {
        Self {
            segments: Vec::new(),
            tail: Rc::new(Segment::empty(SegmentId(0), exact_vectors)),
            cache: WordCache::default(),
            schemas: Rc::default(),
            next_key: 0,
            next_segment: 1,
            exact_vectors,
            graph_from: vectors::GRAPH_FROM,
            titles: None,
            embedded: None,
            #[cfg(feature = "paging")]
            most_merged: usize::MAX,
        }
    }

    /// Sets the rule by which later documents are indexed until the tail is sealed. Default: [`Rule::CURRENT`]; an earlier one
    /// makes what earlier versions made.
    pub fn set_rule(&mut self, rule: Rule) {
        Rc::make_mut(&mut self.tail).rule = rule;
    }

    /// Sets the minimum number of vectors for a segment to get an HNSW graph. Default:
    /// [`vectors::GRAPH_FROM`].
    pub fn set_graph_from(&mut self, vectors: usize) {
        self.graph_from = vectors;
    }

    /// Returns a snapshot for searching.
    pub fn searcher(&self) -> Searcher {
        let tail = (self.tail.len() > 0).then(|| self.tail.clone());
        Searcher {
            segments: self.segments.iter().cloned().chain(tail).collect(),
            schemas: self.schemas.clone(),
            languages: None,
        }
    }

    /// Declares the metadata fields of a collection. The inferred types of all other fields are kept.
    pub fn declare(&mut self, collection: &str, schema: &Schema) {
        let mut learned = schema.clone();
        let searcher = self.searcher();
        for segment in &searcher.segments {
            for (_, document) in segment.live_documents().filter(|(_, one)| one.collection() == collection) {
                learned.observe(&document.metadata());
            }
        }
        drop(searcher);
        Rc::make_mut(&mut self.schemas).insert(collection.into(), learned);
        self.segments.iter_mut().chain([&mut self.tail]).for_each(|one| Rc::make_mut(one).forget_columns());
    }

    /// Returns the metadata fields of a collection.
    pub fn schema(&self, collection: &str) -> Option<&Schema> {
        self.schemas.get(collection)
    }

    /// Inserts documents, each replacing the document of the same id, and returns the keys of their chunks. A
    /// chunk whose content was embedded before gets its vector immediately.
    pub fn insert(&mut self, documents: Vec<Prepared>) -> Vec<ChunkKey> {
        self.announce(&documents);
        self.file(documents)
    }

    /// First half of [`Index::insert`]: finds the existing chunks that mention the titles of documents to
    /// come. One call covers many documents, which [`Index::file`] then inserts a few at a time.
    pub fn announce(&mut self, documents: &[Prepared]) {
        self.load_titles();
        let mut fresh = Titles::default();
        for title in documents.iter().filter_map(|document| bare_title(document.title.as_deref()?)) {
            if self.titles.as_mut().is_some_and(|titles| titles.insert(title)) {
                fresh.insert(title);
            }
        }
        let names = self.chunks_mentioning(&fresh);
        let tail = Rc::make_mut(&mut self.tail);
        Rc::make_mut(&mut tail.names).extend(names);
    }

    /// Second half of [`Index::insert`]: inserts documents passed to [`Index::announce`] before.
    pub fn file(&mut self, documents: Vec<Prepared>) -> Vec<ChunkKey> {
        self.load_embedded();
        let first = self.next_key;
        let mut names: Vec<(u32, u64)> = Vec::new();
        for document in documents {
            self.remove(&document.collection, &document.id);
            if !document.metadata.is_empty() {
                let schemas = Rc::make_mut(&mut self.schemas);
                schemas.entry(document.collection.clone()).observe(&document.metadata);
            }
            names.extend(link_names(&document, self.next_key));
            self.push(document);
        }
        names.extend(self.mentions_of_chunks(first));
        let tail = Rc::make_mut(&mut self.tail);
        Rc::make_mut(&mut tail.names).extend(names);
        (first..self.next_key).map(ChunkKey).collect()
    }

    /// Appends one document to the tail; seals the tail first if it is full.
    pub(super) fn push(&mut self, document: Prepared) {
        if self.tail.len() >= SEAL_CHUNKS || self.tail.documents.text.len() >= SEAL_BYTES {
            self.seal();
            self.load_embedded();
        }
        let key = self.next_key;
        let tail = Rc::make_mut(&mut self.tail);
        let rows = tail.push(document, key, &mut self.cache);
        self.next_key += rows.len() as u32;
        Rc::make_mut(&mut tail.names).documents_changed();
        for row in rows {
            let known = self
                .tail
                .documents
                .chunks
                .get(row as usize)
                .and_then(|chunk| self.embedded.as_ref()?.get(&chunk.hash));
            let Some(known) = known.copied() else { continue };
            let source = self.segments.iter().chain([&self.tail]).find_map(|segment| {
                let from = segment.keys.binary_search(&known).ok()?;
                Some((segment.vectors.alone(from)?, segment.truncated.contains(from)))
            });
            if let Some((vector, truncated)) = source {
                let tail = Rc::make_mut(&mut self.tail);
                Rc::make_mut(&mut tail.vectors).copy(row as usize, &vector, 0);
                if truncated {
                    Rc::make_mut(&mut tail.truncated).insert(row as usize);
                }
                tail.versions.vectors += 1;
            }
        }
    }

    pub(super) fn load_embedded(&mut self) {
        if self.embedded.is_none() {
            let mut known = FxHashMap::default();
            for segment in self.segments.iter().chain([&self.tail]) {
                for row in segment.vectors.present().iter() {
                    if let (Some(chunk), Some(key)) =
                        (segment.documents.chunks.get(row), segment.keys.get(row))
                    {
                        known.insert(chunk.hash, *key);
                    }
                }
            }
            self.embedded = Some(known);
        }
    }

    /// Removes a document and its chunks. Returns whether it existed.
    pub fn remove(&mut self, collection: &str, id: &str) -> bool {
        self.load_titles();
        for segment in self.segments.iter_mut().chain([&mut self.tail]) {
            let Some(row) = segment.find(collection, id) else { continue };
            let title = segment.documents.document(row).and_then(|document| bare_title(document.title()?));
            if let (Some(title), Some(titles)) = (title, &mut self.titles) {
                titles.remove(title);
            }
            return Rc::make_mut(segment).delete(row);
        }
        false
    }

    /// Sets the unit vector of a chunk. Ignores a key whose chunk was removed while the embedder was running.
    ///
    /// # Errors
    /// [`Error::VectorShape`] if the length differs from that of the stored vectors.
    pub fn set_vector(&mut self, key: ChunkKey, vector: &[f32], truncated: bool) -> Result<()> {
        self.check_dimensions(vector.len())?;
        for segment in self.segments.iter_mut().chain([&mut self.tail]) {
            let Some(row) = segment.row(key) else { continue };
            let segment = Rc::make_mut(segment);
            segment.set_vector(row, vector, truncated)?;
            if let (Some(known), Some(chunk)) =
                (&mut self.embedded, segment.documents.chunks.get(row as usize))
            {
                known.insert(chunk.hash, key.0);
            }
            if matches!(*segment.words, InvertedIndex::Sealed(_)) {
                merge::seal_vectors(segment);
            }
        }
        Ok(())
    }

    /// Returns the length of the vectors, if there are any.
    pub fn dimensions(&self) -> Option<usize> {
        self.segments
            .iter()
            .chain([&self.tail])
            .find(|one| one.embedded() > 0)
            .map(|one| one.vectors.dimensions())
    }

    pub(super) fn check_dimensions(&mut self, got: usize) -> Result<()> {
        if let Some(dimensions) = self.dimensions().filter(|dimensions| *dimensions != got) {
            return Err(Error::VectorShape {
                expected: format!("{dimensions} finite numbers a text"),
                got: format!("{got} numbers"),
            });
        }
        // Vectors of another length belong to deleted chunks only, so a different embedder may start over.
        let exact = self.exact_vectors;
        for segment in self.segments.iter_mut().chain([&mut self.tail]) {
            if ![0, got].contains(&segment.vectors.dimensions()) {
                Rc::make_mut(segment).forget_vectors(exact);
                self.embedded = None;
            }
        }
        Ok(())
    }

    /// Drops all vectors, before another embedder replaces them.
    pub fn forget_vectors(&mut self) {
        let exact = self.exact_vectors;
        self.embedded = None;
        for segment in self.segments.iter_mut().chain([&mut self.tail]) {
            let segment = Rc::make_mut(segment);
            segment.forget_vectors(exact);
        }
    }

    /// Returns the live chunks without a vector.
    pub fn without_vector(&self) -> Vec<ChunkKey> {
        let mut keys = Vec::new();
        for segment in self.segments.iter().chain([&self.tail]) {
            let missing = |row: &usize| {
                !segment.vectors.present().contains(*row) && !segment.deleted.chunks().contains(*row)
            };
            keys.extend(
                (0..segment.len())
                    .filter(missing)
                    .filter_map(|row| segment.keys.get(row))
                    .map(|key| ChunkKey(*key)),
            );
        }
        keys
    }

    /// Seals the tail and starts a new one.
    pub fn seal(&mut self) {
        if self.tail.len() == 0 {
            return;
        }
        self.cache = WordCache::default();
        let id = self.segment_id();
        let mut sealed =
            std::mem::replace(&mut self.tail, Rc::new(Segment::empty(SegmentId(0), self.exact_vectors)));
        let segment = Rc::make_mut(&mut sealed);
        segment.id = id;
        segment.seal();
        merge::seal_vectors(segment);
        if segment.is_needed() {
            self.segments.push(sealed);
        } else {
            self.embedded = None;
        }
    }

    pub(super) fn segment_id(&mut self) -> SegmentId {
        let id = SegmentId(self.next_segment);
        self.next_segment += 1;
        id
    }

    /// Returns the next merge to run, if any.
    pub fn next_merge(&mut self) -> Option<MergeJob> {
        let sources = merge::candidates(
            &self.segments,
            self.graph_from,
            #[cfg(feature = "paging")]
            self.most_merged,
        )?;
        Some(MergeJob { sources, id: self.segment_id(), exact: self.exact_vectors })
    }

    /// Replaces the source segments of a merge by the merged one, applying what changed in them meanwhile.
    pub fn finish_merge(&mut self, merged: Merged) {
        let Merged { job, mut segment } = merged;
        let is_source = |one: &Rc<Segment>| job.sources.iter().any(|source| source.id == one.id);
        let now: Vec<Rc<Segment>> = self.segments.iter().filter(|one| is_source(one)).cloned().collect();
        if now.len() < job.sources.len() {
            return; // the index was replaced during the merge
        }
        merge::catch_up(&mut segment, &job.sources, &now);
        self.embedded = None; // it may refer to a vector that is gone
        self.segments.retain(|one| !is_source(one));
        if segment.is_needed() {
            self.segments.push(Rc::new(segment));
            sort_by_key(&mut self.segments, |segment| segment.keys.first().copied());
        }
    }

    /// Returns the id and vectors of a segment that is large enough for an HNSW graph and has none.
    pub fn next_graph(&self) -> Option<(SegmentId, Rc<Vectors>)> {
        let lacks = |one: &&Rc<Segment>| one.lacks_graph(self.graph_from);
        self.segments.iter().find(lacks).map(|one| (one.id, one.vectors.clone()))
    }

    /// Attaches a graph to its segment. Returns false if the segment is gone or its vectors differ from those
    /// the graph was built over.
    pub fn set_graph(&mut self, id: SegmentId, graph: Graph) -> bool {
        let from = self.graph_from;
        let Some(segment) = self.segments.iter_mut().find(|one| one.id == id && one.lacks_graph(from)) else {
            return false;
        };
        let segment = Rc::make_mut(segment);
        let fits = Rc::make_mut(&mut segment.vectors).set_graph(graph);
        segment.versions.graph += u32::from(fits);
        fits
    }

    /// Counts what the index contains, in all collections or in one.
    pub fn size(&self, collection: Option<&str>) -> Size {
        let mut size = Size::default();
        for segment in self.segments.iter().chain([&self.tail]) {
            size.terms += segment.words.terms();
            let all =
                collection.is_none_or(|name| segment.documents.collections.iter().all(|one| **one == *name));
            if all {
                size.documents +=
                    segment.documents.rows.len().saturating_sub(segment.deleted.documents().count());
                size.chunks += segment.live();
                size.vectors += segment.embedded();
                continue;
            }
            for (_, document) in
                segment.live_documents().filter(|(_, one)| Some(one.collection()) == collection)
            {
                size.documents += 1;
                size.chunks += document.row.chunks.len();
                let present = |row: &u32| segment.vectors.present().contains(*row as usize);
                size.vectors += document.row.chunks.clone().filter(present).count();
            }
        }
        size
    }

    /// Reports structure and memory.
    pub fn shape(&self) -> Shape {
        let mut shape = Shape::default();
        for segment in self.segments.iter().chain([&self.tail]).filter(|one| one.len() > 0) {
            shape.segments += 1;
            shape.deleted += segment.deleted.chunks().count();
            shape.graphs += usize::from(segment.vectors.graph().is_some());
            shape.graphs_pending += usize::from(segment.lacks_graph(self.graph_from));
            shape.words += segment.words.memory();
            let memory = segment.vectors.memory();
            shape.memory.vectors += memory.vectors;
            shape.memory.sketch += memory.sketch;
            shape.memory.graph += memory.graph;
        }
        shape
    }
}

impl MergeJob {
    /// Runs the merge, awaiting `breathe` every few hundred terms so that other tasks can proceed. `None` if a source could not be read
    /// from its file.
    pub async fn run(self, breathe: Breathe<'_>) -> Option<Merged> {
        #[cfg(feature = "paging")]
        let failures = self.failures();
        let segment = merge::merge(&self.sources, self.id, self.exact, breathe).await;
        #[cfg(feature = "paging")]
        if self.failures() > failures {
            return None;
        }
        Some(Merged { job: self, segment })
    }

    #[cfg(feature = "paging")]
    fn failures(&self) -> usize {
        self.sources.iter().map(|source| source.documents.text.failures()).sum()
    }
}
