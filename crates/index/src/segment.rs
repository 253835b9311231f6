//! Segments: documents with their inverted index, vectors, links and metadata. The tail takes new documents;
//! a sealed segment changes only by tombstones, and by vectors that were still being computed when it was
//! sealed.
//!
//! Every part is behind an `Rc` and copied on write while a snapshot still reads it.

use super::chunk_key::ChunkKey;
use super::deleted::Deleted;
use super::documents::{Documents, Prepared, StoredChunk, StoredDocument};
use super::filter::{Columns, Schema, Schemas};
use super::inverted::{InvertedIndex, OpenInvertedIndex};
use super::links::{Names, Titles};
use super::standalone::{TermCache, term_numbers};
use super::vectors::Vectors;
use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;
use vademecum_text::terms::{Analyzer, Bigrams, Language, Rule, is_unspaced, words};
use vademecum_util::vec_map;

/// Term frequency weight of a word in the title; a word of the text has weight 1.
const TITLE_WEIGHT: u32 = 3;
/// Term frequency weight of a word in a heading, or in a table's header row.
const HEADING_WEIGHT: u32 = 1;

/// Identifies a segment within a library; never reused.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize,
)]
pub struct SegmentId(pub u64);

/// A searchable set of documents.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub(super) id: SegmentId,
    pub(super) documents: Rc<Documents>,
    /// The key of each chunk, ascending.
    pub(super) keys: Rc<Vec<u32>>,
    pub(super) words: Rc<InvertedIndex>,
    /// The rule by which `words` was built.
    pub(super) rule: Rule,
    pub(super) names: Rc<Names>,
    pub(super) vectors: Rc<Vectors>,
    /// Chunks whose text was longer than the encoder's input.
    pub(super) truncated: Rc<super::bitmap::Bitmap>,
    pub(super) deleted: Rc<Deleted>,
    /// Change counters of the mutable parts, compared by a save.
    pub(super) versions: Versions,
    pub(super) columns: OnceCell<Rc<Columns>>,
    /// What remains without documents marked `neverSend`; computed on first use.
    pub(super) sendable: OnceCell<Rc<Sendable>>,
}

/// Change counters of the parts that may change after sealing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Versions {
    pub(super) vectors: u32,
    pub(super) graph: u32,
    pub(super) deleted: u32,
}

/// The term numbers of words already seen in one language, kept while the tail is filled.
#[derive(Debug)]
struct Vocabulary {
    language: Language,
    analyzer: Analyzer,
    seen: TermCache,
}

impl Vocabulary {
    /// Counts the terms of a chunk. Returns its length in words, which does not depend on the rule.
    fn count(&mut self, open: &mut OpenInvertedIndex, chunk: &StoredChunk<'_>, row: u32, rule: Rule) -> u32 {
        let mut length: u32 = 0;
        for (field, weight) in fields(chunk) {
            let mut bigrams = Bigrams::default();
            for (start, word) in words(field) {
                let numbers = term_numbers(word, open, &self.analyzer, &mut self.seen);
                numbers.iter().for_each(|number| open.count(*number, row, weight));
                length = weight.saturating_mul(numbers.len() as u32).saturating_add(length);
                if rule == Rule::Bigrams {
                    bigrams.add(start, word, &self.analyzer, &mut |term| {
                        let number = open.number(term);
                        open.count(number, row, weight);
                    });
                }
            }
        }
        length
    }
}

/// A segment without the documents marked `neverSend`.
#[derive(Debug, Clone, Default)]
pub(super) struct Sendable {
    /// The segment's tombstones, extended by the documents marked `neverSend`.
    pub(super) deleted: Rc<Deleted>,
    /// The metadata fields of the remaining documents, per collection.
    pub(super) schemas: Schemas,
    pub(super) languages: Vec<Language>,
}

/// Vocabularies per language.
#[derive(Debug, Default)]
pub(super) struct WordCache(Vec<Vocabulary>);

impl WordCache {
    fn of(&mut self, language: Language) -> Option<&mut Vocabulary> {
        let at = self.0.iter().position(|one| one.language == language).unwrap_or_else(|| {
            let seen = TermCache::default();
            self.0.push(Vocabulary { language, analyzer: Analyzer::new(language), seen });
            self.0.len() - 1
        });
        self.0.get_mut(at)
    }
}

impl Segment {
    /// Creates an empty segment.
    pub(super) fn empty(id: SegmentId, exact_vectors: bool) -> Self {
        Self {
            id,
            documents: Rc::default(),
            keys: Rc::default(),
            words: Rc::new(InvertedIndex::open()),
            rule: Rule::CURRENT,
            names: Rc::default(),
            vectors: Rc::new(Vectors::new(exact_vectors)),
            truncated: Rc::default(),
            deleted: Rc::default(),
            versions: Versions::default(),
            columns: OnceCell::new(),
            sendable: OnceCell::new(),
        }
    }

