//! Chooses the collections to search.

use super::rules::overlap;
use crate::budget_plan::{Cost, SHORT_CALL};
use crate::context::{By, Context, Thought};
use crate::llm_call::{Prompt, Question, StepOverrides};
use crate::outcome::{StepOutcome, StepResult};
use crate::ports::CollectionView;
use crate::reply::json::{field, text, texts};
use crate::run::{Run, Step};
use crate::step_id::StepId;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use vademecum_protocol::error::{Error, Result, excerpt};
#[cfg(feature = "schema")]
use vademecum_protocol::schema as host;

const PROMPT: &str = include_str!("../prompts/select.md");

/// A collection to choose from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Choice {
    /// By name, with the description of the collection itself.
    Name(String),
    /// With a description.
    Described {
        /// The name.
        name: String,
        /// The description.
        #[serde(default)]
        description: String,
    },
}

/// The select step, also called `route`. Chooses from `collections`, or from those of the run, or from all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(description = "Options of `select`.", rename = "SelectOptions", extend("x-extends" = ["StepOptions"])))]
#[serde(rename_all = "camelCase", default)]
pub struct Select {
    /// Collections to choose from, perhaps with what they hold. Default: those of the pipeline, else all.
    #[cfg_attr(feature = "schema", schemars(with = "Option<host::Choices>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collections: Option<Vec<Choice>>,
    /// Own prompt and LLM.
    #[serde(flatten)]
    pub own: StepOverrides,
}

impl Select {
    fn candidates(&self, run: &Run<'_>, context: &Context) -> Vec<CollectionView> {
        let Some(choices) = &self.collections else { return candidates(run, context) };
        let known = run.searcher.collections();
        let view = |choice: &Choice| match choice {
            Choice::Name(name) => view_of(name, &known),
            Choice::Described { name, description } if description.trim().is_empty() => view_of(name, &known),
            Choice::Described { name, description } => {
                CollectionView { description: description.clone(), ..view_of(name, &known) }
            }
        };
        let mut seen = BTreeSet::new();
        choices.iter().map(view).filter(|one| seen.insert(one.name.clone())).collect()
    }
}

/// Returns the collections that the run may search: its own, or else all.
pub(super) fn candidates(run: &Run<'_>, context: &Context) -> Vec<CollectionView> {
    let known = run.searcher.collections();
    match &context.collections {
        Some(names) if !names.is_empty() => names.iter().map(|name| view_of(name, &known)).collect(),
        _ => known,
    }
}

fn view_of(name: &str, known: &[CollectionView]) -> CollectionView {
    let unknown = || CollectionView { name: name.to_owned(), ..CollectionView::default() };
    known.iter().find(|one| one.name == name).cloned().unwrap_or_else(unknown)
}

/// Lists collections for an LLM, one per line.
pub(super) fn listed(collections: &[CollectionView]) -> String {
    let line = |one: &CollectionView| match one.description.split_whitespace().collect::<Vec<_>>().join(" ") {
        description if description.is_empty() => format!("- {}", one.name),
        description => format!("- {}: {}", one.name, excerpt(&description, 300)),
    };
    collections.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the candidates that a reply names, dropping unknown names; all of them if none is left.
pub(super) fn known_names(value: Option<&Value>, candidates: &[CollectionView]) -> Vec<String> {
    let said = value.map(texts).unwrap_or_default();
    let names = |name: &str| {
        let name = name.trim_matches(|letter: char| letter.is_whitespace() || "`'\"".contains(letter));
        let exact = candidates.iter().find(|one| one.name == name);
        exact.or_else(|| candidates.iter().find(|one| one.name.to_lowercase() == name.to_lowercase()))
    };
    // A single text may contain several names separated by commas.
    let named: BTreeSet<&str> = said
        .iter()
        .flat_map(|text| match names(text) {
            Some(one) => vec![one],
            None => text.split(',').filter_map(names).collect(),
        })
        .map(|one| one.name.as_str())
        .collect();
    let all = candidates.iter().filter(|one| named.is_empty() || named.contains(one.name.as_str()));
    all.map(|one| one.name.clone()).collect()
}

impl Step for Select {
    fn id(&self) -> &StepId {
        &StepId::Select
    }

    fn check(&self) -> Result<()> {
        match &self.collections {
            Some(choices) if choices.is_empty() => {
                Err(Error::invalid("select.collections", "at least one name, or to be left out", "none"))
            }
            _ => Ok(()),
        }
    }

    fn cost(&self, run: &Run<'_>, context: &Context) -> Option<Cost> {
        let chooses = self.candidates(run, context).len() > 1;
        (chooses && run.has_llm(&self.own)).then(|| Cost::of(1, SHORT_CALL))
    }

    fn describe(&self, context: &Context) -> Value {
        json!({ "question": context.asked(), "choices": self.collections })
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            if context.skip_retrieval {
                let text = "Nothing is searched, so nothing is chosen.".to_owned();
                run.think(Thought { step: self.id().clone(), by: By::Rule, text: text.clone() });
                let result = StepResult::Select { collections: context.collections.clone(), reasoning: text };
                return Ok(StepOutcome::new(By::Rule, result));
            }
            let candidates = self.candidates(run, context);
            let ((chosen, reasoning), by) = if candidates.len() < 2 {
                let all = candidates.iter().map(|one| one.name.clone()).collect();
                ((all, "There is nothing to choose from.".to_owned()), By::Rule)
            } else {
                self.choose(run, context.asked(), &candidates).await?
            };
            let listed = if chosen.is_empty() { "no collection".into() } else { chosen.join(", ") };
            run.think(Thought { step: self.id().clone(), by, text: format!("Chose {listed}. {reasoning}") });
            let result =
                StepResult::Select { collections: Some(chosen.clone()), reasoning: reasoning.clone() };
            // Without a choice, the search step uses its default.
            context.collections =
                Some(chosen).filter(|chosen| !chosen.is_empty()).or(context.collections.take());
            context.workspace.candidates.extend(candidates.into_iter().map(|one| one.name));
            context.selection_reasoning = Some(reasoning);
            Ok(StepOutcome::new(by, result))
        })
    }
}

impl Select {
    async fn choose(
        &self,
        run: &Run<'_>,
        asked: &str,
        candidates: &[CollectionView],
    ) -> Result<((Vec<String>, String), By)> {
        let read = |value: &Value| read(value, candidates);
        let question = Question {
            prompt: Prompt {
                template: PROMPT,
                values: vec![("collections", listed(candidates)), ("question", asked.to_owned())],
                inputs: json!({ "question": asked, "collections": candidates }),
            },
            schema: json!({
                "type": "object",
                "properties": {
                    "reasoning": { "type": "string" },
                    "collections": { "type": "array", "items": { "type": "string" } },
                },
                "required": ["reasoning", "collections"],
                "additionalProperties": false,
            }),
            read: &read,
            fallback: "the collections that share words with the question",
        };
        run.decide(self.id(), &self.own, question, || overlap::choose(asked, candidates)).await
    }
}

fn read(value: &Value, candidates: &[CollectionView]) -> Option<(Vec<String>, String)> {
    let fields = ["collections", "collection", "selected", "names", "buckets"];
    let named = field(value, &fields).or_else(|| Some(value).filter(|value| value.is_array()))?;
    let reasoning = field(value, &["reasoning", "reason", "why"]).and_then(text);
    let reasoning = reasoning.unwrap_or_else(|| "No reason given.".into());
    Some((known_names(Some(named), candidates), excerpt(&reasoning, 500)))
}
