//! Documents, chunks and hits, and the spans that relate them.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The collection that always exists, and the default of every call.
pub const DEFAULT_COLLECTION: &str = "default";

/// Returns a collection's name for a sentence; "the library" for the default one, which no user has named.
pub fn called(collection: &str) -> &str {
    if collection == DEFAULT_COLLECTION { "the library" } else { collection }
}

/// The markup of a document's text, which determines its headings and paragraphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Paragraphs separated by blank lines.
    Text,
    /// CommonMark: headings, fenced code, lists and tables are recognised.
    Markdown,
    /// HTML: the readable text is extracted first; scripts and navigation are dropped.
    Html,
}

impl Format {
    /// Returns the format of a file name's extension; plain text for an unknown one.
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Document {
    /// The id, unique within its collection. Adding an id again replaces the document.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::WellFormedName"))]
    pub id: String,
    /// The title, returned with every hit and weighted in keyword search.
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::WellFormed>"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The address of the document; stored and returned, never fetched.
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::WellFormed>"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The text, marked up as `format` says; of a stored document, the plain text that spans refer to.
    #[serde(default)]
    pub text: String,
    /// Plain text page by page; hits tell their page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<Vec<String>>,
    /// The format. Default: by the extension of the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// A summary by the author, in their words: searched by its words, and told to models that look for documents. Kept as
    /// `metadata.vademecumSummary`, a name that `metadata` must not use itself.
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::WellFormedName>"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Any JSON values, returned with every hit. Filters read them; objects are reached as `author.name`.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Metadata"))]
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub metadata: serde_json::Map<String, serde_json::Value>,
}

impl Document {
    /// Creates a plain-text document with only an id.
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

    /// Returns the number of bytes of text, including title and summary.
    pub fn bytes(&self) -> usize {
        self.title.as_ref().map_or(0, String::len)
            + self.summary.as_ref().map_or(0, String::len)
            + self.text.len()
            + self.pages.iter().flatten().map(|page| page.len() + 1).sum::<usize>()
    }

    /// Returns the given format, or the default by the id's extension.
    pub fn format(&self) -> Format {
        self.format.unwrap_or_else(|| Format::of_name(&self.id))
    }
}

/// A half-open range of offsets; the unit is documented where a span is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// A passage of a document: the unit of search, evidence and citation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Chunk {
    /// The id, unique in the whole knowledge base: `collection/document#ordinal`, with `%` and `/` percent-encoded in the
    /// collection's name.
    pub id: String,
    /// The id of the document.
    pub doc_id: String,
    /// The collection of the document.
    pub collection: String,
    /// The title of the document; null where it has none.
    pub title: Option<String>,
    /// The address of the document, as it was given; in hits and in results of runs null unless it begins with `http`, `https` or
    /// `mailto`, or is relative.
    pub url: Option<String>,
    /// The text of the document within `span`, unchanged.
    pub text: String,
    /// The headings above this chunk, outermost first.
    pub headings: Vec<String>,
    /// The page on which it begins, from 1; null for a document without pages.
    pub page: Option<u32>,
    /// Offsets into the document's text in UTF-16 code units: `document.text.slice(span.start, span.end) === text`.
    pub span: Span,
    /// The same offsets in UTF-8 bytes.
    pub bytes: Span,
    /// Whether the text exceeds the token limit of the embedder, which then saw only its beginning.
    pub truncated: bool,
    /// The metadata of the document.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Metadata"))]
    pub metadata: serde_json::Map<String, serde_json::Value>,
}

impl Chunk {
    /// Returns the collection, document id and chunk id, which identify a chunk. The id alone is unique within the knowledge
    /// base, but a custom searcher may give chunks of two documents the same id.
    pub fn key(&self) -> Key<'_> {
        [&self.collection, &self.doc_id, &self.id]
    }
}

/// Collection, document id and chunk id of a chunk.
pub type Key<'a> = [&'a str; 3];

