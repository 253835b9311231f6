//! `get_document_metadata`: returns what is known about a document besides its text.

use super::lookup::{document, id_of};
use super::tool::{Outcome, Tool, Use};
use crate::errors::never_sent;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vademecum_protocol::error::Result;

#[derive(Debug)]
pub(super) struct Metadata;

impl Tool for Metadata {
    fn name(&self) -> &str {
        super::tool::METADATA
    }

    fn description(&self) -> &str {
        "Get a document's title and metadata."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": { "doc_id": { "type": "string", "description": "The document's id." } },
            "required": ["doc_id"],
        })
    }

    fn searches(&self) -> bool {
        false
    }

    fn call<'a>(&'a self, at: &'a Use<'a>, arguments: &'a Value) -> LocalBoxFuture<'a, Result<Outcome>> {
        Box::pin(async move {
            let id = id_of(arguments)?;
            at.run.account.book_search()?;
            let (summary, _) = document(at, &id).await?;
            if summary.never_sent() {
                return Err(never_sent("what is known"));
            }
            Ok(Outcome { results: Vec::new(), total: 1, told: Some(json!(summary)) })
        })
    }
}
