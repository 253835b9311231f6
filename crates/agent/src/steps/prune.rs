//! Cuts the evidence to the size of a prompt: the best chunks within a token budget, or without what a model finds irrelevant.

use crate::budget_plan::{Cost, SHORT_CALL};
use crate::context::{By, Context, Thought};
use crate::evidence::{fitting, sendable};
use crate::llm_call::{Prompt, Question, StepOverrides};
use crate::outcome::{StepOutcome, StepResult};
use crate::reply::json::{field, number};
use crate::run::{Run, Step};
use crate::step_id::StepId;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashSet;
use vademecum_grounding::citation::CitationStyle;
use vademecum_protocol::document::{Hit, Key};
use vademecum_protocol::error::Result;

const PROMPT: &str = include_str!("../prompts/prune.md");

/// The method of pruning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Pruning {
    /// Keeps the best chunks that fit.
    #[default]
    Window,
    /// Removes what a model finds irrelevant, then keeps the best chunks that fit.
    Llm,
}

/// The prune step.
#[derive(Debug, Clone, PartialEq)]
pub struct Prune {
    /// The method.
    pub by: Pruning,
    /// Maximum number of tokens of passages.
    pub tokens: usize,
    /// StepOverrides prompt and LLM.
    pub own: StepOverrides,
}

impl Step for Prune {
    fn id(&self) -> &StepId {
        &StepId::Prune
    }

    fn cost(&self, run: &Run<'_>, _context: &Context) -> Option<Cost> {
        (self.by == Pruning::Llm && run.has_llm(&self.own)).then(|| Cost::of(1, self.tokens + SHORT_CALL))
    }

    fn describe(&self, context: &Context) -> Value {
        json!({ "chunkCount": context.evidence().len(), "tokens": self.tokens })
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            let before = context.evidence();
            let (mut kept, mut by) = (before.clone(), By::Rule);
            if self.by == Pruning::Llm && before.len() > 1 && run.has_llm(&self.own) {
                (kept, by) = self.by_llm(run, context, &before).await?;
            }
            let fits = fitting(&kept, CitationStyle::Doc, self.tokens).len();
            let left_out = before.len() - fits.min(kept.len());
            context.workspace.progress.pruned = true;
            // A window keeps the ranking; the step that writes the prompt truncates it.
            if by == By::Llm {
                let keys: HashSet<Key<'_>> = kept.iter().map(|hit| hit.chunk.key()).collect();
                for result in context.results.iter_mut().flatten() {
                    result.chunks.retain(|hit| keys.contains(&hit.chunk.key()));
                }
            }
            let text = format!("{} of {} passages fit the answer", before.len() - left_out, before.len());
            run.think(Thought { step: self.id().clone(), by, text });
            Ok(StepOutcome::new(by, StepResult::Prune { kept: before.len() - left_out, left_out }))
        })
    }
}

impl Prune {
    async fn by_llm(&self, run: &Run<'_>, context: &Context, evidence: &[Hit]) -> Result<(Vec<Hit>, By)> {
        let open = sendable(evidence);
        let shown = fitting(&open, CitationStyle::Number, self.tokens);
        let mut values = run.fenced(self.id(), &shown, CitationStyle::Number);
        values.push(("question", context.asked().to_owned()));
        let read = |value: &Value| {
            let named = field(value, &["irrelevant", "remove", "drop", "useless"])?;
            let list = named.as_array()?;
            Some(list.iter().filter_map(number).map(|number| number as usize).collect::<Vec<usize>>())
        };
        let question = Question {
            prompt: Prompt {
                template: PROMPT,
                values,
                inputs: json!({ "question": context.asked(), "chunks": shown }),
            },
            schema: json!({
                "type": "object",
                "properties": { "irrelevant": { "type": "array", "items": { "type": "integer" } } },
                "required": ["irrelevant"],
            }),
            read: &read,
            fallback: "the best passages that fit",
        };
        let (irrelevant, by) = run.decide(self.id(), &self.own, question, Vec::new).await?;
        let named = irrelevant.iter().filter_map(|number| shown.get(number.checked_sub(1)?));
        let useless: HashSet<Key<'_>> = named.map(|hit| hit.chunk.key()).collect();
        let kept: Vec<Hit> =
            evidence.iter().filter(|hit| !useless.contains(&hit.chunk.key())).cloned().collect();
        // A model that finds everything irrelevant has misread the task.
        Ok(if kept.is_empty() { (evidence.to_vec(), By::Rule) } else { (kept, by) })
    }
}
