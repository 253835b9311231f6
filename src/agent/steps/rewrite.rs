//! Puts the question into words that stand by themselves: without politeness, and with what a follow-up leaves out.
//! Every later step works on the rewritten question.

use super::rules::{follow_up, politeness};
use crate::agent::ask::{Own, Prompt, Question};
use crate::agent::context::{Context, Thought, Turn};
use crate::agent::prompt::fence;
use crate::agent::reply::json::{field, text};
use crate::agent::run::{Run, Step};
use crate::error::{Result, excerpt};
use crate::text::terms::is_blank;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const PROMPT: &str = include_str!("../prompts/rewrite.md");
/// Turns that are shown to the LLM, and letters of each.
const TURNS: usize = 6;
const LETTERS: usize = 600;
/// A rewritten question that is so much longer is an answer, or worse.
const LONGEST: usize = 400;

/// The rewrite step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Rewrite {
    /// A prompt and an LLM of its own.
    #[serde(flatten)]
    pub own: Own,
}

impl Step for Rewrite {
    fn name(&self) -> &str {
        "rewrite"
    }

    fn describe(&self, context: &Context) -> Value {
        json!({ "question": context.question, "turns": context.history.len() })
    }

    fn run<'a>(&'a self, run: &'a Run<'_>, context: &'a mut Context) -> LocalBoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            let asked = context.asked().to_owned();
            let history = conversation(&context.history);
            let read = |value: &Value| read(value, &asked);
            let question = Question {
                prompt: Prompt {
                    template: PROMPT,
                    values: vec![
                        ("fence", fence(&history)),
                        ("history", history),
                        ("question", asked.clone()),
                    ],
                    inputs: json!({ "question": asked, "history": context.history }),
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
            let rule = || by_rule(&asked, &context.history);
            let (rewritten, by) = run.decide(self.name(), &self.own, question, rule).await?;
            let changed = rewritten != asked;
            let text = match changed {
                true => format!("The question is searched as “{}”.", excerpt(&rewritten, 300)),
                false => "The question stands by itself.".to_owned(),
            };
            run.think(Thought { step: self.name().to_owned(), by, text });
            if changed {
                context.rewritten_question = Some(rewritten);
            }
            Ok(json!({ "rewrittenQuestion": context.rewritten_question, "by": by }))
        })
    }
}

fn by_rule(question: &str, history: &[Turn]) -> String {
    let plain = politeness::strip(question).unwrap_or_else(|| question.to_owned());
    follow_up::resolve(&plain, history).unwrap_or(plain)
}

/// The last turns of a conversation, as the LLM reads them.
fn conversation(history: &[Turn]) -> String {
    let recent = history.get(history.len().saturating_sub(TURNS)..).unwrap_or_default();
    let turn = |turn: &Turn| {
        format!("Q: {}\nA: {}", excerpt(&turn.question, LETTERS), excerpt(&turn.answer, LETTERS))
    };
    let turns: Vec<String> = recent.iter().map(turn).collect();
    if turns.is_empty() { "(nothing)".into() } else { turns.join("\n") }
}

fn read(value: &Value, asked: &str) -> Option<String> {
    let names = ["question", "rewrittenQuestion", "rewritten", "rewrite", "standaloneQuestion", "query"];
    let rewritten = text(field(value, &names)?)?;
    let fits = !is_blank(&rewritten) && rewritten.chars().count() <= asked.chars().count() + LONGEST;
    // Space at the ends is no change.
    fits.then(|| if rewritten == asked.trim() { asked.to_owned() } else { rewritten })
}
