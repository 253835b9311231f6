//! Holds back requests with text of documents that are never sent, and finds what a run has left out for the user.

use super::context::Context;
use super::egress::{Standing, held, text_of};
use super::plan::Format;
use super::ports::{ChatRequest, NeverSentText, SearchLimits, Strategy};
use super::run::{LIBRARY, Run};
use super::step_id::StepId;
use super::table::Output;
use std::collections::BTreeSet;
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::Result;
use vademecum_protocol::hops::Hops;

/// Maximum number of sentences that are searched for before a request is held back.
const HELD: usize = 32;

impl Run<'_> {
    /// Asks the library what a text holds of documents that are never sent.
    ///
    /// # Errors
    /// Those of the searcher: the text must not be sent then.
    pub(super) fn ask_library(&self, text: &str) -> Result<NeverSentText> {
        if !self.notes.asked_library.get() {
            let guessed = self.notes.guessed.borrow();
            for text in guessed.iter() {
                self.seen().said(text, &self.searcher.never_sent_in(text)?);
            }
            self.seen().begin_library();
            self.notes.asked_library.set(true);
        }
        self.searcher.never_sent_in(text)
    }

    /// Returns the texts of documents that any part of a request contains.
    ///
    /// # Errors
    /// Where the request cannot be read, and those of [`Run::ask_library`]: it must not be sent then.
    pub(super) fn standing(&self, request: &ChatRequest) -> Result<Standing> {
        let text = text_of(request)?;
        Ok(self.seen().within(&text, &self.ask_library(&text)?))
    }

    /// Notes what a model has written. Where the library cannot be asked, nothing is noted: what quotes the text is then held back.
    pub(super) fn note_said(&self, text: &str) {
        if self.ask_library(text).is_ok_and(|library| self.seen().said(text, &library)) {
            self.notes.guessed.borrow_mut().push(text.to_owned());
        }
    }

    /// Reports whether a text holds a sentence that may not be sent, of those that were compared with a request so far.
    ///
    /// # Errors
    /// Those of the searcher.
    pub(super) fn holds_never_sent(&self, text: &str) -> Result<bool> {
        let asked = self.notes.asked_library.get();
        let library = if asked { self.ask_library(text)? } else { NeverSentText::default() };
        Ok(self.seen().within(text, &library).never)
    }

    /// Searches for the sentences for which a request would be held back among the documents that may be sent: what stands there as
    /// well is no secret. Returns whether there were any such sentences.
    pub(super) async fn know_open(&self, request: &ChatRequest) -> Result<bool> {
        let collections = self.searcher.names()?;
        let limits = SearchLimits {
            limit: 20,
            hops: Hops::default(),
            mode: Strategy::Keyword,
            ..SearchLimits::default()
        };
        let text = text_of(request)?;
        let held = held(&self.searcher.never_sent_in(&text)?.texts, &text);
        for sentence in held.iter().take(HELD) {
            let found = self.searcher.search_all(sentence, &collections, &limits).await?;
            self.seen().found(&found.hits);
        }
        Ok(!held.is_empty())
    }

    /// Returns the passages of documents that are never sent that the question finds, where the run's own searches leave them out.
    pub(super) async fn withheld(&self, step: &StepId, context: &Context) -> Vec<Hit> {
        let searched = context.results.is_some()
            && !context.skip_retrieval
            && context.workspace.searcher.is_none()
            && self.search_overrides.searcher.is_none();
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
        if !self.ask_library("")?.any && !self.seen().has_withheld() {
            return Ok(Vec::new());
        }
        let limits = SearchLimits {
            limit: context.request.limit,
            threshold: context.request.threshold,
            filters: context.filters.clone(),
            hops: Hops::default(),
            mode: context.workspace.strategy,
            fields_of: self.searcher.names()?,
            ..SearchLimits::default()
        };
        let searched = context.searched();
        // Collections without a document that may be sent are not in the scope.
        let collections = if searched == context.workspace.scope { self.searcher.names()? } else { searched };
        self.searcher.search_withheld(context.asked(), &collections, &limits).await
    }

    /// Counts the documents that are never sent and would be rows of the answer, once no LLM is asked any more. A table that is
    /// made of the passages lacks the documents of those that were found for the user alone.
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
                self.tell_failure(&LIBRARY, &error, fallback);
            }
        }
    }
}
