//! Documents and cases, as a knowledge base is given them.

use crate::host::{Bytes, Relevance};
use schemars::JsonSchema;
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

/// A question whose relevant documents are known.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Case {
    /// The question.
    pub question: Name,
    /// The relevant documents, or relevant documents with grades from 1; higher is more relevant.
    pub relevant: Relevance,
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
