//! The document store of a segment: rows of documents and chunks that point into one string.

use super::never_sent_prints::{NeverSentPrint, NeverSentPrints};
use super::texts::{Texts, slice};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cell::{OnceCell, Ref, RefCell};
use std::ops::Range;
use std::rc::Rc;
use vademecum_protocol::document::{Chunk, SUMMARY, Span, chunk_id, is_never_sent};
use vademecum_text::chunk::{Piece, embedded_text};
use vademecum_text::shingles::Fingerprint;
use vademecum_text::terms::Language;
use xxhash_rust::xxh3::xxh3_64;

/// A document that has been parsed and chunked, ready to be inserted.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// Unique within its collection.
    pub id: String,
    /// The name of its collection.
    pub collection: Rc<str>,
    /// Title.
    pub title: Option<String>,
    /// URL.
    pub url: Option<String>,
    /// The plain text that the pieces refer to.
    pub text: String,
    /// The chunks, in text order.
    pub pieces: Vec<Piece>,
    /// Link targets, each with the byte offset of the link in the text.
    pub links: Vec<(usize, String)>,
    /// User metadata.
    pub metadata: serde_json::Map<String, serde_json::Value>,
    /// The language whose stemmer and stop words are applied.
    pub language: Language,
}

/// One row per document.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct DocumentRow {
    /// Unique within its collection.
    pub id: Box<str>,
    /// Index into the segment's collections.
    collection: u32,
    /// Title.
    pub title: Option<Box<str>>,
    /// URL.
    pub url: Option<Box<str>>,
    /// User metadata as JSON; empty if there is none.
    metadata: Box<str>,
    text: Range<u32>,
    /// The rows of its chunks.
    pub(super) chunks: Range<u32>,
    /// The language whose stemmer and stop words are applied.
    pub language: Language,
}

/// One row per chunk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ChunkRow {
    /// The row of its document.
    pub(super) document: u32,
    bytes: Range<u32>,
    utf16: Range<u32>,
    /// Index into the segment's sections.
    section: u32,
    /// The page on which it begins, counted from 1.
    page: Option<u32>,
    /// Hash of the text that is embedded for it.
    pub(super) hash: u64,
}

/// What neighbouring chunks share.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Section {
    /// The headings above, outermost first.
    headings: Vec<String>,
    /// The header row of the table that the chunk continues.
    context: Option<Box<str>>,
    /// Text prepended to the chunk before it is embedded.
    prefix: Box<str>,
}

/// All rows of a segment.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Documents {
    pub(super) text: Texts,
    pub(super) collections: Vec<Rc<str>>,
    /// The distinct languages of its documents.
    pub(super) languages: Vec<Language>,
    pub(super) rows: Vec<DocumentRow>,
    pub(super) chunks: Vec<ChunkRow>,
    sections: Vec<Section>,
    /// The number of terms per chunk.
    pub(super) lengths: Vec<u32>,
    /// The sum of `lengths`, computed on first use.
    #[serde(skip)]
    pub(super) length: OnceCell<u64>,
    #[serde(skip)]
    by_id: OnceCell<FxHashMap<u64, u32>>,
    #[serde(skip)]
    never_sent: RefCell<NeverSentPrints>,
}

/// A document borrowed from a segment.
#[derive(Debug, Clone, Copy)]
pub struct StoredDocument<'a> {
    documents: &'a Documents,
    number: u32,
    /// Its row.
    pub(super) row: &'a DocumentRow,
}

/// A chunk borrowed from a segment.
#[derive(Debug, Clone, Copy)]
pub struct StoredChunk<'a> {
    /// Its document.
    pub document: StoredDocument<'a>,
    pub(super) row: &'a ChunkRow,
    /// Its position within the document, counted from 0.
    pub ordinal: usize,
    /// Whether the text was longer than the encoder's input, so that its vector represents only the
    /// beginning.
    pub truncated: bool,
}

