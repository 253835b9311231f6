//! `document_lookup`: returns a whole document.

use super::tool::{Outcome, Tool, Use};
use crate::context::SearchResult;
use crate::reply::json::{field, text};
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vademecum_protocol::document::{DocumentSummary, Hit};
use vademecum_protocol::error::{Error, Result, excerpt};

/// Maximum number of chunks returned.
const MAX_CHUNKS: usize = 40;

/// Returns the document id among the arguments.
pub(super) fn id_of(arguments: &Value) -> Result<String> {
    let id = field(arguments, &["doc_id", "docId", "document_id", "document", "id"]).and_then(text);
    id.or_else(|| text(arguments))
        .filter(|id| !id.trim().is_empty())
        .ok_or_else(|| Error::invalid("doc_id", "the id of a document", excerpt(&arguments.to_string(), 80)))
}

/// Returns the names of the run's collections.
pub(super) fn everywhere(at: &Use<'_>) -> Vec<String> {
    at.views().into_iter().map(|one| one.name).collect()
}

/// Returns a document of the run's collections, those that are kept elsewhere last.
pub(super) async fn document(at: &Use<'_>, id: &str) -> Result<(DocumentSummary, Vec<Hit>)> {
    let (library, collections) = (&at.run.searcher, everywhere(at));
    let mut found = library.document(&collections, id, at.context.filters.as_ref());
    if found.is_none() && at.context.filters.is_some() && library.is_elsewhere(&collections) {
        let message = format!(
            "The document `{}` is none of the library's that fulfil the run's filters, and documents of remote collections are not fetched where there are filters. Search for its passages.",
            excerpt(id, 80)
        );
        return Err(Error::Relayed { code: "remote_unsupported", message, retryable: false });
    }
    if found.is_none() && library.is_elsewhere(&collections) {
        let left = at.run.account.all_time_left(at.run.elapsed());
        let asked = Box::pin(library.document_elsewhere(&collections, id));
        found = at.run.in_time(left, asked).await?;
        found.iter().for_each(|(_, hits)| at.run.seen().found(hits));
    }
    found.ok_or_else(|| Error::UnknownDocument { collection: collections.join(", "), id: excerpt(id, 80) })
}

#[derive(Debug)]
pub(super) struct Lookup;

impl Tool for Lookup {
    fn name(&self) -> &str {
        "document_lookup"
    }

    fn description(&self) -> &str {
        "Get all passages of one document, in order."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": { "doc_id": { "type": "string", "description": "The document's id." } },
            "required": ["doc_id"],
        })
    }

    fn call<'a>(&'a self, at: &'a Use<'a>, arguments: &'a Value) -> LocalBoxFuture<'a, Result<Outcome>> {
        Box::pin(async move {
            let id = id_of(arguments)?;
            at.run.account.book_search()?;
            let (summary, mut chunks) = document(at, &id).await?;
            let total = chunks.len();
            chunks.truncate(MAX_CHUNKS);
            let told = (total > MAX_CHUNKS).then(|| json!({ "passages_left_out": total - MAX_CHUNKS }));
            let result = SearchResult { question: id, collection: summary.collection, chunks, iterations: 1 };
            Ok(Outcome { results: vec![result], total, told })
        })
    }
}
