//! Ways to answer. A style holds the order of steps and the conditions of its loop, and nothing else.

pub mod graph;
pub mod investigate;
pub mod nodes;
pub mod pipeline;
pub mod plan_execute;
pub mod react;

use super::budget_plan::Cost;
use super::context::Context;
use super::llm_call::Own;
use super::run::{Run, Step, Style};
use super::step_id::StepId;
use super::steps::Rerank;
use graph::Graph;
use investigate::Investigate;
use react::React;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use vademecum_protocol::error::{Error, Result, excerpt};

/// A style as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "lowercase")]
pub enum StyleSpec {
    /// The model decides.
    React(React),
    /// Plan, review, search, prune.
    Investigate(Investigate),
    /// Analyse, execute, grade, synthesise.
    Graph(Graph),
}

/// What the searches of a style are made with, in the place of the engine's own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Searching {
    /// Searches in the place of the knowledge base: the name of a function of the caller's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searcher: Option<String>,
    /// Ranks what each search finds: the name of a function of the caller's, or `llm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranker: Option<String>,
}

/// The name of the reranker that is the run's LLM.
const BY_LLM: &str = "llm";

impl Searching {
    /// The same with the reranker as a step has it; `llm` is the style's own.
    fn parts(&self, llm: Option<&String>) -> Parts {
        let by = |name: &String| Rerank {
            reranker: Some(name.clone()).filter(|name| name != BY_LLM),
            own: Own { prompt: None, llm: llm.cloned() },
            ..Rerank::default()
        };
        Parts { searcher: self.searcher.clone(), rerank: self.reranker.as_ref().map(by) }
    }
}

/// What the searches of a run's tools are made with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
    /// The name of the caller's function that searches.
    pub searcher: Option<String>,
    /// Ranks what each search finds.
    pub rerank: Option<Rerank>,
}

impl StyleSpec {
    /// What its searches are made with.
    pub fn parts(&self) -> Parts {
        match self {
            Self::React(react) => react.searching.parts(react.own.llm.as_ref()),
            Self::Investigate(investigate) => investigate.searching.parts(investigate.llm.as_ref()),
            Self::Graph(graph) => graph.searching.parts(graph.llm.as_ref()),
        }
    }

    /// Misuse, told before anything runs.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`].
    pub fn check(&self) -> Result<()> {
        match self {
            Self::React(react) => react.check(),
            Self::Investigate(investigate) => investigate.check(),
            Self::Graph(graph) => graph.check(),
        }
    }

    /// The style with its steps.
    pub fn style(&self) -> Box<dyn Style> {
        match self {
            Self::React(react) => Box::new(react.steps()),
            Self::Investigate(investigate) => Box::new(investigate.steps()),
            Self::Graph(graph) => Box::new(graph.steps()),
        }
    }
}

/// Steps in the order that the author gave them.
pub struct Listed<'a>(pub Vec<&'a dyn Step>);

impl std::fmt::Debug for Listed<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(self.0.iter().map(|step| step.name())).finish()
    }
}

impl Listed<'_> {
    fn left<'s>(&'s self, context: &Context) -> &'s [&'s dyn Step] {
        self.0.get(context.steps_taken.len()..).unwrap_or_default()
    }
}

impl Style for Listed<'_> {
    fn next<'s>(&'s self, context: &Context) -> Option<&'s dyn Step> {
        self.left(context).first().map(|step| *step as &dyn Step)
    }

    fn answers_after(&self, context: &Context, _: &dyn Step) -> bool {
        self.left(context).iter().skip(1).any(|step| step.answers())
    }

    fn costs(&self, run: &Run<'_>, context: &Context) -> Vec<(StepId, Cost)> {
        let cost = |step: &&dyn Step| Some((step.id().clone(), step.cost(run, context)?));
        self.left(context).iter().filter_map(cost).collect()
    }

    fn lists_sources(&self) -> bool {
        self.0.iter().any(|step| step.lists_sources())
    }

    fn fetches(&self, run: &Run<'_>, context: &Context) -> usize {
        self.left(context).iter().skip(1).map(|step| step.fetches(run)).max().unwrap_or(0)
    }
}

/// Prompts and LLMs of a style's steps, by the names of the steps.
pub type Owns = BTreeMap<StepId, Own>;

/// What a step was given for itself; the style's LLM where it was given none.
fn own_of(steps: &Owns, id: &StepId, llm: Option<&String>) -> Own {
    let own = steps.get(id).cloned().unwrap_or_default();
    Own { llm: own.llm.or_else(|| llm.cloned()), ..own }
}

fn check_steps(steps: &Owns, known: &[StepId]) -> Result<()> {
    match steps.keys().find(|name| !known.contains(name)) {
        Some(unknown) => Err(Error::invalid(
            "steps",
            format!("any of {}", known.join(", ")),
            format!("`{}`", excerpt(unknown.as_str(), 40)),
        )),
        None => Ok(()),
    }
}

fn check_top_k(top_k: usize) -> Result<()> {
    if (1..=50).contains(&top_k) {
        Ok(())
    } else {
        Err(Error::invalid("topK", "from 1 to 50", top_k.to_string()))
    }
}

fn check_hops(hops: usize) -> Result<()> {
    if (1..=4).contains(&hops) {
        Ok(())
    } else {
        Err(Error::invalid("hops", "from 1 to 4", hops.to_string()))
    }
}
