//! Ways to answer. A style holds the order of steps and the conditions of its loop, and nothing else.

pub mod graph;
pub mod investigate;
pub mod pipeline;
pub mod react;

use super::context::Context;
use super::run::{Run, Step, Style};
use crate::error::{Error, Result};
use graph::Graph;
use investigate::Investigate;
use react::React;
use serde::{Deserialize, Serialize};

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

impl StyleSpec {
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

    fn fetches(&self, run: &Run<'_>, context: &Context) -> usize {
        self.left(context).iter().skip(1).map(|step| step.fetches(run)).max().unwrap_or(0)
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