impl Documents {
    /// Appends a document and returns the rows of its chunks.
    pub(super) fn push(&mut self, document: Prepared) -> Range<u32> {
        let collection = self.collection(&document.collection);
        self.language(document.language);
        let start = self.text.len() as u32;
        let first = self.chunks.len() as u32;
        let number = self.rows.len() as u32;
        self.text.push_str(&document.text);
        for piece in document.pieces {
            let hash =
                xxh3_64(piece.embedded(slice(&document.text, &narrow(piece.bytes.clone()))).as_bytes());
            let section = Section {
                headings: piece.headings,
                context: piece.context.as_deref().map(Into::into),
                prefix: (*piece.prefix).into(),
            };
            let section = self.section(section);
            self.chunks.push(ChunkRow {
                document: number,
                bytes: narrow(piece.bytes),
                utf16: narrow(piece.utf16),
                section,
                page: piece.page,
                hash,
            });
        }
        let chunks = first..self.chunks.len() as u32;
        if let Some(by_id) = self.by_id.get_mut() {
            by_id.insert(id_hash(&document.collection, &document.id), number);
        }
        self.rows.push(DocumentRow {
            id: document.id.into(),
            collection,
            title: document.title.map(Into::into),
            url: document.url.map(Into::into),
            metadata: match document.metadata.is_empty() {
                true => Box::default(),
                false => serde_json::Value::Object(document.metadata).to_string().into(),
            },
            text: start..self.text.len() as u32,
            chunks: chunks.clone(),
            language: document.language,
        });
        chunks
    }

    /// Copies a document and its chunks from another segment, whose texts are `texts`.
    pub(super) fn take(&mut self, from: &Self, texts: &str, row: &DocumentRow) {
        let number = self.rows.len() as u32;
        let start = self.text.len() as u32;
        let first = self.chunks.len() as u32;
        self.text.push_str(slice(texts, &row.text));
        for at in row.chunks.clone() {
            let (Some(chunk), Some(length)) = (from.chunks.get(at as usize), from.lengths.get(at as usize))
            else {
                continue;
            };
            let section =
                self.section(from.sections.get(chunk.section as usize).cloned().unwrap_or_default());
            self.chunks.push(ChunkRow { document: number, section, ..chunk.clone() });
            self.lengths.push(*length);
            self.length.take();
        }
        let name = from.collections.get(row.collection as usize).cloned().unwrap_or_default();
        let collection = self.collection(&name);
        self.language(row.language);
        let text = start..self.text.len() as u32;
        let chunks = first..self.chunks.len() as u32;
        self.never_sent.get_mut().take(&from.never_sent.borrow(), row.chunks.clone(), first);
        self.rows.push(DocumentRow { collection, text, chunks, ..row.clone() });
    }

