//! What a search of a library in parts asks for and returns.

use serde::{Deserialize, Serialize};
use vademecum_index::{Fusion, Weights};
use vademecum_protocol::document::{Chunk, Document, Hit};

/// By words (BM25), by meaning (cosine), or by both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// BM25 alone.
    Keyword,
    /// Cosine alone.
    Vector,
    /// Both; BM25 alone if the caller passes no vector.
    #[default]
    Hybrid,
}

/// A search. The names are those of a knowledge base's search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SearchRequest {
    /// What is looked for.
    pub query: String,
    /// Collections to search. Default: all.
    pub collections: Option<Vec<String>>,
    /// Which arms search.
    pub mode: Mode,
    /// Maximum number of hits.
    pub limit: usize,
    /// Minimum cosine of vector hits; keyword hits are never dropped.
    pub threshold: f32,
    /// Only chunks of the documents with these ids.
    pub documents: Option<Vec<String>>,
    /// Condition on the metadata of documents, applied inside both arms.
    pub filters: Option<serde_json::Value>,
    /// Whether the last word may be unfinished.
    pub prefix: bool,
    /// Whether a word that no document has may match one that differs by a typing error or two.
    pub typos: bool,
    /// Whether words in double quotes must be present, in both arms.
    pub strict_phrases: bool,
    /// How hybrid mode combines its arms.
    pub fusion: Fusion,
    /// Weight of each arm in hybrid mode; only their proportion matters.
    pub weights: Weights,
    /// Number of cells whose vectors are read. Default: by the size of the library.
    pub probes: Option<usize>,
}

impl Default for SearchRequest {
    fn default() -> Self {
        Self {
            query: String::new(),
            collections: None,
            mode: Mode::default(),
            limit: 10,
            threshold: 0.0,
            documents: None,
            filters: None,
            prefix: false,
            typos: false,
            strict_phrases: false,
            fusion: Fusion::default(),
            weights: Weights::default(),
            probes: None,
        }
    }
}

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchResponse {
    /// Hits, best first. `explain` of each is `{ keyword, vector }`: rank and score within either arm, null where it did not find the hit.
    pub hits: Vec<Hit>,
    /// Number of matching chunks before `limit`, as a knowledge base counts them.
    pub total: usize,
    /// The arms that were used.
    pub mode: Mode,
    /// The minimum cosine of vector hits.
    pub threshold: f32,
    /// What could not be read, where the rest could answer. Empty for a complete result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
    /// The query with misspelt words replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<String>,
    /// The query that was searched for instead, if the words as typed match nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searched_for: Option<String>,
}

/// Something that a result lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// `keyword`: the arm did not search; `vector`: likewise, or some of the nearest cells were not read; `text`: texts that
    /// could not be read, without which hits are left out and may be ranked less well; `phrases`: quoted phrases were not all looked for.
    pub what: &'static str,
    /// How many hits, cells or phrases; 0 for a whole arm.
    pub count: usize,
    /// The code of the first error.
    pub code: &'static str,
    /// Its message.
    pub message: String,
}

/// A document with its plain text and its chunks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocumentView {
    /// The document; its `text` is the plain text that spans refer to.
    #[serde(flatten)]
    pub document: Document,
    /// Its chunks, in text order.
    pub chunks: Vec<Chunk>,
}

/// A part, as [`Library::parts`](crate::Library::parts) lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Its name: 32 hexadecimal digits.
    pub name: String,
    /// The path of its file below the manifest.
    pub path: String,
    /// Its length in bytes.
    pub bytes: u32,
}
