//! What a run knows of documents that are never sent: enough to hold a request back, and to show the user what it has left out.

use super::context::Context;
use super::evidence::with_summaries;
use super::plan::Format;
use super::ports::{ChatRequest, SearchLimits, Strategy};
use super::run::{LIBRARY, Run};
use super::table::Output;
use std::collections::BTreeSet;
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::Result;

/// The most sentences that are looked for before a request is held back.
const HELD: usize = 32;

impl Run<'_> {
    /// Sees to it that all documents are known that are never sent, before the first request goes out.
    pub(super) fn know_all(&self) -> Result<()> {
        if !self.notes.knows_all.get() {
            self.seen().all(&with_summaries(self.searcher.never_sent()?));
            self.notes.knows_all.set(true);
            self.notes.guessed.borrow().iter().for_each(|text| _ = self.seen().said(text));
        }
        Ok(())
    }

    /// Notes what a model has written.
    pub(super) fn note_said(&self, text: &str) {
        if self.seen().said(text) {
            self.notes.guessed.borrow_mut().push(text.to_owned());
        }
    }

    /// Looks for the sentences for which a request would be held back among the documents that may be sent: what stands there as
    /// well is no secret. Whether any were looked for.
    pub(super) async fn know_open(&self, request: &ChatRequest) -> Result<bool> {
        let collections = self.searcher.names()?;
        let limits = SearchLimits { limit: 20, hops: 1, mode: Strategy::Keyword, ..SearchLimits::default() };
        let held = self.seen().held(&self.searcher.never_sent()?, request)?;
        for sentence in held.iter().take(HELD) {
            let found = self.searcher.search_all(sentence, &collections, &limits).await?;
            self.seen().found(&found.hits);
        }
        Ok(!held.is_empty())
    }

    /// The passages of documents that are never sent that the question finds, where the run's own searches leave them out.
    pub(super) async fn withheld(&self, step: &str, context: &Context) -> Vec<Hit> {
        let searched = context.results.is_some()
            && !context.skip_retrieval
            && context.workspace.searcher.is_none()
            && self.parts.searcher.is_none();
        if !searched || !self.searcher.is_view() {
            return Vec::new();
        }
        let found = self.cancel.guard(self.search_withheld(context)).await.and_then(|found| found);
        found.unwrap_or_else(|error| {
            self.tell_failure(step, &error, "documents that are never sent were not searched for the user");
            Vec::new()
        })
    }

    /// Searches for them where there are any.
    async fn search_withheld(&self, context: &Context) -> Result<Vec<Hit>> {
        self.know_all()?;
        if !self.seen().has_withheld() {
            return Ok(Vec::new());
        }
        let limits = SearchLimits {
            limit: context.request.limit,
            threshold: context.request.threshold,
            filters: context.filters.clone(),
            hops: 1,
            mode: context.workspace.strategy,
            fields_of: self.searcher.names()?,
            ..SearchLimits::default()
        };
        self.searcher.search_withheld(context.asked(), &context.searched(), &limits).await
    }

    /// Counts the documents that are never sent and would be rows of the answer, once nothing is asked of an LLM any more. A table
    /// that is made of the passages lacks the documents of those that were found for the user alone.
    pub(super) fn count_withheld_rows(&self, context: &mut Context) {
        if !self.searcher.is_view() {
            return;
        }
        let counted = match &context.workspace.progress.rows_of {
            Some(rows) => self.searcher.count_withheld(&rows.collections, rows.filters.as_ref()),
            None => {
                let documents: BTreeSet<[&str; 2]> =
                    context.withheld.iter().map(|hit| [&*hit.chunk.collection, &*hit.chunk.doc_id]).collect();
                Ok(if context.output.is_some() { documents.len() } else { 0 })
            }
        };
        match counted {
            Ok(0) => {}
            // Where all of them are never sent, there was no table.
            Ok(left_out) => {
                let none = || Output::of(Format::default(), &[], 0);
                context.output.get_or_insert_with(none).left_out = left_out;
            }
            Err(error) => {
                let fallback = "rows of documents that are never sent were not counted";
                self.tell_failure(LIBRARY, &error, fallback);
            }
        }
    }
}