    /// Returns the fingerprints of the documents that are never sent, and computes those that are missing.
    pub(super) fn never_sent(&self) -> Ref<'_, NeverSentPrints> {
        let examined = self.never_sent.borrow().examined();
        if (examined as usize) < self.chunks.len() {
            let new = self.rows.partition_point(|row| row.chunks.start < examined);
            let rows = new as u32..self.rows.len() as u32;
            let marked = rows
                .filter_map(|row| self.document(row))
                .filter(|document| document.sendable_metadata().is_none());
            let texts: Vec<NeverSentPrint> = marked.flat_map(|document| self.prints_of(&document)).collect();
            self.never_sent.borrow_mut().extend(self.chunks.len() as u32, texts);
        }
        self.never_sent.borrow()
    }

    /// Computes the fingerprints of a document's chunks and of its summary.
    fn prints_of(&self, document: &StoredDocument<'_>) -> Vec<NeverSentPrint> {
        let print = |chunk, is_summary, text: &str| NeverSentPrint {
            chunk,
            is_summary,
            print: Fingerprint::of(text),
        };
        let rows = document.row.chunks.clone();
        let first = rows.start;
        let chunks = rows.filter_map(|row| Some(print(row, false, self.chunk(row, false)?.text())));
        let mut prints: Vec<NeverSentPrint> = chunks.collect();
        if let Some(summary) = document.metadata().get(SUMMARY).and_then(|summary| summary.as_str())
            && !prints.is_empty()
        {
            prints.insert(1, print(first, true, summary));
        }
        prints
    }

    fn section(&mut self, section: Section) -> u32 {
        if self.sections.last() != Some(&section) {
            self.sections.push(section);
        }
        self.sections.len() as u32 - 1
    }

    fn language(&mut self, language: Language) {
        if !self.languages.contains(&language) {
            self.languages.push(language);
        }
    }

    fn collection(&mut self, name: &Rc<str>) -> u32 {
        let at = self.collections.iter().position(|known| known == name).unwrap_or_else(|| {
            self.collections.push(name.clone());
            self.collections.len() - 1
        });
        at as u32
    }

    /// Returns the row of the document last pushed with this id.
    pub(super) fn find(&self, collection: &str, id: &str) -> Option<u32> {
        let by_id = self.by_id.get_or_init(|| {
            let rows = self.rows.iter().enumerate();
            rows.map(|(at, row)| (id_hash(self.collection_of(row), &row.id), at as u32)).collect()
        });
        let at = *by_id.get(&id_hash(collection, id))?;
        let row = self.rows.get(at as usize)?;
        (*row.id == *id && self.collection_of(row) == collection).then_some(at)
    }

    /// Returns the summed length of all chunks, in terms.
    pub(super) fn length(&self) -> u64 {
        *self.length.get_or_init(|| self.lengths.iter().map(|length| u64::from(*length)).sum())
    }

    fn collection_of(&self, row: &DocumentRow) -> &str {
        self.collections.get(row.collection as usize).map_or("", |name| name)
    }

    /// Returns a document by row.
    pub(super) fn document(&self, row: u32) -> Option<StoredDocument<'_>> {
        Some(StoredDocument { documents: self, number: row, row: self.rows.get(row as usize)? })
    }

    /// Returns a chunk by row.
    pub(super) fn chunk(&self, at: u32, truncated: bool) -> Option<StoredChunk<'_>> {
        let row = self.chunks.get(at as usize)?;
        let document = self.document(row.document)?;
        Some(StoredChunk {
            document,
            row,
            ordinal: at.saturating_sub(document.row.chunks.start) as usize,
            truncated,
        })
    }

    /// Returns its bytes in memory, without the cache of texts.
    #[cfg(feature = "paging")]
    pub(super) fn memory(&self) -> usize {
        let optional = |text: &Option<Box<str>>| text.as_ref().map_or(0, |text| text.len());
        let of =
            |row: &DocumentRow| row.id.len() + row.metadata.len() + optional(&row.title) + optional(&row.url);
        let rows = self.rows.iter().map(|row| of(row) + size_of::<DocumentRow>());
        let prefixes = self.sections.iter().map(|section| 2 * section.prefix.len() + size_of::<Section>());
        let chunks = self.chunks.len() * (size_of::<ChunkRow>() + size_of::<u32>());
        self.text.memory() + rows.sum::<usize>() + prefixes.sum::<usize>() + chunks
    }

    /// Drops the texts from memory if the file has the same ones, whose section begins at `start`.
    #[cfg(feature = "paging")]
    pub(super) fn page_out(&mut self, file: &Rc<super::paging::DiskFile>, start: usize) -> bool {
        if self.text.held() == 0 {
            return true;
        }
        let start = start + super::paging::size_of_number(self.text.len());
        // Chunks are checked by their hashes when they are read.
        let rows = (0..self.chunks.len() as u32).filter_map(|row| self.chunk(row, false));
        let is_hashed = rows.into_iter().all(|chunk| chunk.is_unchanged(chunk.text()));
        is_hashed
            && self.text.page_out(
                file,
                start,
                self.rows.iter().map(|row| row.text.clone()),
                self.chunks.len(),
            )
    }

    /// Returns whether the rows read from a file are consistent: documents partition the text and the chunks,
    /// every range is valid, and chunks overlap at most [`MAX_OVERLAP`] times, which bounds the cost of reading
    /// all of them.
    pub(super) fn is_sound(&self) -> bool {
        let (mut text, mut chunk, mut shown) = (0, 0, 0);
        let Some(all) = self.text.whole() else { return false };
        for (number, row) in self.rows.iter().enumerate() {
            let Some(own) = all.get(row.text.start as usize..row.text.end as usize) else {
                return false;
            };
            let Some(chunks) = self.chunks.get(row.chunks.start as usize..row.chunks.end as usize) else {
                return false;
            };
            let fits = |one: &ChunkRow| {
                own.get(one.bytes.start as usize..one.bytes.end as usize).is_some()
                    && one.document as usize == number
                    && (one.section as usize) < self.sections.len()
            };
            if (row.text.start, row.chunks.start) != (text, chunk)
                || (row.collection as usize) >= self.collections.len()
                || !chunks.iter().all(fits)
            {
                return false;
            }
            shown += chunks.iter().map(|one| one.bytes.len()).sum::<usize>();
            (text, chunk) = (row.text.end, row.chunks.end);
        }
        (text as usize, chunk as usize) == (all.len(), self.chunks.len())
            && shown <= all.len().saturating_mul(MAX_OVERLAP)
            && self.lengths.len() == self.chunks.len()
    }
}

