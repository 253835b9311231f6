//! What a search asks for.

use serde::{Deserialize, Serialize};
use vademecum_index::vectors::Method;
use vademecum_index::{Fusion, Weights};

/// Which arms search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// BM25 alone.
    Keyword,
    /// Cosine alone; waits for the model.
    Vector,
    /// Both. While the model is being fetched, or without one, this is `Keyword`; the response says so.
    #[default]
    Hybrid,
}

/// A search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SearchRequest {
    /// What is looked for.
    pub query: String,
    /// Only these collections; all where absent.
    pub collections: Option<Vec<String>>,
    /// Which arms search.
    pub mode: Mode,
    /// The most hits to return.
    pub limit: usize,
    /// Vector hits with a cosine below this are dropped; keyword hits never are.
    pub threshold: f32,
    /// Only chunks of the documents with these ids.
    pub documents: Option<Vec<String>>,
    /// Only chunks of documents whose metadata this wants; every spelling of [`vademecum_index::filter`] is read.
    pub filters: Option<serde_json::Value>,
    /// The last word may be unfinished.
    pub prefix: bool,
    /// A word that no document has may stand for one that differs by a slip or two.
    pub typos: bool,
    /// What stands in double quotes must be there, in both arms; otherwise chunks that have it come first among those
    /// found by words.
    pub strict_phrases: bool,
    /// How hybrid mode joins its arms.
    pub fusion: Fusion,
    /// How much each arm counts in hybrid mode.
    pub weights: Weights,
    /// How vectors are searched, where the rule is not to choose.
    pub method: Option<Method>,
    /// How many nodes of an HNSW graph are kept in sight: more finds more and takes longer.
    pub ef: Option<usize>,
    /// How many passages may lead from the question to a hit, the hit counted: 1 looks for the question alone, each one
    /// more goes on from the best passages to what they name, what names them and what they leave open.
    pub hops: usize,
    /// Give both arms' ranks and scores with each hit, and the chunks it was reached through.
    pub explain: bool,
    /// Search as if the documents that are never sent were not there.
    #[serde(skip)]
    pub sendable: bool,
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
            method: None,
            ef: None,
            hops: 1,
            explain: false,
            sendable: false,
        }
    }
}