    /// Appends a document, whose chunks get consecutive keys from `key` on. Only valid for the tail.
    pub(super) fn push(&mut self, document: Prepared, key: u32, cache: &mut WordCache) -> Range<u32> {
        self.columns.take();
        self.sendable.take();
        let language = document.language;
        let documents = Rc::make_mut(&mut self.documents);
        let chunks = documents.push(document);
        Rc::make_mut(&mut self.keys).extend(key..key + chunks.len() as u32);
        if let (InvertedIndex::Open(open), Some(vocabulary)) =
            (Rc::make_mut(&mut self.words), cache.of(language))
        {
            for row in chunks.clone() {
                let chunk = documents.chunk(row, false);
                let length = chunk.map_or(0, |chunk| vocabulary.count(open, &chunk, row, self.rule));
                documents.lengths.push(length);
                documents.length.take();
            }
        }
        chunks
    }

    /// Compresses the inverted index.
    pub(super) fn seal(&mut self) {
        if let InvertedIndex::Open(_) = *self.words {
            let lengths = &self.documents.lengths;
            let sealed = self.words.sealed(&|chunk| lengths.get(chunk as usize).copied().unwrap_or_default());
            if !self.deleted.is_empty() {
                // Sealing renumbers the terms.
                let moved = self.words.renumbered(&sealed);
                Rc::make_mut(&mut self.deleted).renumber(|term| moved.get(&term).copied());
            }
            self.sendable.take();
            self.words = Rc::new(InvertedIndex::Sealed(sealed));
        }
    }

    /// Adds a chunk to an inverted index by the current rule.
    pub(super) fn index_again(&self, row: u32, open: &mut OpenInvertedIndex, cache: &mut WordCache) {
        let Some(chunk) = self.documents.chunk(row, false) else { return };
        if let Some(vocabulary) = cache.of(chunk.document.row.language) {
            vocabulary.count(open, &chunk, row, Rule::CURRENT);
        }
    }

    /// Returns whether a text contains a letter of a script of which the rules make different terms.
    pub(super) fn is_unspaced(&self) -> bool {
        let mut chunks = (0..self.len() as u32).filter_map(|row| self.documents.chunk(row, false));
        chunks.any(|chunk| fields(&chunk).any(|(field, _)| field.contains(is_unspaced)))
    }

    /// Deletes a document. Returns whether it was live.
    pub(super) fn delete(&mut self, row: u32) -> bool {
        let mut deleted = std::mem::take(&mut self.deleted);
        let was_there = self.add_tombstones(Rc::make_mut(&mut deleted), row);
        self.deleted = deleted;
        if was_there {
            self.sendable.take();
            self.versions.deleted += 1;
        }
        was_there
    }

    /// Adds a document to the tombstones, with its contribution to the statistics. Returns whether it was not
    /// among them.
    pub(super) fn add_tombstones(&self, deleted: &mut Deleted, row: u32) -> bool {
        let Some(document) = self.documents.rows.get(row as usize) else { return false };
        let analyzer = Analyzer::new(document.language);
        if !deleted.document(row) {
            return false;
        }
        for at in document.chunks.clone() {
            let Some(chunk) = self.documents.chunk(at, false) else { continue };
            let mut numbers = Vec::new();
            for (field, _) in fields(&chunk) {
                let mut bigrams = Bigrams::default();
                for (start, word) in words(field) {
                    let mut add = |term: &str| numbers.extend(self.words.number(term));
                    analyzer.word(word, &mut add);
                    if self.rule == Rule::Bigrams {
                        bigrams.add(start, word, &analyzer, &mut add);
                    }
                }
            }
            let length = self.documents.lengths.get(at as usize).copied().unwrap_or_default();
            deleted.chunk(at, length, vec_map::set(numbers).into_iter());
        }
        true
    }

    /// Returns the number of chunks, including deleted ones.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns the number of live chunks that contain a term.
    pub(super) fn live_count(&self, term: &str) -> usize {
        let gone = self.words.number(term).map_or(0, |number| self.deleted.count_of(number));
        self.words.count(term).saturating_sub(gone)
    }

    /// Returns the number of live chunks.
    pub(super) fn live(&self) -> usize {
        self.len().saturating_sub(self.deleted.chunks().count())
    }

    /// Returns whether it has live chunks, or mentions by chunks of other segments.
    pub(super) fn is_needed(&self) -> bool {
        self.live() > 0 || self.names.all().any(|(key, _)| self.keys.binary_search(&key).is_err())
    }

    /// Returns the number of live chunks with a vector.
    pub(super) fn embedded(&self) -> usize {
        let mut present = self.vectors.present().clone();
        present.subtract(self.deleted.chunks());
        present.count()
    }

