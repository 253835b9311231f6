//! Documents, cases and names of strategies, as a knowledge base is given them.

use crate::host::{Bytes, Relevance, answerers};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;
use vademecum_protocol::document::Document;
use vademecum_protocol::schema::{Filter, Name, Writer};

/// A document to be added: its text, the bytes of a file, or its pages.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-either" = ["text", "bytes", "pages"]))]
pub struct DocumentInput {
    /// What the engine reads.
    #[serde(flatten)]
    pub document: Document,
    /// Bytes of a file, in UTF-8.
    pub bytes: Option<Bytes>,
    /// Whether LLMs are shown nothing of it: it is still searched, cited and quoted here. Kept as `metadata.neverSend`.
    #[serde(default)]
    pub never_send: bool,
}

/// A question whose relevant documents are known, or that the documents do not answer.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Case {
    /// The question.
    pub question: Name,
    /// The relevant documents, or relevant documents with grades from 1; higher is more relevant.
    pub relevant: Option<Relevance>,
    /// Whether the documents do not answer it; it then has no relevant documents and no answer.
    pub unanswerable: Option<bool>,
    /// Whether its answer is rows: the list of all relevant documents, and of no others.
    pub rows: Option<bool>,
    /// The collection to search. Default: all.
    pub collection: Option<Name>,
    /// The collections to search, where they are several.
    pub collections: Option<Vec<Name>>,
    /// A correct answer.
    pub answer: Option<Name>,
    /// Several correct answers, each correct by itself.
    pub answers: Option<Vec<Name>>,
    /// Condition on the metadata of documents.
    pub filters: Option<Filter>,
    /// Who wrote the question, if `kb.makeCases` made the case.
    pub by: Option<Writer>,
}

/// The name of a strategy of an evaluation.
#[derive(Debug, Clone, Copy)]
pub struct StrategyName;

/// Strategies that search without an agent.
const SEARCHES: [&str; 4] = ["keyword", "vector", "hybrid", "hops"];

impl JsonSchema for StrategyName {
    fn schema_name() -> Cow<'static, str> {
        "StrategyName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<String> = SEARCHES.map(str::to_owned).into_iter().chain(answerers()).collect();
        json_schema!({
            "description": "Name of a strategy: a search, a pipeline by rules or by the agent's LLM, or another style of the agent.",
            "enum": names,
        })
    }
}
