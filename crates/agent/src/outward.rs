//! What a run calls outside the agent: the library, and the caller's functions.

use super::budget::Limit;
use super::call::Call;
use super::hooks;
use super::ports::{Found, SearchLimits, ToolUse};
use super::run::Run;
use super::step_id::StepId;
use futures_util::future::{Either, LocalBoxFuture, select};
use serde_json::{Value, json};
use std::pin::pin;
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::relevance::{Relevance, RelevanceRequest};

/// Summarises a search for the audit log.
fn summary_of(found: &Found) -> Value {
    let mut short = json!({ "chunks": found.hits.iter().map(|hit| &hit.chunk.id).collect::<Vec<_>>() });
    if let (Some(error), Value::Object(fields)) = (&found.degraded, &mut short) {
        fields.insert("mode".into(), json!(found.mode));
        fields.insert("degraded".into(), json!(error.code()));
    }
    short
}

impl Run<'_> {
    /// Searches a collection, with the caller's searcher if the step has one.
    ///
    /// # Errors
    /// [`Error::BudgetExhausted`](vademecum_protocol::error::Error::BudgetExhausted), and those of the searcher.
    pub async fn search(
        &self,
        step: &StepId,
        searcher: Option<&str>,
        question: &str,
        collection: &str,
        limits: &SearchLimits,
    ) -> Result<Vec<Hit>> {
        self.account.book_search()?;
        let arguments = json!({ "question": question, "collection": collection, "limits": limits });
        let call = Call::begin(self, step, "search", arguments);
        let found = match searcher {
            None => self.find_booked(step, question, &[collection.to_owned()], limits).await,
            Some(name) => {
                let hits = hooks::search(self, step, name, question, collection, limits).await;
                hits.map(|mut hits| {
                    self.seen().given(&mut hits);
                    Found { total: hits.len(), hits, mode: limits.mode, ..Found::default() }
                })
            }
        };
        call.end(found.as_ref().map(summary_of));
        Ok(found?.hits)
    }

    /// Searches collections together without recording the call; with the caller's searcher, if the style has one, one collection
    /// after the other.
    ///
    /// # Errors
    /// As [`Run::search`].
    pub async fn find(
        &self,
        step: &StepId,
        question: &str,
        collections: &[String],
        limits: &SearchLimits,
    ) -> Result<Found> {
        if let Some(name) = &self.search_overrides.searcher {
            return hooks::search_all(self, step, name, question, collections, limits).await;
        }
        self.account.book_search()?;
        self.find_booked(step, question, collections, limits).await
    }

    async fn find_booked(
        &self,
        step: &StepId,
        question: &str,
        collections: &[String],
        limits: &SearchLimits,
    ) -> Result<Found> {
        let left = self.account.all_time_left(self.elapsed());
        let found =
            self.in_time(left, Box::pin(self.searcher.search_all(question, collections, limits))).await?;
        self.seen().found(&found.hits);
        // A failing embedder fails every search of the run: it is reported once.
        if let Some(error) = &found.degraded
            && !self.notes.degraded.replace(true)
        {
            self.tell_failure(step, error, "keywords alone were searched");
        }
        found.lost.iter().for_each(|error| self.tell_lost(step, error));
        Ok(found)
    }

    /// Reports that a collection elsewhere could not be searched, once for each message.
    pub(crate) fn tell_lost(&self, step: &StepId, error: &Error) {
        if self.notes.lost.borrow_mut().insert(error.to_string()) {
            self.tell_failure(step, error, "the other collections were searched");
        }
    }

    /// Measures how a question relates to passages and texts. If that fails, which is reported once, or time runs out, words decide.
    pub async fn relevance(&self, step: &StepId, request: &RelevanceRequest) -> Relevance {
        self.measure(request).await.unwrap_or_else(|error| {
            // A failing embedder has been reported by the search.
            if !self.notes.degraded.replace(true) {
                self.tell_failure(step, &error, "passages were judged by words alone");
            }
            Relevance::default()
        })
    }

    /// Measures how a question relates to passages and texts: nothing is known if time runs out.
    pub(super) async fn measure(&self, request: &RelevanceRequest) -> Result<Relevance> {
        let work = Box::pin(self.searcher.relevance(request));
        match self.account.all_time_left(self.elapsed()) {
            Ok(None) => work.await,
            Ok(Some(left)) => match select(work, pin!(self.platform.sleep(left))).await {
                Either::Left((measured, _)) => measured,
                Either::Right(_) => Ok(Relevance::default()),
            },
            Err(_) => Ok(Relevance::default()),
        }
    }

    /// Calls a caller's function.
    ///
    /// # Errors
    /// [`Error::FunctionFailed`](vademecum_protocol::error::Error::FunctionFailed), and [`Error::BudgetExhausted`](vademecum_protocol::error::Error::BudgetExhausted) if time runs out.
    pub async fn call_function(&self, step: &StepId, name: &str, input: &Value) -> Result<Value> {
        // Input and output may be whole contexts, so the log only contains the call.
        let call = Call::begin(self, step, "function", json!({ "name": name }));
        let left = self.account.all_time_left(self.elapsed());
        let output = self.in_time(left, self.functions.call(name, input)).await;
        call.end(output.as_ref().map(|_| Value::Null));
        output
    }

    /// Calls the caller's function behind a tool. The tool step records the call, not this function.
    ///
    /// # Errors
    /// As [`Run::call_function`].
    pub async fn call_tool(&self, name: &str, tool: &ToolUse) -> Result<Value> {
        let left = self.account.all_time_left(self.elapsed());
        self.in_time(left, self.functions.call_tool(name, tool)).await
    }

    /// Waits for `work`, at most for the time `left`.
    pub(super) async fn in_time<T>(
        &self,
        left: Result<Option<f64>>,
        work: LocalBoxFuture<'_, Result<T>>,
    ) -> Result<T> {
        match left? {
            None => work.await,
            Some(left) => match select(work, pin!(self.platform.sleep(left))).await {
                Either::Left((outcome, _)) => outcome,
                Either::Right(_) => Err(self.account.exhaust(Limit::Ms)),
            },
        }
    }
}
