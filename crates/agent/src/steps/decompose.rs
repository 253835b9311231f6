//! Takes a question apart into questions that can be answered independently.
//!
//! A simple question stays whole: it is then the only one of its `subQuestions`. With `phases: 2` the
//! question is not only taken apart but planned, see [`super::query_plan`].

use super::example::is_copied;
use super::planner::{distinct, numberless, reasoning_of, with_reasoning};
use super::query_plan::{self, Phase};
use super::rules::split::split;
use crate::budget_plan::{Cost, SHORT_CALL};
use crate::context::{By, Context, Thought};
use crate::llm_call::{Own, Prompt, Question};
use crate::outcome::{StepOutcome, StepResult};
use crate::reply::json::{field, texts};
use crate::run::{Run, Step};
use crate::step_id::StepId;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::range::Range;

const PROMPT: &str = include_str!("../prompts/decompose.md");

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
    pub own: Own,
}

impl Default for Decompose {
    fn default() -> Self {
        Self { max: 4, phases: 1, own: Own::default() }
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
            if self.phases > 1 {
                let at = Phase { step: self.id(), own: &self.own, max: self.max };
                return query_plan::plan(&at, run, context).await;
            }
            let (Parts { questions, reasoning }, by) = self.parts(run, context.asked()).await?;
            let text = match questions.as_slice() {
                [] => "The question is simple and stays whole.".to_owned(),
                parts => format!("The question asks {} things: {}", parts.len(), parts.join(" ")),
            };
            run.think(Thought { step: self.id().clone(), by, text: with_reasoning(text, &reasoning) });
            context.sub_questions =
                if questions.is_empty() { vec![context.asked().to_owned()] } else { questions };
            let sub_questions = context.sub_questions.clone();
            let sub_question_count = sub_questions.len();
            Ok(StepOutcome::new(by, StepResult::Decompose { sub_question_count, sub_questions, reasoning }))
        })
    }
}

/// What a question was taken apart into; no questions where it is simple.
#[derive(Debug, Default)]
struct Parts {
    questions: Vec<String>,
    /// Why, as a model says.
    reasoning: String,
}

impl Decompose {
    async fn parts(&self, run: &Run<'_>, asked: &str) -> Result<(Parts, By)> {
        let read = |value: &Value| read(value, asked, self.max);
        let question = Question {
            prompt: Prompt {
                template: PROMPT,
                values: vec![("max", self.max.to_string()), ("question", asked.to_owned())],
                inputs: json!({ "question": asked, "max": self.max }),
            },
            schema: json!({
                "type": "object",
                "properties": {
                    "reasoning": { "type": "string" },
                    "questions": { "type": "array", "items": { "type": "string" }, "maxItems": self.max },
                },
                "required": ["reasoning", "questions"],
                "additionalProperties": false,
            }),
            read: &read,
            fallback: "split only where the question plainly asks several things",
        };
        let by_rule =
            || Parts { questions: distinct(split(asked, self.max), asked, self.max), ..Parts::default() };
        run.decide(self.id(), &self.own, question, by_rule).await
    }
}

fn read(value: &Value, asked: &str, max: usize) -> Option<Parts> {
    const NAMES: [&str; 5] = ["questions", "subQuestions", "queries", "steps", "parts"];
    let found = field(value, &NAMES).or_else(|| Some(value).filter(|value| value.is_array()))?;
    let mut found = texts(found);
    // None is the same as the question alone; none but those of the prompt's example is no answer.
    let is_empty = found.is_empty();
    found.retain(|question| !is_copied(PROMPT, &numberless(question), asked));
    (is_empty || !found.is_empty())
        .then(|| Parts { questions: distinct(found, asked, max), reasoning: reasoning_of(value) })
}
