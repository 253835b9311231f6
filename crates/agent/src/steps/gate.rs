//! Decides whether the documents are needed at all.
//!
//! If not, later steps skip retrieval and the answer is written without passages. In doubt, or if the LLM fails, the documents
//! are searched.

use super::rules::small_talk::small_talk;
use crate::budget_plan::{Cost, SHORT_CALL};
use crate::context::{Context, Thought};
use crate::llm_call::{Prompt, Question, StepOverrides};
use crate::outcome::{StepOutcome, StepResult};
use crate::reply::json::{field, text, yes};
use crate::run::{Run, Step};
use crate::step_id::StepId;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vademecum_protocol::error::{Result, excerpt};

const PROMPT: &str = include_str!("../prompts/gate.md");

/// The gate step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Gate {
    /// Own prompt and LLM.
    #[serde(flatten)]
    pub own: StepOverrides,
}

struct Decision {
    skip: bool,
    reason: String,
}

impl Step for Gate {
    fn id(&self) -> &StepId {
        &StepId::Gate
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
            let asked = context.asked();
            let question = Question {
                prompt: Prompt {
                    template: PROMPT,
                    values: vec![("question", asked.to_owned())],
                    inputs: json!({ "question": asked }),
                },
                schema: json!({
                    "type": "object",
                    "properties": { "reason": { "type": "string" }, "search": { "type": "boolean" } },
                    "required": ["reason", "search"],
                    "additionalProperties": false,
                }),
                read: &read,
                fallback: "the documents are searched",
            };
            // Checked first: an LLM that fails now may be marked as down afterwards.
            let had_llm = run.has_llm(&self.own);
            let (Decision { skip, reason }, by) = run
                .decide(self.id(), &self.own, question, || match had_llm {
                    // An unnecessary search is cheap; a missing one costs the answer.
                    true => Decision { skip: false, reason: "the LLM could not be asked".into() },
                    false => by_rule(asked),
                })
                .await?;
            let text = match skip {
                true => format!("The documents are not needed: {reason}."),
                false => format!("The documents are searched: {reason}."),
            };
            run.think(Thought { step: self.id().clone(), by, text });
            context.skip_retrieval = skip;
            Ok(StepOutcome::new(by, StepResult::Gate { skip_retrieval: skip, reasoning: reason }))
        })
    }
}

fn by_rule(question: &str) -> Decision {
    match small_talk(question) {
        Some(talk) => Decision { skip: true, reason: format!("this is {}", talk.name()) },
        None => Decision { skip: false, reason: "this is no small talk".into() },
    }
}

fn read(value: &Value) -> Option<Decision> {
    let search =
        field(value, &["search", "retrieve", "retrieval", "needsRetrieval", "needsSearch", "needed"]);
    let skip = || field(value, &["skip", "skipRetrieval", "skipSearch"]).and_then(yes);
    let skip = search.and_then(yes).map(|search| !search).or_else(skip)?;
    let reason = field(value, &["reason", "reasoning", "why"])
        .and_then(text)
        .unwrap_or_else(|| "no reason given".into());
    Some(Decision { skip, reason: excerpt(reason.trim_end_matches('.'), 300) })
}
