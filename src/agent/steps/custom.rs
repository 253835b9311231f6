//! A whole step of the caller's: a function that is given the context and returns what it changes.

use crate::agent::citation::check;
use crate::agent::context::{By, Context, Thought};
use crate::agent::run::{Run, Step};
use crate::agent::user;
use crate::error::{Error, Result, excerpt};
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The custom step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Custom {
    /// Its name in events and errors.
    pub name: String,
    /// The name of the caller's function: `context → changes`.
    pub function: String,
}

/// The fields a step of the caller's may change; any other it returns stands in `custom`.
const CHANGEABLE: &str = "an object of what it changes, or nothing";

impl Step for Custom {
    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self, _: &Context) -> Value {
        json!({ "function": self.function })
    }

    fn run<'a>(&'a self, run: &'a Run<'_>, context: &'a mut Context) -> LocalBoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            let input = serde_json::to_value(&*context).unwrap_or_default();
            let changes = match run.call_function(&self.name, &self.function, &input).await {
                // There is no time left for it; there still is an answer.
                Err(error @ Error::BudgetExhausted { .. }) => {
                    run.fall_back(&self.name, error, "without this step")?;
                    serde_json::Map::new()
                }
                Err(error) => return Err(error),
                Ok(Value::Null) => serde_json::Map::new(),
                Ok(Value::Object(changes)) => changes,
                Ok(other) => return Err(self.wrong(CHANGEABLE, &other)),
            };
            let names: Vec<String> = changes.keys().cloned().collect();
            for (name, value) in changes {
                self.change(context, name, value)?;
            }
            // Where its citations stand is found out last: they may name evidence that has changed as well.
            let changed = |wanted: &str| names.iter().any(|name| name == wanted);
            if changed("answer") {
                if changed("evidence") || context.context_used.is_empty() {
                    context.context_used = context.evidence();
                }
                resolve_citations(context);
            }
            let text =
                format!("changed {}", if names.is_empty() { "nothing".into() } else { names.join(", ") });
            run.think(Thought { step: self.name.clone(), by: By::Function, text });
            Ok(json!({ "changed": names, "by": By::Function }))
        })
    }
}

/// An answer that was put in the place of another cites for itself. What supported the other supports it no more.
fn resolve_citations(context: &mut Context) {
    context.grounding = None;
    (context.citations, context.invalid_citations) = (Vec::new(), Vec::new());
    if let Some(answer) = &context.answer {
        let checked = check(answer, &context.context_used, context.citation_style);
        context.answer = Some(checked.text);
        context.citations = checked.citations;
        context.invalid_citations = checked.invalid;
    }
}

impl Custom {
    fn change(&self, context: &mut Context, name: String, value: Value) -> Result<()> {
        let text = |expected: &'static str| match &value {
            Value::String(text) => Ok(Some(text.clone())),
            Value::Null => Ok(None),
            other => Err(self.wrong(expected, other)),
        };
        let texts = |expected: &'static str| -> Result<Vec<String>> {
            let list = value.as_array().ok_or_else(|| self.wrong(expected, &value))?;
            list.iter()
                .map(|one| one.as_str().map(str::to_owned).ok_or_else(|| self.wrong(expected, one)))
                .collect()
        };
        match name.as_str() {
            "rewrittenQuestion" => context.rewritten_question = text("`rewrittenQuestion` as a text")?,
            "expandedQuery" => context.expanded_query = text("`expandedQuery` as a text")?,
            "selectionReasoning" => context.selection_reasoning = text("`selectionReasoning` as a text")?,
            "answer" => {
                context.answer = text("`answer` as a text")?;
                context.answered_by = Some(By::Function);
            }
            "subQuestions" => context.sub_questions = texts("`subQuestions` as a list of texts")?,
            "collections" => context.collections = Some(texts("`collections` as a list of names")?),
            "skipRetrieval" => {
                let expected = "`skipRetrieval` as true or false";
                context.skip_retrieval = value.as_bool().ok_or_else(|| self.wrong(expected, &value))?;
            }
            "limit" => {
                let expected = "`limit` as a whole number from 1";
                let limit = value.as_u64().filter(|limit| *limit > 0);
                context.limit = limit.ok_or_else(|| self.wrong(expected, &value))? as usize;
            }
            "threshold" => context.threshold = value.as_f64().map(|threshold| threshold as f32),
            "filters" => context.filters = (!value.is_null()).then_some(value),
            "evidence" => context.ranked = Some(user::hits(&value, "default")?),
            _ => {
                context.custom.insert(name, value);
            }
        }
        Ok(())
    }

    fn wrong(&self, expected: &'static str, got: &Value) -> Error {
        Error::FunctionResult {
            what: format!("the step `{}`", self.name),
            expected,
            got: excerpt(&got.to_string(), 80),
        }
    }
}
