//! What a search asks for.

use serde::{Deserialize, Serialize};
use vademecum_index::vectors::Method;
use vademecum_index::{Fusion, Weights};
use vademecum_protocol::hops::Hops;
use vademecum_protocol::range::Range;
#[cfg(feature = "schema")]
use vademecum_protocol::schema::{Filter, Name};

/// More hits than anybody reads; a search for more costs what nobody expects.
const MOST_HITS: usize = 10_000;
/// Maximum number of hits of a search.
pub(super) const LIMIT: Range<usize> = Range::new("limit", 1, MOST_HITS);
/// Cosines.
pub(super) const THRESHOLD: Range<f32> = Range::new("threshold", -1.0, 1.0);
/// Nodes of an HNSW graph that are kept in view.
pub(super) const EF: Range<usize> = Range::new("ef", 1, MOST_HITS);

/// By words (BM25), by meaning (cosine), or by both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SearchRequest {
    /// What is looked for.
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub query: String,
    /// Collections to search. Default: all.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<Name>>"))]
    pub collections: Option<Vec<String>>,
    /// Which arms search.
    pub mode: Mode,
    /// Maximum number of hits.
    #[cfg_attr(feature = "schema", schemars(transform = LIMIT.declared()))]
    pub limit: usize,
    /// Minimum cosine of vector hits; keyword hits are never dropped.
    #[cfg_attr(feature = "schema", schemars(transform = THRESHOLD.declared()))]
    pub threshold: f32,
    /// Only chunks of the documents with these ids.
    pub documents: Option<Vec<String>>,
    /// Condition on the metadata of documents, applied inside both arms.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Filter>"))]
    pub filters: Option<serde_json::Value>,
    /// Whether the last word may be unfinished.
    pub prefix: bool,
    /// Whether a word that no document has may match one that differs by a typing error or two.
    pub typos: bool,
    /// Whether words in double quotes must be present, in both arms. Without it, chunks that have them come first among those
    /// found by words.
    pub strict_phrases: bool,
    /// How hybrid mode combines its arms: by the distribution of scores, by their extremes, or by ranks.
    pub fusion: Fusion,
    /// Weight of each arm in hybrid mode; only their proportion matters.
    pub weights: Weights,
    /// How vectors are searched. Default: chosen for each segment of the index.
    pub method: Option<Method>,
    /// Number of nodes of an HNSW graph that are kept in view: more finds more and takes longer. Default: by `limit`.
    #[cfg_attr(feature = "schema", schemars(transform = EF.declared()))]
    pub ef: Option<usize>,
    /// Number of passages that may lead from the question to a hit, the hit included, from 1 to 4. Above 1, the best passages are
    /// followed: to documents whose title they name or to which they link, to passages that name them, and to what answers the parts
    /// of the question that they leave open. Every further hop embeds a few more texts, in one call. `"auto"` follows them while
    /// they leave a part of the question open, up to 3, and keeps the best hits of the question itself in front.
    pub hops: Hops,
    /// Whether hits have the rank and score of each arm, and the chunks they were reached through.
    pub explain: bool,
    /// Search as if the documents that are never sent were not there.
    #[serde(skip)]
    pub sendable: bool,
    /// The number of the run that searches, if one does.
    #[serde(skip)]
    pub run: Option<u32>,
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
            hops: Hops::default(),
            explain: false,
            sendable: false,
            run: None,
        }
    }
}
