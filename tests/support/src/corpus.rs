//! A small synthetic library of a company's documents, in `tests/data/corpus`: contracts, invoices, data sheets,
//! certificates, manuals, and texts about an actor library.

use super::{block_on, hashing, kb};
use serde::Deserialize;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::engine::{CollectionOptions, KnowledgeBase};

/// A collection declared in `collections.json`.
#[derive(Debug, Clone, Deserialize)]
pub struct Declared {
    pub name: String,
    pub description: String,
    pub schema: Value,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../data/corpus")
}

/// Returns the declared collections, in the order of the file.
pub fn collections() -> Vec<Declared> {
    serde_json::from_str(&fs::read_to_string(folder().join("collections.json")).unwrap()).unwrap()
}

/// Returns the documents of a collection.
pub fn documents(collection: &str) -> Vec<Document> {
    let lines = fs::read_to_string(folder().join(format!("{collection}.jsonl"))).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns a knowledge base of the whole library, with vectors of the hashing embedder.
pub fn corpus() -> KnowledgeBase {
    let kb = kb(hashing());
    for Declared { name, description, schema } in collections() {
        let options =
            CollectionOptions { description: Some(description), language: None, schema: Some(schema) };
        kb.collection(&name, &options).unwrap();
        block_on(kb.add(&name, documents(&name), &Cancel::default(), &|_| {})).unwrap();
    }
    kb
}
