//! How a planner asks a model, and what it puts to use of the reply.

use super::queries::distinct;
use crate::context::{By, Context, Thought};
use crate::llm_call::{Prompt, Question, StepOverrides};
use crate::reply::json::{field, text};
use crate::run::Run;
use crate::step_id::StepId;
use crate::steps::rules::split::split;
use serde_json::Value;
use vademecum_protocol::error::{Result, excerpt};

/// Maximum letters of a model's reasons.
const REASONING: usize = 500;

/// On whose behalf a planner asks, and its limits.
#[derive(Debug, Clone, Copy)]
pub(in crate::steps) struct Planner<'a> {
    /// The step.
    pub(in crate::steps) step: &'a StepId,
    /// Its prompt and its LLM.
    pub(in crate::steps) own: &'a StepOverrides,
    /// Maximum number of queries, or calls, of a plan.
    pub(in crate::steps) max: usize,
}

/// What a planner asks a model.
pub(super) struct Request<'a, T> {
    pub(super) prompt: Prompt<'a>,
    /// JSON schema of the reply.
    pub(super) schema: Value,
    /// Reads the reply; none where it is unusable.
    pub(super) read: &'a dyn Fn(&Value) -> Option<T>,
    /// How the step goes on without a reply, in a few words.
    pub(super) fallback: &'a str,
}

impl Planner<'_> {
    /// Returns what the model plans, or the rule where no model can be asked.
    pub(super) async fn ask<T>(
        &self,
        run: &Run<'_>,
        request: Request<'_, T>,
        rule: impl FnOnce() -> T,
    ) -> Result<(T, By)> {
        let Request { prompt, schema, read, fallback } = request;
        run.decide(self.step, self.own, Question { prompt, schema, read, fallback }, rule).await
    }

    /// Adds a line to the reasoning trace.
    pub(super) fn think(&self, run: &Run<'_>, by: By, text: String) {
        run.think(Thought { step: self.step.clone(), by, text });
    }

    /// Returns the questions that a question plainly asks; none where it is one.
    pub(super) fn parts_by_rule(&self, asked: &str) -> Vec<String> {
        self.distinct(split(asked, self.max), asked)
    }

    /// Removes duplicates from planned questions, as [`distinct`] does.
    pub(super) fn distinct(&self, questions: Vec<String>, asked: &str) -> Vec<String> {
        distinct(questions, asked, self.max)
    }

    /// Sets what is searched for.
    pub(super) fn search_for(&self, context: &mut Context, queries: Vec<String>, by: By) {
        context.sub_questions = self.distinct(queries, context.asked());
        context.workspace.progress.planned_by_model = by == By::Llm;
    }
}

/// Appends the reasons that a model gave to a thought.
pub(super) fn with_reasoning(text: String, reasoning: &str) -> String {
    if reasoning.is_empty() { text } else { format!("{text} Reasoning: {reasoning}") }
}

/// Returns the reasons that a model gives beside what it was asked for.
pub(super) fn reasoning_of(value: &Value) -> String {
    let said = field(value, &["reasoning", "reason", "why"]).and_then(text);
    said.map(|said| excerpt(&said, REASONING)).unwrap_or_default()
}
