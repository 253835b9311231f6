//! Options of the calls of a knowledge base and of embedders.

use crate::host::{
    AnAgent, Embedder, Fetch, Headers, Llm, OnBeforeSearch, OnBeforeSend, OnEvaluated, OnHits, OnProgress,
    OnSend, PairReranker, Strategies, Worker, Workers,
};
use schemars::JsonSchema;
use vademecum_encoder::onnx_options as onnx;
use vademecum_encoder::pair_options::PairOptions;
use vademecum_engine::{FacetRequest, ListRequest, Options, SearchRequest, VectorsRequest};
use vademecum_eval::CaseOptions;
use vademecum_protocol::range::Range;
use vademecum_protocol::schema::{Name, Signal};

/// Cosines below which a model says nothing.
const THRESHOLD: Range<f32> = Range::new("threshold", 0.0, 1.0);
/// Calls at once.
const CONCURRENCY: Range<usize> = Range::from("concurrency", 1);
/// Milliseconds of the longest timer that JavaScript has; a longer one fires at once.
const LONGEST_TIMER: usize = (1 << 31) - 1;
/// Milliseconds without a byte.
const TIMEOUT: Range<usize> = Range::new("timeout", 1, LONGEST_TIMER);
/// Hits that are rated.
const TOP: Range<usize> = Range::new("rerank.top", 1, 100);
/// Milliseconds of rating.
const DEADLINE: Range<usize> = Range::new("rerank.deadlineMs", 1, LONGEST_TIMER);
/// Hits of a remote collection.
const CANDIDATES: Range<usize> = Range::new("candidates", 1, 1_000);
/// Attempts after the first.
const RETRIES: Range<usize> = Range::new("retries", 0, 10);
/// Documents of a ranking that are looked at.
const DEPTH: Range<usize> = Range::new("k", 1, 100);

/// Where a library is kept: files of the origin, a database of the origin, or nowhere.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StorageKind {
    /// Files of the origin.
    Opfs,
    /// A database of the origin.
    IndexedDb,
    /// Nowhere.
    Memory,
}

/// Options of calls that may take long.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkOptions {
    /// Ends the call, which rejects with `aborted`.
    pub signal: Option<Signal>,
    /// Called as the work goes on.
    pub on_progress: Option<OnProgress>,
}

/// Options of `KnowledgeBase.memory`: how documents are divided, embedded and searched.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-omits" = ["salvage"]))]
pub struct MemoryOptions {
    /// Embedder for search by meaning. Without one, documents are searched by words alone.
    pub embedder: Option<Embedder>,
    /// Reranker of searches with the option `rerank`, and of the step `rerank` of pipelines; made by `Reranker.onnx`.
    pub reranker: Option<PairReranker>,
    /// Called as the model's bytes arrive.
    pub on_progress: Option<OnProgress>,
    /// What the engine reads.
    #[serde(flatten)]
    pub engine: Options,
    /// Workers in place of the package's own. Default: those beside its files.
    pub workers: Option<OwnWorkers>,
}

/// Options of `KnowledgeBase.open`.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-extends" = ["MemoryOptions"]))]
pub struct OpenOptions {
    /// Where the library is kept. Default: `opfs` where that works, else `indexeddb`.
    pub storage: Option<StorageKind>,
    /// What the engine reads.
    #[serde(flatten)]
    pub engine: Options,
    /// Whether the call waits until this page may write, however long another tab has the library open. Without it, the library
    /// can be read meanwhile.
    #[serde(default)]
    pub wait: bool,
    /// Ends the waiting: the call rejects with `aborted`.
    pub signal: Option<Signal>,
}

/// Options of `kb.import`.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-extends" = ["WorkOptions"]))]
pub struct ImportOptions {
    /// Whether the undamaged part of a damaged file is taken; `lost` tells what is missing.
    #[serde(default)]
    pub salvage: bool,
}

/// Workers in place of those that the package starts itself: for bundlers, hosts and policies with which it cannot.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnWorkers {
    /// Runs the package's `worker.js`, of `vademecum/lite` its `lite/worker.js`.
    pub engine: Option<Worker>,
    /// Each runs the package's `embed-worker.js`.
    pub embedder: Option<Worker>,
    /// Each runs the package's `graph-worker.js`.
    pub graph: Option<Worker>,
}

/// Options of `kb.search`. An option that is misspelt is refused.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchOptions {
    /// What the engine reads.
    #[serde(flatten)]
    pub request: SearchRequest,
    /// Whether and how a reranker rates the hits: `{}` for the defaults. Needs the option `reranker` of the knowledge base, or one
    /// here.
    pub rerank: Option<SearchRerank>,
    /// Ends the call, which rejects with `aborted`.
    pub signal: Option<Signal>,
}

