//! Takes a question apart.

use super::queries::numberless;
use super::request::{Planner, Request, reasoning_of, with_reasoning};
use crate::context::{By, Context};
use crate::llm_call::Prompt;
use crate::reply::json::{field, texts};
use crate::run::Run;
use crate::steps::example::is_copied;
use serde_json::{Value, json};
use vademecum_protocol::error::Result;

const PROMPT: &str = include_str!("../../prompts/decompose.md");

/// The parts of a question; none where it is simple.
#[derive(Debug, Default)]
struct Parts {
    questions: Vec<String>,
    /// Why, in the model's words.
    reasoning: String,
}

/// Sets the sub-questions: the parts of the question, or the question itself where it is simple. Returns the model's reasons.
pub(in crate::steps) async fn plan(
    planner: &Planner<'_>,
    run: &Run<'_>,
    context: &mut Context,
) -> Result<(String, By)> {
    let (Parts { questions, reasoning }, by) = ask(planner, run, context.asked()).await?;
    let text = match questions.as_slice() {
        [] => "The question is simple and stays whole.".to_owned(),
        parts => format!("The question asks {} things: {}", parts.len(), parts.join(" ")),
    };
    planner.think(run, by, with_reasoning(text, &reasoning));
    context.sub_questions = if questions.is_empty() { vec![context.asked().to_owned()] } else { questions };
    Ok((reasoning, by))
}

async fn ask(planner: &Planner<'_>, run: &Run<'_>, asked: &str) -> Result<(Parts, By)> {
    let max = planner.max;
    let request = Request {
        prompt: Prompt {
            template: PROMPT,
            values: vec![("max", max.to_string()), ("question", asked.to_owned())],
            inputs: json!({ "question": asked, "max": max }),
        },
        schema: json!({
            "type": "object",
            "properties": {
                "reasoning": { "type": "string" },
                "questions": { "type": "array", "items": { "type": "string" }, "maxItems": max },
            },
            "required": ["reasoning", "questions"],
            "additionalProperties": false,
        }),
        read: &|value| read(planner, value, asked),
        fallback: "split only where the question plainly asks several things",
    };
    let rule = || Parts { questions: planner.parts_by_rule(asked), ..Parts::default() };
    planner.ask(run, request, rule).await
}

fn read(planner: &Planner<'_>, value: &Value, asked: &str) -> Option<Parts> {
    const NAMES: [&str; 5] = ["questions", "subQuestions", "queries", "steps", "parts"];
    let found = field(value, &NAMES).or_else(|| Some(value).filter(|value| value.is_array()))?;
    let mut found = texts(found);
    // None is the same as the question alone; none but those of the prompt's example is no answer.
    let is_empty = found.is_empty();
    found.retain(|question| !is_copied(PROMPT, &numberless(question), asked));
    (is_empty || !found.is_empty())
        .then(|| Parts { questions: planner.distinct(found, asked), reasoning: reasoning_of(value) })
}
