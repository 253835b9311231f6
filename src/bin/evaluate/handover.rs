//! Writes a file for comparison with another build of the engine: documents, vectors, questions, and the
//! chunks found.

use crate::arguments::Arguments;
use crate::now;
use crate::served::{CachedEmbedder, Recorder};
use serde_json::{Value, json};
use std::path::Path;
use vademecum::cancel::Cancel;
use vademecum::encoder::Kind;
use vademecum::engine::{KnowledgeBase, Mode};
use vademecum::eval::beir::Dataset;
use vademecum::eval::{ARMS, chunks_for};

/// Number of ranks compared.
const RANKS: usize = 10;

pub(crate) fn write(
    file: &Path,
    arguments: &Arguments,
    kb: &KnowledgeBase,
    dataset: &Dataset,
    recorder: &Recorder,
    embedder: &CachedEmbedder,
) -> Result<(), String> {
    let hybrid = ARMS.into_iter().find(|arm| arm.mode == Mode::Hybrid).ok_or("there is no hybrid arm")?;
    let never = Cancel::default();
    let mut questions = Vec::new();
    for query in &dataset.queries {
        let chunks = now(chunks_for(kb, query, hybrid, RANKS, &never))?;
        questions.push(json!({
            "text": query.text,
            "vector": embedder.vector(Kind::Query, &query.text),
            "chunks": chunks,
        }));
    }
    let vectors: Vec<Value> = recorder
        .texts()
        .iter()
        .map(
            |text| json!({ "text": text.as_str(), "vector": embedder.vector(Kind::Document, text.as_str()) }),
        )
        .collect();
    let all = json!({
        "name": dataset.name,
        "chunkTokens": arguments.options.chunk_tokens,
        "fusion": hybrid.fusion,
        "limit": RANKS,
        "documents": dataset.documents,
        "vectors": vectors,
        "questions": questions,
    });
    std::fs::write(file, all.to_string()).map_err(|error| format!("{}: {error}", file.display()))
}
