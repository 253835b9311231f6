//! `list_documents`: lists all documents that match conditions, while a search returns only the best.

use super::tool::{Outcome, Tool, Use};
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vademecum_protocol::document::Listing;
use vademecum_protocol::error::Result;

/// Maximum number of documents shown to a model.
const MAX_DOCUMENTS: usize = 50;

#[derive(Debug)]
pub(super) struct ListDocuments;

impl Tool for ListDocuments {
    fn name(&self) -> &str {
        super::tool::LIST
    }

    fn description(&self) -> &str {
        "List every document of a collection that fulfils conditions on its metadata."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "bucket": { "type": "string", "description": "The collection." },
                "filters": { "type": "object", "additionalProperties": true },
            },
            "required": ["bucket"],
        })
    }

    fn searches(&self) -> bool {
        false
    }

    fn call<'a>(&'a self, at: &'a Use<'a>, arguments: &'a Value) -> LocalBoxFuture<'a, Result<Outcome>> {
        Box::pin(async move {
            at.run.account.book_search()?;
            let collections = at.collections(arguments);
            let (filters, _) = at.filters(arguments, &collections);
            let fields_of: Vec<String> =
                at.run.searcher.collections().into_iter().map(|one| one.name).collect();
            let mut all = Listing::default();
            for collection in &collections {
                let listing =
                    at.run.searcher.listing(collection, filters.as_ref(), &fields_of, MAX_DOCUMENTS)?;
                all.total += listing.total;
                all.documents.extend(listing.documents.into_iter().filter(|one| !one.never_sent()));
            }
            all.documents.truncate(MAX_DOCUMENTS);
            Ok(Outcome { results: Vec::new(), total: all.total, told: Some(json!(all)) })
        })
    }
}
