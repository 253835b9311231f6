//! The documents of a segment and the chunks they are cut into: rows that point into one text.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;
use vademecum_protocol::document::{Chunk, Span, chunk_id, is_never_sent};
use vademecum_text::chunk::{Piece, embedded_text};
use vademecum_text::terms::Language;
use vademecum_util::within::Within;
use xxhash_rust::xxh3::xxh3_64;

/// A document that was read and cut, ready to be inserted.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// Unique within the collection.
    pub id: String,
    /// The collection it belongs to.
    pub collection: Rc<str>,
    /// Its title.
    pub title: Option<String>,
    /// Its address.
    pub url: Option<String>,
    /// The readable text, which the pieces point into.
    pub text: String,
    /// The pieces, in order.
    pub pieces: Vec<Piece>,
    /// Where its text links to, with the byte the link stands at.
    pub links: Vec<(usize, String)>,
    /// The caller's metadata.
    pub metadata: serde_json::Map<String, serde_json::Value>,
    /// What its words are stemmed as.
    pub language: Language,
}

/// A document of a segment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct DocumentRow {
    /// Unique within the collection.
    pub id: Box<str>,
    /// Which of the segment's collections it belongs to.
    collection: u32,
    /// Its title.
    pub title: Option<Box<str>>,
    /// Its address.
    pub url: Option<Box<str>>,
    /// The caller's metadata, as JSON; empty where there is none.
    metadata: Box<str>,
    text: Range<u32>,
    /// Its chunks, by row.
    pub(super) chunks: Range<u32>,
    /// What its words are stemmed as.
    pub language: Language,
}

/// A chunk of a segment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ChunkRow {
    /// The row of its document.
    pub(super) document: u32,
    bytes: Range<u32>,
    utf16: Range<u32>,
    /// Which of the segment's sections it stands in.
    section: u32,
    /// The page it begins on, from 1.
    page: Option<u32>,
    /// What identifies the text that is embedded for it.
    pub(super) hash: u64,
}

/// What chunks in a row have in common.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Section {
    /// The headings above, outermost first.
    headings: Vec<String>,
    /// The header row of the table that is continued.
    context: Option<Box<str>>,
    /// What is embedded before the text.
    prefix: Box<str>,
}

/// All rows of a segment.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Documents {
    pub(super) text: String,
    pub(super) collections: Vec<Rc<str>>,
    /// The languages its documents are stemmed as.
    pub(super) languages: Vec<Language>,
    pub(super) rows: Vec<DocumentRow>,
    pub(super) chunks: Vec<ChunkRow>,
    sections: Vec<Section>,
    /// How many terms each chunk has.
    pub(super) lengths: Vec<u32>,
    /// Their sum, once it was asked for.
    #[serde(skip)]
    pub(super) length: OnceCell<u64>,
    #[serde(skip)]
    by_id: OnceCell<FxHashMap<u64, u32>>,
}

/// A document where it stands.
#[derive(Debug, Clone, Copy)]
pub struct StoredDocument<'a> {
    documents: &'a Documents,
    /// Its row.
    pub(super) row: &'a DocumentRow,
}

/// A chunk where it stands.
#[derive(Debug, Clone, Copy)]
pub struct StoredChunk<'a> {
    /// Its document.
    pub document: StoredDocument<'a>,
    pub(super) row: &'a ChunkRow,
    /// Which one of its document, from 0.
    pub ordinal: usize,
    /// Whether the embedder saw only its beginning.
    pub truncated: bool,
}

impl Documents {
    /// Appends a document; the rows of its chunks.
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

    /// Appends a document of another segment with its chunks.
    pub(super) fn take(&mut self, from: &Self, row: &DocumentRow) {
        let number = self.rows.len() as u32;
        let start = self.text.len() as u32;
        let first = self.chunks.len() as u32;
        self.text.push_str(slice(&from.text, &row.text));
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
        self.rows.push(DocumentRow { collection, text, chunks, ..row.clone() });
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

    /// The row of the last document that was pushed with this id.
    pub(super) fn find(&self, collection: &str, id: &str) -> Option<u32> {
        let by_id = self.by_id.get_or_init(|| {
            let rows = self.rows.iter().enumerate();
            rows.map(|(at, row)| (id_hash(self.collection_of(row), &row.id), at as u32)).collect()
        });
        let at = *by_id.get(&id_hash(collection, id))?;
        let row = self.rows.get(at as usize)?;
        (*row.id == *id && self.collection_of(row) == collection).then_some(at)
    }

    /// How many terms all chunks have.
    pub(super) fn length(&self) -> u64 {
        *self.length.get_or_init(|| self.lengths.iter().map(|length| u64::from(*length)).sum())
    }

    fn collection_of(&self, row: &DocumentRow) -> &str {
        self.collections.get(row.collection as usize).map_or("", |name| name)
    }

    /// A document by its row.
    pub(super) fn document(&self, row: u32) -> Option<StoredDocument<'_>> {
        Some(StoredDocument { documents: self, row: self.rows.get(row as usize)? })
    }

