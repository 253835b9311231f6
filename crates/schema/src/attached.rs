//! Options and results of libraries in parts: `attach` and its library.

use crate::host::{Embedder, OnProgress, PartCache, QuestionVector, Worker};
use schemars::JsonSchema;
use vademecum_engine::{CollectionStats, Mode, SearchRequest};
use vademecum_protocol::document::Hit;
use vademecum_protocol::range::Range;
use vademecum_protocol::schema::{Failure, Name, Signal};

/// Milliseconds of the longest timer that JavaScript has; a longer one fires at once.
const LONGEST_TIMER: usize = (1 << 31) - 1;
/// Milliseconds without a byte.
const TIMEOUT: Range<usize> = Range::new("timeout", 1, LONGEST_TIMER);
/// Bytes of the reader: less than a few blocks would be read again and again.
const MEMORY: Range<usize> = Range::from("maxMemory", 1 << 20);
/// Cells of vectors.
const PROBES: Range<usize> = Range::from("probes", 1);

/// Options of `attach`: how a library in parts is read.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachOptions {
    /// Embedder of questions, the one by which the library was built. Without one, it is searched by words alone, and no model is
    /// fetched. A model is fetched in the background: until it is there, hybrid searches go by words.
    pub embedder: Option<Embedder>,
    /// Folder with the parts, where they are not beside the manifest. Parts are never fetched from another place.
    pub parts: Option<Name>,
    /// Whether the reader runs in a worker. Without workers, as in Node, it runs in place.
    #[serde(default = "yes")]
    #[schemars(extend("x-default" = true))]
    pub worker: bool,
    /// Workers in place of the package's own. Default: those beside its files.
    pub workers: Option<AttachedWorkers>,
    /// Bytes of memory that what was read may take.
    #[serde(default = "memory")]
    #[schemars(transform = MEMORY.declared(), extend("x-default" = true))]
    pub max_memory: usize,
    /// Whether what was fetched is stored in this browser, and how many bytes of it: what was used longest ago goes first. The limit is
    /// that of all libraries of the origin. Default: `{ bytes: 100000000 }`.
    pub cache: Option<PartCache>,
    /// Milliseconds without a byte after which a request is repeated, and at last given up.
    #[serde(default = "half_a_minute")]
    #[schemars(transform = TIMEOUT.declared(), extend("x-default" = true))]
    pub timeout: usize,
    /// Called as the model's bytes arrive.
    pub on_progress: Option<OnProgress>,
    /// Ends the call, which rejects with `aborted`.
    pub signal: Option<Signal>,
}

/// Workers of an attached library in place of those that the package starts itself.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachedWorkers {
    /// Runs the package's `parts-worker.js`.
    pub reader: Option<Worker>,
    /// Runs the package's `embed-worker.js`.
    pub embedder: Option<Worker>,
}

/// Options of a search of an attached library. An option that is misspelt is refused.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-omits" = ["method", "ef", "hops", "explain"]))]
pub struct AttachedSearchOptions {
    /// What the reader reads.
    #[serde(flatten)]
    pub request: SearchRequest,
    /// The vector of the query, in place of one that the embedder makes. It is scaled to length 1.
    pub vector: Option<QuestionVector>,
    /// Number of cells of vectors that are read: more finds more and reads more. Default: by the size of the library.
    #[schemars(transform = PROBES.declared())]
    pub probes: Option<usize>,
    /// Ends the call, which rejects with `aborted`, and its requests.
    pub signal: Option<Signal>,
}

/// The result of a search of an attached library.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachedSearchResponse {
    /// Hits, best first. `explain` has the rank and score of each arm.
    pub hits: Vec<Hit>,
    /// Number of matching chunks before `limit`: exact up to 1,000 keyword matches, a lower bound beyond.
    pub total: usize,
    /// Milliseconds, including the embedding of the question and all that was fetched.
    pub took_ms: f64,
    /// The retrievers used.
    pub mode: Mode,
    /// The minimum cosine of vector hits.
    pub threshold: f32,
    /// What could not be read, where the rest answered; absent of a complete result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<MissingPart>>,
    /// The embedder's error, if hybrid mode had to proceed without vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<Failure>,
    /// The query with every word that no document contains replaced by the most probable word of the library.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<String>,
    /// The query that was searched for instead, if the words as typed match nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searched_for: Option<String>,
}

/// What a result of an attached library lacks.
#[derive(Debug, JsonSchema)]
pub struct MissingPart {
    /// `keyword`: there was no search by words; `vector`: none by meaning, or some of the nearest vectors were not compared; `text`: hits
    /// are left out; `phrases`: quoted phrases were not all looked for.
    pub what: What,
    /// Number of hits, cells of vectors or phrases; 0 for all.
    pub count: usize,
    /// Code of the first error.
    pub code: String,
    /// Its message.
    pub message: String,
}

/// Kinds of what a result lacks.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum What {
    /// The search by words.
    Keyword,
    /// The search by meaning.
    Vector,
    /// Texts of hits.
    Text,
    /// Quoted phrases.
    Phrases,
}

/// What is in an attached library, and what of it is on this device.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachedStats {
    /// Address of the manifest.
    pub url: String,
    /// Value that changes with the contents.
    pub fingerprint: String,
    /// Whether the host was not reached, and a manifest that is stored here is used.
    pub stale: bool,
    /// Number of documents.
    pub documents: usize,
    /// Number of chunks.
    pub chunks: usize,
    /// Number of chunks with a vector.
    pub embedded: usize,
    /// Collections, ordered by name.
    pub collections: Vec<CollectionStats>,
    /// The embedder by which the library was built; null where it has no vectors.
    pub embedder: Option<AttachedEmbedder>,
    /// Bytes of memory that what was read takes.
    pub memory: usize,
    /// What is stored in this browser of all libraries of the origin; null where nothing can be, or shall not be.
    pub cache: Option<CacheStats>,
    /// What `keep` has kept.
    pub kept: Option<KeptStats>,
    /// What was requested since the library was attached.
    pub fetched: FetchedStats,
}

/// The embedder of an attached library.
#[derive(Debug, JsonSchema)]
pub struct AttachedEmbedder {
    /// Its id.
    pub id: String,
    /// Length of a vector.
    pub dimensions: usize,
}

/// What is stored of libraries in parts.
#[derive(Debug, JsonSchema)]
pub struct CacheStats {
    /// Number of bytes.
    pub bytes: usize,
    /// Number of parts and ranges of parts.
    pub entries: usize,
}

/// What is kept of a library.
#[derive(Debug, JsonSchema)]
pub struct KeptStats {
    /// Number of parts.
    pub parts: usize,
    /// Number of bytes.
    pub bytes: usize,
}

/// What was requested of a host.
#[derive(Debug, JsonSchema)]
pub struct FetchedStats {
    /// Number of requests for parts.
    pub requests: usize,
    /// Number of bytes of parts.
    pub bytes: usize,
    /// Number of reads that this browser's storage answered.
    pub stored: usize,
}

const fn yes() -> bool {
    true
}

const fn memory() -> usize {
    64_000_000
}

const fn half_a_minute() -> usize {
    30_000
}
