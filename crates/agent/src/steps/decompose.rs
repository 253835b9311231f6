//! Takes a question apart into questions that can be answered independently.
//!
//! A simple question stays whole: it is then the only one of its `subQuestions`. With `phases: 2` the
//! question is not only taken apart but planned, see [`fields`].

use super::planner::request::Planner;
use super::planner::{fields, parts};
use crate::budget_plan::{Cost, SHORT_CALL};
use crate::context::{By, Context, Thought};
use crate::llm_call::StepOverrides;
use crate::outcome::{StepOutcome, StepResult};
use crate::run::{Run, Step};
use crate::step_id::StepId;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::range::Range;

/// Sub-questions.
const MAX: Range<usize> = Range::from("decompose.max", 2);

/// The decompose step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(description = "Options of `decompose`.", rename = "DecomposeOptions", extend("x-extends" = ["StepOptions"])))]
#[serde(rename_all = "camelCase", default)]
pub struct Decompose {
    /// Maximum number of sub-questions.
    #[cfg_attr(feature = "schema", schemars(transform = MAX.declared()))]
    pub max: usize,
    /// Number of calls: 1 takes the question apart; 2 chooses collections and intent first, then plans with their fields alone.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = [1, 2])))]
    pub phases: usize,
    /// A prompt and an LLM of its own.
    #[serde(flatten)]
    pub own: StepOverrides,
}

impl Default for Decompose {
    fn default() -> Self {
        Self { max: 4, phases: 1, own: StepOverrides::default() }
    }
}

impl Step for Decompose {
    fn id(&self) -> &StepId {
        &StepId::Decompose
    }

    fn check(&self) -> Result<()> {
        MAX.check(self.max)?;
        if !(1..=2).contains(&self.phases) {
            Err(Error::invalid("decompose.phases", "1 or 2", self.phases.to_string()))
        } else {
            Ok(())
        }
    }

    fn cost(&self, run: &Run<'_>, _context: &Context) -> Option<Cost> {
        run.has_llm(&self.own).then(|| Cost::of(self.phases, SHORT_CALL))
    }

    fn describe(&self, context: &Context) -> Value {
        json!({ "question": context.asked(), "phases": self.phases })
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            if context.skip_retrieval {
                let text = "Nothing is searched, so the question stays whole.".to_owned();
                run.think(Thought { step: self.id().clone(), by: By::Rule, text });
                let (sub_questions, reasoning) = (Vec::new(), String::new());
                let result = StepResult::Decompose { sub_question_count: 1, sub_questions, reasoning };
                return Ok(StepOutcome::new(By::Rule, result));
            }
            let planner = Planner { step: self.id(), own: &self.own, max: self.max };
            if self.phases > 1 {
                return fields::plan(&planner, run, context).await;
            }
            let (reasoning, by) = parts::plan(&planner, run, context).await?;
            let sub_questions = context.sub_questions.clone();
            let sub_question_count = sub_questions.len();
            Ok(StepOutcome::new(by, StepResult::Decompose { sub_question_count, sub_questions, reasoning }))
        })
    }
}
