//! Documents as they are given, chunks as they are found, and the positions that tie the two together.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The collection that is always there, and that takes what is given no other.
pub const DEFAULT_COLLECTION: &str = "default";

/// How a document's text is marked up, which decides where its headings and paragraphs are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Paragraphs separated by blank lines.
    Text,
    /// CommonMark: headings, fenced code, lists and tables are recognised.
    Markdown,
    /// HTML: the readable text is extracted first, scripts and navigation are dropped.
    Html,
}

impl Format {
    /// The format a file name promises; plain text where it promises none.
    pub fn of_name(name: &str) -> Self {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension.to_ascii_lowercase().as_str() {
            "md" | "markdown" => Self::Markdown,
            "html" | "htm" | "xhtml" => Self::Html,
            _ => Self::Text,
        }
    }
}

/// A document to add.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Document {
    /// Unique within its collection. Adding an id again replaces the document.
    pub id: String,
    /// Shown with every hit and weighted in keyword search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where the document can be opened; kept and returned, never fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The text itself, marked up as `format` says.
    #[serde(default)]
    pub text: String,
    /// The text page by page, instead of `text`; plain text, joined with a form feed between two pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<Vec<String>>,
    /// Guessed from the id's extension where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// What it is about, in its author's words: kept among the metadata as [`SUMMARY`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Any JSON values of the caller's; returned with every hit.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub metadata: serde_json::Map<String, serde_json::Value>,
}

impl Document {
    /// A document of plain text with nothing but an id.
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            title: None,
            url: None,
            text: text.into(),
            pages: None,
            format: None,
            summary: None,
            metadata: serde_json::Map::new(),
        }
    }

    /// How many bytes of text it has.
    pub fn bytes(&self) -> usize {
        self.title.as_ref().map_or(0, String::len)
            + self.summary.as_ref().map_or(0, String::len)
            + self.text.len()
            + self.pages.iter().flatten().map(|page| page.len() + 1).sum::<usize>()
    }

    /// The stated format, or the one the id promises.
    pub fn format(&self) -> Format {
        self.format.unwrap_or_else(|| Format::of_name(&self.id))
    }
}

/// A half-open range of offsets, in the unit its holder names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// First offset.
    pub start: usize,
    /// One past the last offset.
    pub end: usize,
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self { start: range.start, end: range.end }
    }
}

/// A piece of a document: the unit of search, evidence and citation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Chunk {
    /// Unique in the whole knowledge base, as [`chunk_id`] makes it: `collection/document#ordinal`.
    pub id: String,
    /// The document this is a piece of.
    pub doc_id: String,
    /// The collection of that document.
    pub collection: String,
    /// The document's title.
    pub title: Option<String>,
    /// The document's address.
    pub url: Option<String>,
    /// Exactly `document.text` between the spans below.
    pub text: String,
    /// The headings above this piece, outermost first.
    pub headings: Vec<String>,
    /// The page it begins on, from 1, where the document has pages.
    pub page: Option<u32>,
    /// Offsets into the document's text in UTF-16 code units: what JavaScript's `slice` takes.
    pub span: Span,
    /// The same in UTF-8 bytes: what Rust's slices take.
    pub bytes: Span,
    /// Whether the embedder saw only the beginning, because the text exceeds its token limit.
    pub truncated: bool,
    /// The document's metadata.
    pub metadata: serde_json::Map<String, serde_json::Value>,
}

impl Chunk {
    /// Returns what tells it from all others: its collection, its document and its id. The id alone does so for chunks of the knowledge base;
    /// a searcher of the caller's may give one id to chunks of two documents.
    pub fn key(&self) -> Key<'_> {
        [&self.collection, &self.doc_id, &self.id]
    }
}

/// The collection, the document and the id of a chunk.
pub type Key<'a> = [&'a str; 3];

/// The id of a chunk: `collection/document#ordinal`, with `%` and `/` percent-encoded in the collection's name. So the first
/// `/` ends the collection, the last `#` begins the ordinal, and no two chunks share an id.
pub fn chunk_id(collection: &str, document: &str, ordinal: usize) -> String {
    let collection = collection.replace('%', "%25").replace('/', "%2F");
    format!("{collection}/{document}#{ordinal}")
}

