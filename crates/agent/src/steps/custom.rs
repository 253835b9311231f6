//! Custom steps: a caller's function receives the context and returns changes to it.

use super::settle::cite;
use crate::context::{By, Context, Thought};
use crate::errors::function_result;
use crate::hooks;
use crate::outcome::{StepOutcome, StepResult};
use crate::run::{Run, Step};
use crate::step_id::StepId;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vademecum_protocol::document::DEFAULT_COLLECTION;
use vademecum_protocol::error::{Error, Result, excerpt};

/// The custom step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Custom {
    /// The name in events and errors.
    #[cfg_attr(feature = "schema", schemars(with = "vademecum_protocol::schema::Name"))]
    pub name: StepId,
    /// The name of the caller's function: `context → changes`.
    #[cfg_attr(feature = "schema", schemars(with = "vademecum_protocol::schema::StepFunction"))]
    pub function: String,
}

/// The expected return value of a custom step. Unknown fields are stored in `custom`.
const CHANGEABLE: &str = "an object of what it changes, or nothing";

/// Fields that a step cannot change. Those from `suspicions` on describe the whole run and are empty until its end.
const READ_ONLY: [&str; 22] = [
    "question",
    "history",
    "plan",
    "results",
    "answeredBy",
    "told",
    "withheld",
    "contextUsed",
    "citations",
    "invalidCitations",
    "removed",
    "grounding",
    "suspicions",
    "reasoningTrace",
    "toolCalls",
    "usage",
    "capability",
    "capabilities",
    "budgetExhausted",
    "failures",
    "error",
    "terminatedBy",
];

/// Compares values of which one has been a JavaScript value: 1.0 equals 1.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(ones), Value::Array(others)) => {
            ones.len() == others.len() && ones.iter().zip(others).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let within = |one: &serde_json::Map<String, Value>, other: &serde_json::Map<String, Value>| {
                one.iter().all(|(name, value)| same(value, other.get(name).unwrap_or(&Value::Null)))
            };
            within(one, other) && within(other, one)
        }
        _ => one == other,
    }
}

impl Step for Custom {
    fn id(&self) -> &StepId {
        &self.name
    }

    fn describe(&self, _: &Context) -> Value {
        json!({ "function": self.function })
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            let input = serde_json::to_value(&*context).unwrap_or_default();
            let mut changes = match run.call_function(self.id(), &self.function, &input).await {
                // Time is up, but an answer can still be written.
                Err(error @ Error::BudgetExhausted { .. }) => {
                    run.fall_back(self.id(), error, "without this step")?;
                    return Ok(StepOutcome::new(By::Rule, StepResult::Custom { changed: Vec::new() }));
                }
                Err(error) => return Err(error),
                Ok(Value::Null) => serde_json::Map::new(),
                Ok(Value::Object(changes)) => changes,
                Ok(other) => return Err(self.wrong(CHANGEABLE, &other)),
            };
            // Unchanged fields, as in `{ ...context, answer }`, are no changes.
            changes.retain(|name, value| !same(input.get(name).unwrap_or(&Value::Null), value));
            let names: Vec<String> = changes.keys().cloned().collect();
            self.apply(context, changes)?;
            if let Some(evidence) = &mut context.ranked {
                run.seen().given(evidence);
            }
            // Citations are resolved last, since they may refer to changed evidence.
            let changed = |wanted: &str| names.iter().any(|name| name == wanted);
            if changed("answer") {
                if changed("evidence") || context.context_used.is_empty() {
                    context.context_used = context.evidence();
                }
                resolve_citations(context);
            }
            let text =
                format!("changed {}", if names.is_empty() { "nothing".into() } else { names.join(", ") });
            run.think(Thought { step: self.id().clone(), by: By::Function, text });
            Ok(StepOutcome::new(By::Function, StepResult::Custom { changed: names }))
        })
    }
}

/// Resolves the citations of a replaced answer, and discards the grounding of the old one.
fn resolve_citations(context: &mut Context) {
    context.grounding = None;
    (context.citations, context.invalid_citations) = (Vec::new(), Vec::new());
    if let Some(answer) = context.answer.take() {
        cite(context, &answer);
    }
}

impl Custom {
    /// Applies the changes that a step returned.
    ///
    /// # Errors
    /// `function_result` for a read-only field or a value of the wrong type.
    pub(crate) fn apply(&self, context: &mut Context, changes: serde_json::Map<String, Value>) -> Result<()> {
        changes.into_iter().try_for_each(|(name, value)| self.change(context, name, value))
    }

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
                (context.abstained, context.reason, context.nearest) = (false, None, None);
            }
            "subQuestions" if value.is_null() => context.sub_questions = Vec::new(),
            "subQuestions" => context.sub_questions = texts("`subQuestions` as a list of texts")?,
            "collections" if value.is_null() => context.collections = None,
            "collections" => context.collections = Some(texts("`collections` as a list of names")?),
            "skipRetrieval" => {
                let expected = "`skipRetrieval` as true or false";
                context.skip_retrieval = value.as_bool().ok_or_else(|| self.wrong(expected, &value))?;
            }
            "limit" => {
                let expected = "`limit` as a whole number from 1";
                let limit = value.as_u64().filter(|limit| *limit > 0);
                context.request.limit = limit.ok_or_else(|| self.wrong(expected, &value))? as usize;
            }
            "threshold" if value.is_null() => context.request.threshold = None,
            "threshold" => {
                let expected = "`threshold` as a number from 0 to 1, or null";
                let threshold = value.as_f64().filter(|threshold| (0.0..=1.0).contains(threshold));
                context.request.threshold =
                    Some(threshold.ok_or_else(|| self.wrong(expected, &value))? as f32);
            }
            "filters" => context.filters = (!value.is_null()).then_some(value),
            "evidence" if value.is_null() => context.ranked = None,
            "evidence" => context.ranked = Some(hooks::hits(&value, DEFAULT_COLLECTION, &self.what())?),
            "custom" => {
                let custom = value.as_object().cloned();
                context.custom.extend(custom.ok_or_else(|| self.wrong("`custom` as an object", &value))?);
            }
            name if READ_ONLY.contains(&name) => {
                let expected = "only fields that may be changed: rewrittenQuestion, expandedQuery, subQuestions, \
                                collections, selectionReasoning, skipRetrieval, limit, threshold, filters, evidence, \
                                answer, custom, or names of its own";
                return Err(function_result(&self.what(), expected, &format!("another `{name}`")));
            }
            _ => {
                context.custom.insert(name, value);
            }
        }
        Ok(())
    }

    fn what(&self) -> String {
        format!("the step `{}`", self.id())
    }

    fn wrong(&self, expected: &'static str, got: &Value) -> Error {
        function_result(&self.what(), expected, &excerpt(&got.to_string(), 80))
    }
}