/// Options of `kb.attach`.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[serde(default)]
pub struct RemoteOptions {
    /// What the collection holds, for people and for the agent. Default: what the collection says itself.
    pub description: Option<String>,
    /// Milliseconds that a search waits for the collection.
    #[schemars(transform = DEADLINE.declared())]
    pub deadline_ms: usize,
    /// Number of hits that the collection is asked for in hybrid mode, where rankings are fused from more hits than are returned.
    #[schemars(transform = CANDIDATES.declared())]
    pub candidates: usize,
    /// Called with each search before it goes to the collection, and denies it unless it returns the payload.
    pub on_before_send: Option<OnBeforeSearch>,
}

impl Default for RemoteOptions {
    fn default() -> Self {
        Self { description: None, deadline_ms: 2_000, candidates: 100, on_before_send: None }
    }
}

/// Options of `Searcher.chroma`: where the collection is, and how it is called.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChromaOptions {
    /// Address of the server, without `/api`.
    #[schemars(with = "Name")]
    pub url: String,
    /// Name of the collection.
    #[schemars(with = "Name")]
    pub collection: String,
    /// Tenant. Default: `default_tenant`.
    pub tenant: Option<Name>,
    /// Database. Default: `default_database`.
    pub database: Option<Name>,
    /// Headers of each request, such as `{ authorization: "Bearer …" }`.
    pub headers: Option<Headers>,
    /// Milliseconds that one attempt may take. Default: 10,000.
    #[schemars(transform = DEADLINE.declared())]
    pub timeout_ms: Option<usize>,
    /// Number of attempts after the first, where the server is busy or cannot be reached. Default: 2.
    #[schemars(transform = RETRIES.declared())]
    pub retries: Option<usize>,
    /// Function in place of the global `fetch`.
    pub fetch: Option<Fetch>,
    /// Whether phrases in double quotes must be in the text, in the same letters: the question is sent for that.
    #[serde(default)]
    pub phrases: bool,
    /// What the collection holds, for people and for the agent.
    pub description: Option<String>,
    /// Types of metadata fields. Without them, a filter may name any field.
    #[schemars(with = "Option<vademecum_protocol::schema::FieldTypes>")]
    pub schema: Option<serde_json::Value>,
}

/// Options of `kb.documents`.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListOptions {
    /// What the engine reads.
    #[serde(flatten)]
    pub request: ListRequest,
}

/// Options of `kb.facets`.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FacetOptions {
    /// What the engine reads.
    #[serde(flatten)]
    pub request: FacetRequest,
}

/// Options of `kb.vectors`.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VectorsOptions {
    /// What the engine reads.
    #[serde(flatten)]
    pub request: VectorsRequest,
}

/// Options of `kb.makeCases`: how many questions are made, of what and by whom.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MakeCasesOptions {
    /// What the engine reads.
    #[serde(flatten)]
    pub request: CaseOptions,
    /// Model that writes questions in words of its own. Passages are sent to it.
    pub llm: Option<Llm>,
    /// Called with each request before it goes to `llm`, and denies it unless it returns the payload.
    pub on_before_send: Option<OnBeforeSend>,
    /// Called with each request that was handed to `llm`, or was denied.
    pub on_send: Option<OnSend>,
    /// Ends the call at once.
    pub signal: Option<Signal>,
}

/// Options of `kb.evaluate`: how the questions are asked.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[serde(default)]
pub struct EvaluateOptions {
    /// Strategies to compare. Default: `keyword`, `vector`, `hybrid` and `pipeline`.
    pub strategies: Option<Strategies>,
    /// Agent of all strategies but the searches. Without one, `pipeline` goes by rules.
    pub agent: Option<AnAgent>,
    /// Number of documents of a ranking that are looked at.
    #[schemars(transform = DEPTH.declared(), extend("x-default" = true))]
    pub k: usize,
    /// Ends the call at once.
    pub signal: Option<Signal>,
    /// Called after each question with how many of all are done.
    pub on_progress: Option<OnEvaluated>,
}

impl Default for EvaluateOptions {
    fn default() -> Self {
        Self { strategies: None, agent: None, k: 10, signal: None, on_progress: None }
    }
}

