//! Rewrites the question to be understood by itself: without politeness, and with what a follow-up leaves implicit. All later
//! steps use the rewritten question.

use super::example::is_copied;
use super::rules::{follow_up, politeness};
use crate::budget_plan::{Cost, SHORT_CALL};
use crate::context::{By, Context, Thought, Turn};
use crate::history::formatted;
use crate::llm_call::{Prompt, Question, StepOverrides};
use crate::outcome::{StepOutcome, StepResult};
use crate::prompt::fence;
use crate::reply::json::{field, text};
use crate::run::{Run, Step};
use crate::step_id::StepId;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vademecum_firewall::escape::neutral;
use vademecum_firewall::inspect;
use vademecum_grounding::claim::{claim, claimed_terms};
use vademecum_protocol::error::{Result, excerpt};
use vademecum_text::terms::is_blank;

const PROMPT: &str = include_str!("../prompts/rewrite.md");
/// Maximum number of characters by which a rewritten question may be longer; anything longer is an answer.
const MAX_ADDED: usize = 400;

/// The rewrite step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Rewrite {
    /// Own prompt and LLM.
    #[serde(flatten)]
    pub own: StepOverrides,
}

impl Step for Rewrite {
    fn id(&self) -> &StepId {
        &StepId::Rewrite
    }

    fn cost(&self, run: &Run<'_>, context: &Context) -> Option<Cost> {
        let history = if context.request.history.is_empty() { 0 } else { run.history_tokens };
        run.has_llm(&self.own).then(|| Cost::of(1, SHORT_CALL + history))
    }

    fn describe(&self, context: &Context) -> Value {
        json!({ "question": context.request.question, "turns": context.request.history.len() })
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            if context.skip_retrieval {
                let text = "Nothing is searched, so the question is unchanged.".to_owned();
                run.think(Thought { step: self.id().clone(), by: By::Rule, text });
                let rewritten_question = context.rewritten_question.clone();
                return Ok(StepOutcome::new(By::Rule, StepResult::Rewrite { rewritten_question }));
            }
            let asked = context.asked().to_owned();
            // The rule too must use only what an LLM may see, since later steps show the question to it.
            let turns: Vec<Turn> = context.request.history.iter().map(Turn::sendable).collect();
            let history = neutral(&formatted(&turns));
            let read = |value: &Value| read(value, &asked, &turns);
            let question = Question {
                prompt: Prompt {
                    template: PROMPT,
                    values: vec![
                        ("fence", fence(run.fence, &history)),
                        ("history", history),
                        ("question", asked.clone()),
                    ],
                    inputs: json!({ "question": asked, "history": turns }),
                },
                schema: json!({
                    "type": "object",
                    "properties": { "question": { "type": "string" } },
                    "required": ["question"],
                    "additionalProperties": false,
                }),
                read: &read,
                fallback: "the question without its politeness",
            };
            let rule = || {
                let resolved = by_rule(&asked, &turns);
                if says_more(&resolved, &asked) { asked.clone() } else { resolved }
            };
            let (rewritten, by) = run.decide(self.id(), &self.own, question, rule).await?;
            let changed = rewritten != asked;
            let text = match changed {
                true => format!("The question is searched as “{}”.", excerpt(&rewritten, 300)),
                false => "The question is complete by itself.".to_owned(),
            };
            run.think(Thought { step: self.id().clone(), by, text });
            if changed {
                // Results of earlier steps belong to the old wording.
                (context.expanded_query, context.sub_questions) = (None, Vec::new());
                context.rewritten_question = Some(rewritten);
            }
            let rewritten_question = context.rewritten_question.clone();
            Ok(StepOutcome::new(by, StepResult::Rewrite { rewritten_question }))
        })
    }
}

fn by_rule(question: &str, history: &[Turn]) -> String {
    let plain = politeness::strip(question).unwrap_or_else(|| question.to_owned());
    follow_up::resolve(&plain, history).unwrap_or(plain)
}

fn read(value: &Value, asked: &str, history: &[Turn]) -> Option<String> {
    let names = ["question", "rewrittenQuestion", "rewritten", "rewrite", "standaloneQuestion", "query"];
    let rewritten = field(value, &names)?;
    // An empty text or a change of white space is no change.
    if rewritten.as_str().is_some_and(is_blank) || rewritten.as_str().map(str::trim) == Some(asked.trim()) {
        return Some(asked.to_owned());
    }
    let rewritten = text(rewritten)?;
    let fits = !is_blank(&rewritten) && rewritten.chars().count() <= asked.chars().count() + MAX_ADDED;
    let turns = history.iter().flat_map(|turn| [turn.question.as_str(), turn.answer.as_str()]);
    let said: Vec<&str> = std::iter::once(asked).chain(turns).collect();
    let said = said.join("\n");
    let copied = || is_copied(PROMPT, &rewritten, &said);
    (fits && !says_more(&rewritten, asked) && asks_the_same(&rewritten, asked, &said) && !copied())
        .then_some(rewritten)
}

/// Returns whether the rewritten question contains an instruction to a model that the original did not: an old answer may quote a
/// document.
fn says_more(rewritten: &str, asked: &str) -> bool {
    !inspect(rewritten).is_empty() && inspect(asked).is_empty()
}

/// Returns whether a question shares a term with the conversation and keeps every number of the original.
fn asks_the_same(rewritten: &str, asked: &str, said: &str) -> bool {
    let terms = claimed_terms(rewritten);
    // A numeral may refer to what is counted: "the two" to two names.
    let in_digits = |written: &str| written.starts_with(|first: char| first.is_ascii_digit());
    let mut numbers = claim(asked).numbers.into_iter().filter(|(_, written)| in_digits(written));
    let said = claimed_terms(said);
    // A year alone does not make two questions similar.
    let word = |term: &&String| !term.starts_with(|first: char| first.is_ascii_digit());
    let shares = terms.intersection(&said).any(|term| word(&term)) || !said.iter().any(|term| word(&term));
    shares && numbers.all(|(number, _)| terms.contains(&number))
}
