//! Builds the table of an answer that requests a list or table, with one row per document.

use super::planner::planned::format;
use super::rows::{Rows, unread};
use crate::context::{By, Context, Thought};
use crate::outcome::{StepOutcome, StepResult};
use crate::run::{Run, Step};
use crate::step_id::StepId;
use crate::table::Output;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vademecum_protocol::document::DocumentSummary;
use vademecum_protocol::error::Result;

/// The tabulate step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tabulate;

impl Step for Tabulate {
    fn id(&self) -> &StepId {
        &StepId::Tabulate
    }

    fn describe(&self, context: &Context) -> Value {
        json!({ "format": format(context), "export": context.workspace.progress.export })
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            let output = match Rows::of(run, context).filter(Rows::may_be_output) {
                Some(rows) => rows.output(run, &mut context.workspace.progress)?,
                // The documents of the best passages do not necessarily match the uninterpreted words.
                None if unread(run, context).is_some() => {
                    let text = "no rows: which documents are meant could not be read".to_owned();
                    run.think(Thought { step: self.id().clone(), by: By::Rule, text });
                    let result = StepResult::Tabulate { rows: 0, columns: Vec::new() };
                    return Ok(StepOutcome::new(By::Rule, result));
                }
                None => {
                    let documents = of_evidence(run, context);
                    Output::of(format(context), &documents, documents.len())
                }
            };
            let text = format!("{} rows of {} documents", output.rows.len(), output.total);
            run.think(Thought { step: self.id().clone(), by: By::Rule, text });
            let (rows, columns) = (output.rows.len(), output.columns.clone());
            context.output = Some(output);
            Ok(StepOutcome::new(By::Rule, StepResult::Tabulate { rows, columns }))
        })
    }
}

/// Returns the documents of the evidence, best first.
fn of_evidence(run: &Run<'_>, context: &Context) -> Vec<DocumentSummary> {
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
    all
}