    /// A chunk by its row.
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

    /// Whether what was read from a file holds together: documents share text and chunks out among themselves, every range
    /// lies within what it points into, and chunks do not overlap so much that reading all of them is out of proportion.
    pub(super) fn is_sound(&self) -> bool {
        let (mut text, mut chunk, mut shown) = (0, 0, 0);
        for (number, row) in self.rows.iter().enumerate() {
            let Some(own) = self.text.get(row.text.start as usize..row.text.end as usize) else {
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
        (text as usize, chunk as usize) == (self.text.len(), self.chunks.len())
            && shown <= self.text.len().saturating_mul(OVERLAP)
            && self.lengths.len() == self.chunks.len()
    }
}

impl<'a> StoredDocument<'a> {
    /// The collection it belongs to.
    pub fn collection(&self) -> &'a str {
        self.documents.collection_of(self.row)
    }

    /// Unique within the collection.
    pub fn id(&self) -> &'a str {
        &self.row.id
    }

    /// Its title.
    pub fn title(&self) -> Option<&'a str> {
        self.row.title.as_deref()
    }

    /// Its address.
    pub fn url(&self) -> Option<&'a str> {
        self.row.url.as_deref()
    }

    /// What its words are stemmed as.
    pub fn language(&self) -> Language {
        self.row.language
    }

    /// The readable text.
    pub fn text(&self) -> &'a str {
        slice(&self.documents.text, &self.row.text)
    }

    /// The caller's metadata as JSON; empty where there is none.
    pub(super) fn metadata_json(&self) -> &'a str {
        &self.row.metadata
    }

    /// The caller's metadata where an LLM may be shown the document, nothing where it may not. Metadata that cannot be read
    /// count as those of a document that is never sent.
    pub(super) fn sendable_metadata(&self) -> Option<serde_json::Map<String, serde_json::Value>> {
        let metadata = match self.metadata_json() {
            "" => serde_json::Map::new(),
            json => serde_json::from_str(json).ok()?,
        };
        (!is_never_sent(&metadata)).then_some(metadata)
    }

    /// The caller's metadata.
    pub fn metadata(&self) -> serde_json::Map<String, serde_json::Value> {
        serde_json::from_str(&self.row.metadata).unwrap_or_default()
    }
}

impl<'a> StoredChunk<'a> {
    /// Its text.
    pub fn text(&self) -> &'a str {
        slice(self.document.text(), &self.row.bytes)
    }

    /// Where it stands in the document's text.
    pub fn bytes(&self) -> Range<usize> {
        self.row.bytes.start as usize..self.row.bytes.end as usize
    }

    /// The headings above it, outermost first.
    pub fn headings(&self) -> &'a [String] {
        self.section().map_or(&[], |section| &section.headings)
    }

    /// The header row of the table it continues.
    pub fn context(&self) -> Option<&'a str> {
        self.section()?.context.as_deref()
    }

    /// The text that is embedded for it.
    pub fn embedded_text(&self) -> String {
        embedded_text(self.section().map_or("", |section| &section.prefix), self.text())
    }

    fn section(&self) -> Option<&'a Section> {
        self.document.documents.sections.get(self.row.section as usize)
    }

    /// Its id, as [`chunk_id`] makes it.
    pub fn id(&self) -> String {
        chunk_id(self.document.collection(), &self.document.row.id, self.ordinal)
    }

    /// As it is given out.
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

/// No text stands in more chunks.
const OVERLAP: usize = 64;

fn id_hash(collection: &str, id: &str) -> u64 {
    xxh3_64(format!("{}\u{0}{collection}{id}", collection.len()).as_bytes())
}

/// A segment's text is far below 2³² bytes: it is sealed long before.
fn narrow(range: Range<usize>) -> Range<u32> {
    range.start as u32..range.end as u32
}

fn slice<'a>(text: &'a str, range: &Range<u32>) -> &'a str {
    text.within(range.start as usize..range.end as usize)
}
