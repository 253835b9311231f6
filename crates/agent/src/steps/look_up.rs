//! Searches for the question itself where a model has not.
//!
//! Small models answer instead of calling tools, or make calls that cannot be made. Without this search, such an answer would be
//! compared with nothing, and such a run would end as if the documents did not say.

use super::rows::resolved;
use super::rules::small_talk::small_talk;
use super::search::Search;
use super::settle::source;
use crate::context::{By, Context};
use crate::outcome::StepOutcome;
use crate::run::{Run, Step};
use crate::step_id::StepId;
use futures_util::future::LocalBoxFuture;
use serde_json::Value;
use vademecum_protocol::error::Result;
use vademecum_protocol::hops::Hops;

/// The step.
#[derive(Debug, Clone, PartialEq)]
pub struct LookUp {
    search: Search,
    top_k: usize,
}

impl LookUp {
    /// Creates the step: a search for `top_k` passages.
    pub fn new(top_k: usize, hops: Hops) -> Self {
        Self { search: Search { hops: Some(hops), ..Search::default() }, top_k }
    }

    /// Returns whether a model has answered a question without having seen a passage. An answer in a conversation may be about
    /// earlier ones.
    pub fn is_needed(context: &Context) -> bool {
        context.answered_by == Some(By::Llm)
            && context.answer.is_some()
            && context.request.history.is_empty()
            && context.workspace.progress.made.is_empty()
            && context.context_used.is_empty()
            && context.output.is_none()
            && !context.skip_retrieval
            && small_talk(context.asked()).is_none()
    }
}

impl LookUp {
    /// Returns whether nothing was searched, or every call that was planned has failed, so that an answer would be written from
    /// nothing.
    pub fn is_missing(context: &Context) -> bool {
        let progress = &context.workspace.progress;
        context.answer.is_none()
            && progress.made.iter().all(|one| one.error.is_some())
            && context.results.iter().flatten().all(|one| one.iterations == 0)
            && context.output.is_none()
            && progress.rows == 0
            && !progress.export
            && !context.skip_retrieval
    }
}

impl Step for LookUp {
    fn id(&self) -> &StepId {
        self.search.id()
    }

    fn describe(&self, context: &Context) -> Value {
        self.search.describe(context)
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            // As the tools do, it searches everything unless collections were chosen.
            let all = run.searcher.collections().into_iter().map(|one| one.name).collect();
            let collections = context.collections.clone().filter(|chosen| !chosen.is_empty()).unwrap_or(all);
            let searcher = run.search_overrides.searcher.clone();
            let search = Search { collections: Some(collections), searcher, ..self.search.clone() };
            let outcome = search.run(run, context).await?;
            let mut found = run.sendable(&context.evidence())?;
            found.truncate(self.top_k);
            context.context_used = resolved(&run.searcher, found);
            source(run, self.id(), context);
            Ok(outcome)
        })
    }
}
