//! What calls of a knowledge base return, where JavaScript adds to what the engine sends.

use crate::host::Vectors;
use crate::options::StorageKind;
use schemars::JsonSchema;
use vademecum_encoder::onnx_options::{Backend, Pooling};
use vademecum_engine as engine;
use vademecum_index as index;
use vademecum_index::persist::Lost;
use vademecum_protocol::schema::Failure;

/// What is in a knowledge base, and what is built of it.
#[derive(Debug, JsonSchema)]
pub struct Stats {
    /// What the engine sends.
    #[serde(flatten)]
    pub engine: engine::Stats,
    /// The embedder; null without one.
    pub embedder: Option<EmbedderStats>,
    /// Where the knowledge base is kept; null for one in memory.
    pub library: Option<LibraryStats>,
}

/// The embedder of a knowledge base.
#[derive(Debug, JsonSchema)]
pub struct EmbedderStats {
    /// Its id.
    pub id: String,
    /// Minimum cosine that the agent asks of vector hits; null where there is none.
    pub threshold: Option<f32>,
    /// How `Embedder.onnx` makes vectors, once its model is loaded; null otherwise.
    pub pooling: Option<Pooling>,
    /// What computes the model of `Embedder.onnx`, once it is loaded: `kernel` or `onnxruntime`; null otherwise.
    pub backend: Option<Backend>,
    /// The vector instructions that the kernel uses; null otherwise.
    pub instructions: Option<String>,
    /// Whether the model of `Embedder.onnx` is stored in this browser, so that it is not fetched again; null until that is known.
    pub stored: Option<bool>,
    /// Whether other tabs use the same workers, once the model of `Embedder.onnx` is loaded; null otherwise.
    pub shared: Option<bool>,
}

/// Where a knowledge base is kept.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LibraryStats {
    /// The kind of storage.
    pub kind: StorageKind,
    /// Whether it cannot be changed here.
    pub read_only: bool,
    /// Bytes that the whole origin uses, by the browser's own account.
    pub usage: Option<u64>,
    /// Bytes that the whole origin may use, by the browser's own account.
    pub quota: Option<u64>,
}

/// The result of `kb.import`.
#[derive(Debug, JsonSchema)]
pub struct Imported {
    /// Number of documents.
    pub documents: usize,
    /// What could not be read of a damaged file; only with `salvage`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<Lost>,
}

/// The result of a search.
#[derive(Debug, JsonSchema)]
pub struct SearchResponse {
    /// What the engine sends.
    #[serde(flatten)]
    pub engine: engine::SearchResponse,
    /// What the reranker did; only with the option `rerank`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranked: Option<Reranked>,
}

/// What a reranker did with the hits of a search.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reranked {
    /// Relevance of each hit, from 0 to 1; null for hits that were not rated, which follow the others in the order of their score.
    pub ratings: Vec<Option<f32>>,
    /// Rank of each hit before, from 1.
    pub from: Vec<usize>,
    /// Number of hits that were rated, those beyond `limit` included.
    pub rated: usize,
    /// Milliseconds that rating took.
    pub took_ms: f64,
    /// Why hits were not rated, if the reranker failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

/// Chunks and their vectors.
#[derive(Debug, JsonSchema)]
pub struct ChunkVectors {
    /// What the engine sends as JSON.
    #[serde(flatten)]
    pub list: index::ChunkVectors,
    /// Their vectors, one after the other: that of `chunks[i]` begins at `i * dimensions`. Each is of length 1 and rounded to 8
    /// bits, as the index keeps it.
    pub values: Vectors,
}

/// Progress of a call.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// The phase, and what it counts: `model` bytes, `read` documents, `embed` chunks, `keep` bytes.
    pub phase: AnyPhase,
    /// Number of bytes, documents or chunks that are done.
    pub loaded: usize,
    /// Number of all of them; 0 where it is not known.
    pub total: usize,
    /// Seconds that the rest of the phase will take, by its rate so far; null while that is unknown.
    pub seconds_left: Option<u64>,
}

/// A phase of a call: of the engine's, or without the engine.
#[derive(Debug, JsonSchema)]
#[serde(untagged)]
pub enum AnyPhase {
    /// The engine's.
    Engine(engine::Phase),
    /// Without it.
    Before(Before),
}

/// A phase without the engine.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Before {
    /// Fetching the model.
    Model,
    /// Keeping the parts of a library.
    Keep,
}
