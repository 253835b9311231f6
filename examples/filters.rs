//! Finds documents by words, narrowed by conditions on their metadata, in a native program.
//! Run: `cargo run --example filters -- "paid leave"`
//! Without an encoder there are no vectors: words alone find, and nothing is fetched.
#![allow(clippy::print_stdout)]

use futures_util::FutureExt;
use serde_json::json;
use std::rc::Rc;
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::engine::{KnowledgeBase, Options, SearchRequest};
use vademecum::platform::Native;

const NOTES: [(&str, u32, &str); 3] = [
    ("leave-2024.md", 2024, "# Leave\n\nEvery employee has 28 days of paid leave a year."),
    ("leave-2026.md", 2026, "# Leave\n\nEvery employee has 30 days of paid leave a year."),
    ("travel-2026.md", 2026, "# Travel\n\nBook trains in second class. Receipts are paid within four weeks."),
];

/// Returns the ids and texts that `query` finds among the documents from `year` on, the best first.
fn found(query: &str, year: u32) -> vademecum::Result<Vec<(String, String)>> {
    let never = Cancel::default();
    let kb = KnowledgeBase::new(None, Rc::new(Native::default()), Options::default());
    let documents = NOTES.map(|(id, year, text)| {
        let mut document = Document::new(id, text);
        document.metadata.insert("year".into(), year.into());
        document
    });
    let request = SearchRequest {
        query: query.into(),
        filters: Some(json!({ "year": { ">=": year } })),
        ..SearchRequest::default()
    };
    let search = async {
        kb.add("default", documents.into(), &never, &|_| {}).await?;
        kb.search(&request, &never).await
    };
    // Nothing here waits for anything: a program with an embedder of its own would have an executor instead.
    let response = search.now_or_never().ok_or(vademecum::Error::Aborted)??;
    Ok(response.hits.into_iter().map(|hit| (hit.chunk.doc_id, hit.chunk.text)).collect())
}

fn main() -> vademecum::Result<()> {
    let query = std::env::args().nth(1).unwrap_or_else(|| "paid leave".to_owned());
    for (id, text) in found(&query, 2025)? {
        println!("{id}: {}", text.replace('\n', " "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::found;

    #[test]
    fn a_document_of_an_earlier_year_is_not_found() {
        let ids = |year| {
            found("paid leave", year).map(|hits| hits.into_iter().map(|(id, _)| id).collect::<Vec<_>>())
        };
        assert_eq!(ids(2025).ok(), Some(vec!["leave-2026.md".to_owned(), "travel-2026.md".to_owned()]));
        assert_eq!(ids(2000).map(|all| all.len()).ok(), Some(3));
    }
}
