//! Ways to answer. A style holds the order of steps and the conditions of its loop, and nothing else.

pub mod graph;
pub mod investigate;
pub mod nodes;
mod options;
pub mod pipeline;
pub mod plan_execute;
pub mod react;
mod running;

pub use super::search_overrides::SearchOverrides;
pub use options::{OverridesByStep, Searching};

use super::budget_plan::Cost;
use super::context::Context;
use super::run::{Run, Step};
use super::step_id::StepId;
use super::style::Style;
use graph::Graph;
use investigate::Investigate;
use react::React;
use serde::{Deserialize, Serialize};
use vademecum_protocol::error::Result;
use vademecum_util::within::Within;

/// A style as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "name", rename_all = "lowercase")]
pub enum StyleSpec {
    /// The model decides.
    React(React),
    /// Plan, review, search, prune.
    Investigate(Investigate),
    /// Analyse, execute, grade, synthesise.
    Graph(Graph),
}

impl StyleSpec {
    /// Returns the overrides of its searches.
    pub fn search_overrides(&self) -> SearchOverrides {
        match self {
            Self::React(react) => react.searching.overrides(react.own.llm.as_ref()),
            Self::Investigate(investigate) => investigate.searching.overrides(investigate.llm.as_ref()),
            Self::Graph(graph) => graph.searching.overrides(graph.llm.as_ref()),
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
        formatter.debug_list().entries(self.0.iter().map(|step| step.id())).finish()
    }
}

impl Listed<'_> {
    fn left<'s>(&'s self, context: &Context) -> &'s [&'s dyn Step] {
        self.0.within(context.steps_taken.len()..)
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