/// Where a model's files are.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelSource {
    /// Address of the model file, in the form of ONNX, or of safetensors with its `config.json` beside it. Relative addresses count
    /// from the page, in Node from the working folder.
    #[schemars(with = "Name")]
    pub model: String,
    /// Address of the `tokenizer.json` that was published with it.
    #[schemars(with = "Name")]
    pub tokenizer: String,
    /// Folder with the three files of the ONNX runtime. Default: `ort/` beside the package's workers.
    pub runtime: Option<Name>,
    /// Hash of the model's file in the form of subresource integrity, such as `sha256-` and the hash in base64. Another file is
    /// refused with `model_corrupt`. A stored one with this hash is used without asking the server.
    pub integrity: Option<Name>,
    /// Whether the model's files are stored in this browser, so that they are fetched once. Where that is impossible, they are
    /// fetched on each visit.
    #[serde(default = "yes")]
    #[schemars(extend("x-default" = true))]
    pub cache: bool,
    /// Milliseconds without a byte after which a download is given up.
    #[serde(default = "half_a_minute")]
    #[schemars(transform = TIMEOUT.declared(), extend("x-default" = true))]
    pub timeout: usize,
}

/// Options of `Embedder.onnx`: which model embeds, and how.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OnnxOptions {
    /// Where its files are.
    #[serde(flatten)]
    pub source: ModelSource,
    /// Number of encoders side by side, from 1 to 64, each with a copy of the model. Default: `"auto"`, one per core and up to four;
    /// half as many on battery, and one with a nearly empty battery, a data saver or little memory, where the browser tells.
    pub workers: Option<Workers>,
    /// Whether documents are embedded only while the page is visible. Questions always are.
    #[serde(default)]
    pub pause_when_hidden: bool,
    /// Whether the tabs of an origin run the model in one pool of workers, each started as a `SharedWorker`. Where browsers lack them,
    /// with `workers.embedder`, and on pages without HTTPS, each tab has a pool of its own; `stats()` says which.
    #[serde(default)]
    pub shared: bool,
    /// Minimum cosine that the agent asks of vector hits. Default: none; it differs between models.
    #[schemars(transform = THRESHOLD.declared())]
    pub threshold: Option<f32>,
    /// What the encoder reads.
    #[serde(flatten)]
    pub encoder: onnx::OnnxOptions,
    /// Name by which a kept library tells this model from others. Default: the end of the model's address and its options.
    pub id: Option<Name>,
}

/// Options of `Reranker.onnx` and of `Reader.onnx`: which model reads questions and passages together, and how.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairModelOptions {
    /// Where its files are.
    #[serde(flatten)]
    pub source: ModelSource,
    /// Number of workers side by side, from 1 to 64, each with a copy of the model, or `"auto"` as for `Embedder.onnx`. Default: 1.
    pub workers: Option<Workers>,
    /// What the model reads.
    #[serde(flatten)]
    pub encoder: PairOptions,
    /// Runs the package's `embed-worker.js` in place of the package's own worker. Default: the one beside its files.
    pub worker: Option<Worker>,
}

/// How `kb.search` reranks hits.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[serde(default)]
pub struct SearchRerank {
    /// Number of hits that the reranker rates, the best by words and vectors.
    #[schemars(transform = TOP.declared(), extend("x-default" = true))]
    pub top: usize,
    /// Milliseconds after which hits that are not rated yet keep their order, behind those that are. Default: none.
    #[schemars(transform = DEADLINE.declared())]
    pub deadline_ms: Option<usize>,
    /// Called with the response as it is before hits are reranked.
    pub on_hits: Option<OnHits>,
    /// Reranker in place of the one of the knowledge base.
    pub reranker: Option<PairReranker>,
}

impl Default for SearchRerank {
    fn default() -> Self {
        Self { top: 20, deadline_ms: None, on_hits: None, reranker: None }
    }
}

/// Options of `Embedder.custom`: what there is to know of a function that embeds.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomEmbedderOptions {
    /// Minimum cosine that the agent asks of vector hits. Default: none; it differs between models.
    #[schemars(transform = THRESHOLD.declared())]
    pub threshold: Option<f32>,
    /// Number of calls of the function that may be under way at once.
    #[serde(default = "one")]
    #[schemars(transform = CONCURRENCY.declared(), extend("x-default" = true))]
    pub concurrency: usize,
    /// Name by which a kept library tells this encoder from others.
    #[serde(default = "custom")]
    #[schemars(with = "Name", extend("x-default" = true))]
    pub id: String,
}

const fn one() -> usize {
    1
}

const fn yes() -> bool {
    true
}

const fn half_a_minute() -> usize {
    30_000
}

fn custom() -> String {
    "custom".to_owned()
}
