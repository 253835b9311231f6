//! The model decides: it calls tools in one conversation until it answers, or may decide no more.

use super::options::{self, Searching};
use crate::budget_plan::Cost;
use crate::context::Context;
use crate::llm_call::StepOverrides;
use crate::run::{Run, Step};
use crate::step_id::StepId;
use crate::steps::{Answer, ExecuteTools, Ground, LookUp, Rewrite, Think};
use crate::style::Style;
use crate::tools::Toolset;
use serde::{Deserialize, Serialize};
use vademecum_grounding::citation::CitationStyle;
use vademecum_protocol::error::Result;
use vademecum_protocol::hops::Hops;

/// Options of `agent.react`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ReactOptions", extend("x-extends" = ["StyleRunOptions"])))]
#[serde(rename_all = "camelCase", default)]
pub struct React {
    /// Maximum number of times that the model decides what to do next.
    #[cfg_attr(feature = "schema", schemars(transform = options::ITERATIONS.declared()))]
    pub max_iterations: usize,
    /// Whether the result lists its `sources`.
    pub citations: bool,
    /// Number of chunks that a search finds.
    #[cfg_attr(feature = "schema", schemars(transform = options::TOP_K.declared()))]
    pub top_k: usize,
    /// Maximum number of passages of a chain of evidence that a search follows, from 1 to 4, or `"auto"`.
    pub hops: Hops,
    /// Whether the answer ends with a list of what it cites, `**Sources**`: number or id, title, page and address.
    pub sources: bool,
    /// What its searches are made with.
    #[serde(flatten)]
    pub searching: Searching,
    /// A prompt and an LLM of its own.
    #[serde(flatten)]
    pub own: StepOverrides,
}

impl Default for React {
    fn default() -> Self {
        Self {
            max_iterations: 3,
            citations: false,
            top_k: 6,
            hops: Hops::Auto,
            sources: false,
            searching: Searching::default(),
            own: StepOverrides::default(),
        }
    }
}

/// Calls in one turn of the model.
const CALLS_A_TURN: usize = 8;

/// The style with its steps.
#[derive(Debug)]
pub struct Steps {
    sources: bool,
    most: usize,
    rewrite: Rewrite,
    think: Think,
    act: ExecuteTools,
    answer: Answer,
    look_up: LookUp,
    ground: Ground,
}

impl React {
    /// Misuse, told before anything runs.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`].
    pub fn check(&self) -> Result<()> {
        options::ITERATIONS.check(self.max_iterations)?;
        options::TOP_K.check(self.top_k)?;
        self.hops.check("hops")
    }

    /// Its steps.
    pub fn steps(&self) -> Steps {
        let citations = CitationStyle::Number;
        let (top_k, hops) = (self.top_k, self.hops);
        let most = self.max_iterations * CALLS_A_TURN;
        Steps {
            sources: self.sources,
            most: self.max_iterations,
            rewrite: Rewrite::default(),
            think: Think { most: self.max_iterations, citations, own: self.own.clone() },
            act: ExecuteTools { name: StepId::Act, set: Toolset::React, top_k, hops, most, citations },
            answer: Answer { own: StepOverrides { prompt: None, ..self.own.clone() }, ..Answer::default() },
            look_up: LookUp::new(top_k, hops),
            ground: Ground::default(),
        }
    }
}

impl Style for Steps {
    /// The model decides as it goes, and nothing is planned; but what ranks its searches must leave it its turns.
    fn costs(&self, run: &Run<'_>, context: &Context) -> Vec<(StepId, Cost)> {
        let Some(ranking) = self.act.ranking(run, context) else { return Vec::new() };
        let is_new = !context.has_taken(self.rewrite.id());
        let rewrite =
            Some(&self.rewrite as &dyn Step).filter(|_| is_new && !context.request.history.is_empty());
        let asking = rewrite.into_iter().chain([&self.think as &dyn Step, &self.answer]);
        let costs = asking.filter_map(|step| Some((step.id().clone(), step.cost(run, context)?)));
        costs.chain([ranking]).collect()
    }

    fn lists_sources(&self) -> bool {
        self.sources
    }

    fn next<'s>(&'s self, context: &Context) -> Option<&'s dyn Step> {
        let progress = &context.workspace.progress;
        if !context.request.history.is_empty() && !context.has_taken(self.rewrite.id()) {
            Some(&self.rewrite)
        } else if !progress.pending.is_empty() {
            Some(&self.act)
        } else if !progress.done && progress.rounds < self.most {
            Some(&self.think)
        } else if context.answer.is_none() && !context.has_taken(self.answer.id()) {
            Some(&self.answer)
        } else if LookUp::is_needed(context) && !context.has_taken(self.look_up.id()) {
            Some(&self.look_up)
        } else if !context.has_taken(self.ground.id()) {
            Some(&self.ground)
        } else {
            None
        }
    }

    fn answers_after(&self, context: &Context, step: &dyn Step) -> bool {
        !step.answers() && context.answer.is_none()
    }
}