impl<'a> StoredDocument<'a> {
    /// Returns the name of its collection.
    pub fn collection(&self) -> &'a str {
        self.documents.collection_of(self.row)
    }

    /// Returns its id, unique within the collection.
    pub fn id(&self) -> &'a str {
        &self.row.id
    }

    /// Returns its title.
    pub fn title(&self) -> Option<&'a str> {
        self.row.title.as_deref()
    }

    /// Returns its URL.
    pub fn url(&self) -> Option<&'a str> {
        self.row.url.as_deref()
    }

    /// Returns the language whose stemmer and stop words are applied.
    pub fn language(&self) -> Language {
        self.row.language
    }

    /// Returns its plain text.
    pub fn text(&self) -> &'a str {
        self.documents.text.document(self.number, &self.row.text)
    }

    /// Returns its plain text, of those of the whole segment.
    pub(super) fn text_in<'b>(&self, texts: &'b str) -> &'b str {
        slice(texts, &self.row.text)
    }

    /// Returns the user metadata as JSON; empty if there is none.
    pub(super) fn metadata_json(&self) -> &'a str {
        &self.row.metadata
    }

    /// Returns the metadata if an LLM may see the document, `None` if it is marked `neverSend`. Metadata that
    /// cannot be parsed counts as marked.
    pub(super) fn sendable_metadata(&self) -> Option<serde_json::Map<String, serde_json::Value>> {
        let metadata = match self.metadata_json() {
            "" => serde_json::Map::new(),
            json => serde_json::from_str(json).ok()?,
        };
        (!is_never_sent(&metadata)).then_some(metadata)
    }

    /// Returns the user metadata.
    pub fn metadata(&self) -> serde_json::Map<String, serde_json::Value> {
        serde_json::from_str(&self.row.metadata).unwrap_or_default()
    }
}

impl<'a> StoredChunk<'a> {
    /// Returns the chunk's text.
    pub fn text(&self) -> &'a str {
        let StoredDocument { documents, number, row } = self.document;
        let at = row.chunks.start as usize + self.ordinal;
        documents.text.chunk((number, &row.text), (at, &self.row.bytes), |text| self.is_unchanged(text))
    }

    /// Returns the chunk's byte range within the document's text.
    pub fn bytes(&self) -> Range<usize> {
        self.row.bytes.start as usize..self.row.bytes.end as usize
    }

    /// Returns the headings above it, outermost first.
    pub fn headings(&self) -> &'a [String] {
        self.section().map_or(&[], |section| &section.headings)
    }

    /// Returns the header row of the table that the chunk continues.
    pub fn context(&self) -> Option<&'a str> {
        self.section()?.context.as_deref()
    }

    /// Returns the hash of the text to embed.
    pub(super) fn hash(&self) -> u64 {
        self.row.hash
    }

    /// Returns the text to embed: the section's prefix and the chunk's text.
    pub fn embedded_text(&self) -> String {
        self.embedded(self.text())
    }

    /// Returns whether a text is the chunk's, by its hash.
    fn is_unchanged(&self, text: &str) -> bool {
        xxh3_64(self.embedded(text).as_bytes()) == self.row.hash
    }

    fn embedded(&self, text: &str) -> String {
        embedded_text(self.section().map_or("", |section| &section.prefix), text)
    }

    fn section(&self) -> Option<&'a Section> {
        self.document.documents.sections.get(self.row.section as usize)
    }

    /// Returns the public id, built by [`chunk_id`].
    pub fn id(&self) -> String {
        chunk_id(self.document.collection(), &self.document.row.id, self.ordinal)
    }

    /// Copies the chunk into the public type.
    pub fn to_chunk(&self) -> Chunk {
        Chunk {
            id: self.id(),
            doc_id: self.document.row.id.to_string(),
            collection: self.document.collection().to_owned(),
            title: self.document.row.title.as_deref().map(str::to_owned),
            url: self.document.row.url.as_deref().map(str::to_owned),
            text: self.text().to_owned(),
            headings: self.headings().to_vec(),
            page: self.row.page,
            span: Span::from(self.row.utf16.start as usize..self.row.utf16.end as usize),
            bytes: Span::from(self.bytes()),
            truncated: self.truncated,
            metadata: self.document.metadata(),
        }
    }
}

/// Maximum ratio of the summed length of chunks to the length of the text.
const MAX_OVERLAP: usize = 64;

fn id_hash(collection: &str, id: &str) -> u64 {
    xxh3_64(format!("{}\u{0}{collection}{id}", collection.len()).as_bytes())
}

/// Narrows a range to 32 bits: a segment is sealed long before its text reaches 2³² bytes.
fn narrow(range: Range<usize>) -> Range<u32> {
    range.start as u32..range.end as u32
}
