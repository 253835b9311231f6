//! Finds out what a question wants and which calls of tools find it.

use super::planner::calls;
use super::planner::request::Planner;
use crate::budget_plan::{Cost, SHORT_CALL};
use crate::context::Context;
use crate::llm_call::StepOverrides;
use crate::outcome::{StepOutcome, StepResult};
use crate::run::{Run, Step};
use crate::step_id::StepId;
use crate::tools::Toolset;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vademecum_protocol::error::Result;

/// The step that plans calls.
#[derive(Debug, Clone, PartialEq)]
pub struct Analyze {
    /// The tools there are.
    pub set: Toolset,
    /// Maximum number of calls.
    pub max: usize,
    /// A prompt and an LLM of its own.
    pub own: StepOverrides,
}

impl Step for Analyze {
    fn id(&self) -> &StepId {
        &StepId::AnalyzeQuery
    }

    fn cost(&self, run: &Run<'_>, _context: &Context) -> Option<Cost> {
        run.has_llm(&self.own).then(|| Cost::of(1, SHORT_CALL))
    }

    fn describe(&self, context: &Context) -> Value {
        json!({ "question": context.asked() })
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            let planner = Planner { step: self.id(), own: &self.own, max: self.max };
            let (analysis, by) = calls::plan(&planner, run, context, self.set).await?;
            Ok(StepOutcome::new(by, StepResult::Analyze(analysis)))
        })
    }
}
