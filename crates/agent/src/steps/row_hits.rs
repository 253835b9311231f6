//! Hits for documents that are known by their metadata alone.

use crate::library::Library;
use vademecum_protocol::document::{Chunk, DocumentSummary, Hit, Span, chunk_id};

/// Creates a hit without text for a document known only by its metadata, so that it can be cited.
pub(super) fn as_hit(document: &DocumentSummary) -> Hit {
    let nowhere = Span { start: 0, end: 0 };
    // The prefix of its chunk ids, without an ordinal.
    let first = chunk_id(&document.collection, &document.id, 0);
    Hit {
        chunk: Chunk {
            id: first.strip_suffix("#0").unwrap_or(&first).to_owned(),
            doc_id: document.id.clone(),
            collection: document.collection.clone(),
            title: document.title.clone(),
            url: document.url.clone(),
            headings: Vec::new(),
            text: String::new(),
            page: None,
            span: nowhere,
            bytes: nowhere,
            truncated: false,
            metadata: document.metadata.clone(),
        },
        score: 0.0,
        explain: None,
    }
}

/// Replaces hits without text by the first passages of their documents.
pub(super) fn resolved(searcher: &Library<'_>, hits: Vec<Hit>) -> Vec<Hit> {
    let first_passage = |hit: &Hit| {
        let of = std::slice::from_ref(&hit.chunk.collection);
        searcher.document(of, &hit.chunk.doc_id, None)?.1.into_iter().next()
    };
    let resolve = |hit: Hit| if hit.chunk.text.is_empty() { first_passage(&hit).unwrap_or(hit) } else { hit };
    hits.into_iter().map(resolve).collect()
}

/// Returns whether a passage is a row of a table: a line for each of several fields.
pub(super) fn is_row(hit: &Hit) -> bool {
    let is_field = |line: &str| {
        line.split_once(':').is_some_and(|(name, _)| hit.chunk.metadata.contains_key(name.trim()))
    };
    let lines = || hit.chunk.text.lines().filter(|line| !line.trim().is_empty());
    lines().count() > 1 && lines().all(is_field)
}
