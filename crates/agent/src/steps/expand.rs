//! Adds synonyms and related terms to the query; the question itself stays unchanged.
//!
//! Only a question that is searched as a whole is expanded; sub-questions are searched as they are.

use super::example::is_copied;
use super::rules::variants::variants;
use super::rules::words::stems;
use crate::budget_plan::{Cost, SHORT_CALL};
use crate::context::{By, Context, Thought};
use crate::llm_call::{Prompt, Question, StepOverrides};
use crate::outcome::{StepOutcome, StepResult};
use crate::reply::json::{field, texts};
use crate::run::{Run, Step};
use crate::step_id::StepId;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vademecum_protocol::error::Result;

const PROMPT: &str = include_str!("../prompts/expand.md");
/// Maximum number of added terms, so that the question keeps its weight.
const MAX_TERMS: usize = 6;
/// Maximum length of a term in characters; longer ones are sentences.
const MAX_TERM: usize = 60;

/// The expand step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Expand {
    /// Own prompt and LLM.
    #[serde(flatten)]
    pub own: StepOverrides,
}

impl Step for Expand {
    fn id(&self) -> &StepId {
        &StepId::Expand
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
            let asked = context.asked().to_owned();
            let (proposed, by) = if context.skip_retrieval {
                (Vec::new(), By::Rule)
            } else {
                self.propose(run, &asked).await?
            };
            let terms = fresh(&asked, &proposed);
            let text = match terms.as_slice() {
                [] => "Nothing is added to the question.".to_owned(),
                terms => format!("Also searched for: {}.", terms.join(", ")),
            };
            run.think(Thought { step: self.id().clone(), by, text });
            if !terms.is_empty() {
                context.expanded_query = Some(format!("{asked} {}", terms.join(" ")));
            }
            let expanded_query = context.expanded_query.clone();
            Ok(StepOutcome::new(by, StepResult::Expand { expanded_query, terms }))
        })
    }
}

impl Expand {
    async fn propose(&self, run: &Run<'_>, asked: &str) -> Result<(Vec<String>, By)> {
        let question = Question {
            prompt: Prompt {
                template: PROMPT,
                values: vec![("most", MAX_TERMS.to_string()), ("question", asked.to_owned())],
                inputs: json!({ "question": asked, "max": MAX_TERMS }),
            },
            schema: json!({
                "type": "object",
                "properties": { "terms": { "type": "array", "items": { "type": "string" } } },
                "required": ["terms"],
                "additionalProperties": false,
            }),
            read: &|value| read(value, asked),
            fallback: "other spellings of the question's own words",
        };
        run.decide(self.id(), &self.own, question, || variants(asked)).await
    }
}

fn read(value: &Value, asked: &str) -> Option<Vec<String>> {
    const NAMES: [&str; 8] = [
        "terms",
        "synonyms",
        "relatedTerms",
        "related",
        "keywords",
        "expansions",
        "expandedTerms",
        "expandedQuery",
    ];
    let found = field(value, &NAMES).or_else(|| Some(value).filter(|value| value.is_array()))?;
    // A single text lists the terms with commas.
    let terms: Vec<String> = match found {
        Value::String(list) => list.split([',', ';', '\n']).map(str::to_owned).collect(),
        list => texts(list),
    };
    // One term of the example may be meant; all of them and nothing else are copied.
    let copied = terms.len() > 1 && terms.iter().all(|term| is_copied(PROMPT, term, asked));
    (!copied).then_some(terms)
}

/// Returns the terms that add something to the question, without quotation marks, which have a meaning in queries.
fn fresh(question: &str, proposed: &[String]) -> Vec<String> {
    let mut known = stems(question);
    let mut kept = Vec::new();
    for term in proposed {
        let term = term
            .replace(['"', '“', '”', '„', '«', '»'], " ")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let said = stems(&term);
        // Another spelling of a word of the question has a different stem.
        let new = said.iter().any(|stem| !known.contains(stem));
        if new && term.chars().count() <= MAX_TERM && kept.len() < MAX_TERMS {
            known.extend(said);
            kept.push(term);
        }
    }
    kept
}
