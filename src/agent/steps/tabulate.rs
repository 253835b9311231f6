//! The answer as rows, where a list or a table is wanted: one a document, with its metadata.

use super::review::{intent, total};
use crate::agent::context::{By, Context, Thought};
use crate::agent::output::Output;
use crate::agent::plan::{Format, Intent};
use crate::agent::run::{Run, Step};
use crate::agent::tools::Use;
use crate::document::DocumentSummary;
use crate::error::Result;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};

/// The most rows.
const MOST_ROWS: usize = 10_000;

/// The step that makes rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tabulate;

/// The form that the plan says the answer is wanted in.
pub fn format(context: &Context) -> Format {
    let said = context.plan.as_ref().and_then(|plan| plan.get("outputPreferences")?.get("format"));
    said.and_then(|said| serde_json::from_value(said.clone()).ok()).unwrap_or_default()
}

impl Step for Tabulate {
    fn name(&self) -> &str {
        "tabulate"
    }

    fn describe(&self, context: &Context) -> Value {
        json!({ "format": format(context), "export": context.progress.export })
    }

    fn run<'a>(&'a self, run: &'a Run<'_>, context: &'a mut Context) -> LocalBoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            let everything = intent(context) == Intent::List || context.progress.export;
            let (documents, count) =
                if everything { listed(run, context)? } else { of_evidence(run, context) };
            let output = Output::of(format(context), &documents, count);
            let text = format!("{} rows of {} documents", output.rows.len(), count);
            run.think(Thought { step: self.name().to_owned(), by: By::Rule, text });
            let metadata = json!({ "rows": output.rows.len(), "columns": output.columns, "by": By::Rule });
            context.output = Some(output);
            Ok(metadata)
        })
    }
}

/// Every document that fulfils the conditions.
fn listed(run: &Run<'_>, context: &Context) -> Result<(Vec<DocumentSummary>, usize)> {
    let at = Use { run, context, step: "tabulate", top_k: 1, hops: 1 };
    let views = at.views();
    let names: Vec<String> = run.searcher.collections().into_iter().map(|one| one.name).collect();
    let mut all = Vec::new();
    for view in &views {
        let left = MOST_ROWS - all.len();
        if left > 0 {
            all.extend(run.searcher.listing(&view.name, context.filters.as_ref(), &names, left)?.documents);
        }
    }
    Ok((all, total(run, &views, context.filters.as_ref())))
}

/// The documents of the evidence, the best first.
fn of_evidence(run: &Run<'_>, context: &Context) -> (Vec<DocumentSummary>, usize) {
    let mut all: Vec<DocumentSummary> = Vec::new();
    for hit in context.evidence() {
        let chunk = &hit.chunk;
        let is_known = all.iter().any(|one| one.id == chunk.doc_id && one.collection == chunk.collection);
        if !is_known
            && let Some((summary, _)) =
                run.searcher.document(std::slice::from_ref(&chunk.collection), &chunk.doc_id, None)
        {
            all.push(summary);
        }
    }
    let count = all.len();
    (all, count)
}