    /// Returns the row of a live chunk.
    pub(super) fn row(&self, key: ChunkKey) -> Option<u32> {
        let row = self.keys.binary_search(&key.0).ok()?;
        (!self.deleted.chunks().contains(row)).then_some(row as u32)
    }

    /// Returns the row of a live document.
    pub(super) fn find(&self, collection: &str, id: &str) -> Option<u32> {
        let row = self.documents.find(collection, id)?;
        (!self.deleted.documents().contains(row as usize)).then_some(row)
    }

    /// Returns a chunk by row.
    pub(super) fn chunk(&self, row: u32) -> Option<StoredChunk<'_>> {
        self.documents.chunk(row, self.truncated.contains(row as usize))
    }

    /// Iterates over the live documents and their rows.
    pub(super) fn live_documents(&self) -> impl Iterator<Item = (u32, StoredDocument<'_>)> {
        (0..self.documents.rows.len() as u32)
            .filter(|row| !self.deleted.documents().contains(*row as usize))
            .filter_map(|row| Some((row, self.documents.document(row)?)))
    }

    /// Returns the metadata of its documents by field; built on first use.
    pub(super) fn columns(&self, schemas: &Schemas) -> &Columns {
        self.columns.get_or_init(|| {
            let none = Schema::default();
            let mut columns = Columns::default();
            for document in
                (0..self.documents.rows.len() as u32).filter_map(|row| self.documents.document(row))
            {
                columns.push(&document.metadata(), schemas.get(document.collection()).unwrap_or(&none));
            }
            Rc::new(columns)
        })
    }

    /// Drops the metadata columns after a schema change.
    pub(super) fn forget_columns(&mut self) {
        self.columns.take();
    }

    /// Returns whether it has at least `from` chunks, all vectors, and no graph yet.
    pub(super) fn lacks_graph(&self, from: usize) -> bool {
        self.live() >= from && self.vectors.is_sealed() && self.vectors.graph().is_none()
    }

    /// Returns the rows below `end` of chunks of documents whose text contains one of the titles.
    pub(super) fn rows_possibly_mentioning<'a>(
        &self,
        titles: impl Iterator<Item = &'a str>,
        end: usize,
    ) -> Vec<usize> {
        let titles: Vec<&str> = titles.collect();
        if titles.is_empty() {
            return Vec::new();
        }
        // A failed read is recorded; nothing is saved after it.
        let texts = self.documents.text.whole().unwrap_or_default();
        let may_mention = |text: &str| titles.iter().any(|title| text.contains(title));
        self.live_documents()
            .take_while(|(_, document)| (document.row.chunks.start as usize) < end)
            .filter(|(_, document)| may_mention(document.text_in(&texts)))
            .flat_map(|(_, document)| document.row.chunks.clone())
            .map(|row| row as usize)
            .collect()
    }

    /// Drops its vectors and truncation flags.
    pub(super) fn forget_vectors(&mut self, exact: bool) {
        self.vectors = Rc::new(Vectors::new(exact));
        self.truncated = Rc::default();
        self.versions.vectors += 1;
    }

    /// Appends the titles mentioned by the given rows, with the chunks' keys.
    pub(super) fn mentions_in(
        &self,
        titles: &Titles,
        rows: impl IntoIterator<Item = usize>,
        names: &mut Vec<(u32, u64)>,
    ) {
        for row in rows {
            if let (Some(key), Some(chunk)) = (self.keys.get(row), self.chunk(row as u32)) {
                names.extend(titles.named_in(chunk.text()).into_iter().map(|name| (*key, name)));
            }
        }
    }

    /// Sets the vector of a chunk.
    pub(super) fn set_vector(
        &mut self,
        row: u32,
        vector: &[f32],
        truncated: bool,
    ) -> vademecum_protocol::error::Result<()> {
        Rc::make_mut(&mut self.vectors).set(row as usize, vector)?;
        if truncated {
            Rc::make_mut(&mut self.truncated).insert(row as usize);
        }
        self.versions.vectors += 1;
        Ok(())
    }
}

/// Returns the indexed fields of a chunk with their weights, which apply to its length as well.
pub(super) fn fields<'a>(chunk: &StoredChunk<'a>) -> impl Iterator<Item = (&'a str, u32)> {
    let title = chunk.document.title().map(|title| (beginning(title), TITLE_WEIGHT));
    let headings = chunk.headings().iter().map(|heading| (heading.as_str(), HEADING_WEIGHT));
    let context = chunk.context().map(|row| (row, HEADING_WEIGHT));
    [(chunk.text(), 1)].into_iter().chain(title).chain(headings).chain(context)
}

/// Cuts a title to the length that is indexed: it is indexed with every chunk of its document.
pub(super) fn beginning(title: &str) -> &str {
    const MOST: usize = 512;
    title.get(..title.floor_char_boundary(MOST)).unwrap_or(title)
}