/// Returns the id of a chunk: `collection/document#ordinal`, with `%` and `/` percent-encoded in the collection. So the first `/`
/// ends the collection, the last `#` begins the ordinal, and no two chunks share an id.
pub fn chunk_id(collection: &str, document: &str, ordinal: usize) -> String {
    let collection = collection.replace('%', "%25").replace('/', "%2F");
    format!("{collection}/{document}#{ordinal}")
}

/// Parses an id made by [`chunk_id`] into collection, document id and ordinal; `None` for any other id.
pub fn parse_chunk_id(id: &str) -> Option<(String, &str, usize)> {
    let (path, ordinal) = id.rsplit_once('#')?;
    let (collection, document) = path.split_once('/')?;
    let collection = collection.replace("%2F", "/").replace("%25", "%");
    let ordinal = ordinal.parse().ok()?;
    (chunk_id(&collection, document, ordinal) == id).then_some((collection, document, ordinal))
}

/// The metadata field that marks documents which must stay on the device.
pub const NEVER_SEND: &str = "neverSend";

/// The metadata field of a document's summary by its author, indexed with the document's first chunk. Set from
/// [`Document::summary`], so that a field named `summary` in the caller's metadata has no special meaning.
pub const SUMMARY: &str = "vademecumSummary";

/// Returns whether metadata mark a document as never to be sent. A value other than a boolean or null counts as true.
pub fn is_never_sent(metadata: &serde_json::Map<String, serde_json::Value>) -> bool {
    use serde_json::Value;
    !matches!(metadata.get(NEVER_SEND), None | Some(Value::Null | Value::Bool(false)))
}

impl DocumentSummary {
    /// Returns whether the document must not be shown to an LLM.
    pub fn never_sent(&self) -> bool {
        is_never_sent(&self.metadata)
    }
}

impl Chunk {
    /// Returns the author's summary of the document.
    pub fn summary(&self) -> Option<&str> {
        self.metadata.get(SUMMARY)?.as_str()
    }

    /// Returns whether the chunk must not be shown to an LLM. It may still be searched, cited and quoted on the device.
    pub fn never_sent(&self) -> bool {
        is_never_sent(&self.metadata)
    }

    /// Marks the chunk as never to be sent.
    pub fn keep_on_device(&mut self) {
        self.metadata.insert(NEVER_SEND.to_owned(), true.into());
    }
}

/// A chunk found by a search, with its score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("x-extends" = ["Chunk"])))]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The chunk.
    #[serde(flatten)]
    pub chunk: Chunk,
    /// The score; higher is better. In keyword mode BM25 with proximity and title boosts, in vector mode the cosine, in hybrid
    /// mode and for several hops a value in [0, 1].
    pub score: f32,
    /// With `explain: true`: what each retriever found for the question itself, and the ids of the chunks on the path to this
    /// one, the first one first; empty where the question alone scores as much or more.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Explanation"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explain: Option<serde_json::Value>,
}

impl Hit {
    /// Removes the address if `harmless` returns false for it.
    pub fn clear_address(&mut self, harmless: impl FnOnce(&str) -> bool) {
        self.chunk.url = self.chunk.url.take().filter(|url| harmless(url));
    }
}

/// A document in a listing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DocumentSummary {
    /// The id, unique within its collection.
    pub id: String,
    /// The collection.
    pub collection: String,
    /// The title, if it has one.
    pub title: Option<String>,
    /// The address, if it has one.
    pub url: Option<String>,
    /// The metadata.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Metadata"))]
    pub metadata: serde_json::Map<String, serde_json::Value>,
    /// The number of chunks.
    pub chunks: usize,
}

/// The documents that match a filter: how many there are, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DocumentList"))]
pub struct Listing {
    /// The number of documents that match the filter.
    pub total: usize,
    /// Those from `offset` on, at most `limit`, in insertion order.
    pub documents: Vec<DocumentSummary>,
}

/// Returns a hit whose chunk is a whole document of the default collection, with score 1 and the document's id as chunk id.
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

/// Formats a JSON value for people: strings without quotes, arrays separated by commas, null as nothing.
pub fn shown(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