/// The collection, the document and the ordinal of a chunk by its id; none where [`chunk_id`] makes no such id.
pub fn parse_chunk_id(id: &str) -> Option<(String, &str, usize)> {
    let (path, ordinal) = id.rsplit_once('#')?;
    let (collection, document) = path.split_once('/')?;
    let collection = collection.replace("%2F", "/").replace("%25", "%");
    let ordinal = ordinal.parse().ok()?;
    (chunk_id(&collection, document, ordinal) == id).then_some((collection, document, ordinal))
}

/// The metadata field of documents that stay on the device.
pub const NEVER_SEND: &str = "neverSend";

/// The metadata field of a document's summary by its author: searched by its words, with the document's first chunk. Documents are not
/// given it: it is what [`Document::summary`] becomes, so that a field `summary` of the caller's is one like any other.
pub const SUMMARY: &str = "vademecumSummary";

/// Whether metadata say that a document is never sent. What is neither true nor false counts as true.
pub fn is_never_sent(metadata: &serde_json::Map<String, serde_json::Value>) -> bool {
    use serde_json::Value;
    !matches!(metadata.get(NEVER_SEND), None | Some(Value::Null | Value::Bool(false)))
}

impl DocumentSummary {
    /// Whether an LLM must not be shown it.
    pub fn never_sent(&self) -> bool {
        is_never_sent(&self.metadata)
    }
}

impl Chunk {
    /// The summary of its document that the document was added with.
    pub fn summary(&self) -> Option<&str> {
        self.metadata.get(SUMMARY)?.as_str()
    }

    /// Whether it may be searched, cited and quoted here, but not be shown to an LLM. What is neither true nor false counts
    /// as true.
    pub fn never_sent(&self) -> bool {
        is_never_sent(&self.metadata)
    }

    /// Marks it as one that is never sent.
    pub fn keep_on_device(&mut self) {
        self.metadata.insert(NEVER_SEND.to_owned(), true.into());
    }
}

/// A chunk that was found, with its score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The chunk.
    #[serde(flatten)]
    pub chunk: Chunk,
    /// BM25 with what a closer look adds in keyword mode, cosine in vector mode, in [0, 1] in hybrid mode, and in any
    /// mode where a search takes several hops. Higher is better.
    pub score: f32,
    /// Both arms' views, and the ids of the chunks it was reached through, where asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explain: Option<serde_json::Value>,
}

impl Hit {
    /// Leaves out the address where `harmless` says that a page must not make a link of it.
    pub fn clear_address(&mut self, harmless: impl FnOnce(&str) -> bool) {
        self.chunk.url = self.chunk.url.take().filter(|url| harmless(url));
    }
}

/// A document as a list shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentSummary {
    /// Unique within its collection.
    pub id: String,
    /// The collection it belongs to.
    pub collection: String,
    /// Its title.
    pub title: Option<String>,
    /// Its address.
    pub url: Option<String>,
    /// The caller's metadata.
    pub metadata: serde_json::Map<String, serde_json::Value>,
    /// How many chunks it was cut into.
    pub chunks: usize,
}

/// Documents that fulfil a filter.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Listing {
    /// How many there are.
    pub total: usize,
    /// The first of them, in the order they were added.
    pub documents: Vec<DocumentSummary>,
}

/// Returns a hit whose chunk is a whole document of the default collection, with score 1 and the
/// document's id.
pub fn whole_document(id: &str, text: &str) -> Hit {
    Hit {
        chunk: Chunk {
            id: id.into(),
            doc_id: id.into(),
            collection: DEFAULT_COLLECTION.into(),
            title: None,
            url: None,
            text: text.into(),
            headings: Vec::new(),
            page: None,
            span: Span { start: 0, end: text.encode_utf16().count() },
            bytes: Span { start: 0, end: text.len() },
            truncated: false,
            metadata: serde_json::Map::new(),
        },
        score: 1.0,
        explain: None,
    }
}

/// A value as a person reads it.
pub fn shown(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
