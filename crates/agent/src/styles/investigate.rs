//! Plan, then review, search, prune and review again, until there is enough to write the answer, or the user has to be asked.

use super::Owns;
use super::Searching;
use crate::budget_plan::Cost;
use crate::context::Context;
use crate::plan::Format;
use crate::run::{Run, Step, Style};
use crate::scratchpad::Verdict;
use crate::steps::{
    Answer, ExecuteTools, Ground, PlanSearch, Prune, Pruning, Relax, Review, Rewrite, Route, Tabulate, format,
};
use crate::tools::Toolset;
use serde::{Deserialize, Serialize};
use vademecum_grounding::citation::CitationStyle;
use vademecum_protocol::error::{Error, Result};

/// The options of the style.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Investigate {
    /// The most calls of tools, from 1 to 10.
    pub max_tool_calls: usize,
    /// How many chunks a search finds.
    pub top_k: usize,
    /// How many passages long a chain of evidence may be.
    pub hops: usize,
    /// The most queries of a plan.
    pub max_queries: usize,
    /// How the evidence is cut.
    pub prune: Pruning,
    /// Tokens of passages that are kept to answer from.
    pub max_tokens: usize,
    /// Whether the user may be asked.
    pub clarify: bool,
    /// How the answer cites.
    pub citations: CitationStyle,
    /// Whether the answer ends with a list of its sources.
    pub sources: bool,
    /// What its searches are made with.
    #[serde(flatten)]
    pub searching: Searching,
    /// An LLM of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm: Option<String>,
    /// Prompts and LLMs of its steps.
    #[serde(skip_serializing_if = "Owns::is_empty")]
    pub steps: Owns,
}

impl Default for Investigate {
    fn default() -> Self {
        Self {
            max_tool_calls: 4,
            top_k: 10,
            hops: 2,
            max_queries: 4,
            prune: Pruning::Window,
            max_tokens: 3_000,
            clarify: true,
            citations: CitationStyle::Doc,
            sources: false,
            searching: Searching::default(),
            llm: None,
            steps: Owns::new(),
        }
    }
}

/// The steps that ask an LLM.
const STEPS: [&str; 6] = ["rewrite", "decompose", "plan", "review", "prune", "compose"];

/// The style with its steps.
#[derive(Debug)]
pub struct Steps {
    sources: bool,
    rewrite: Rewrite,
    route: Route,
    plan: PlanSearch,
    review: Review,
    tool: ExecuteTools,
    relax: Relax,
    prune: Prune,
    tabulate: Tabulate,
    compose: Answer,
    verify: Ground,
}

impl Investigate {
    /// Misuse, told before anything runs.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`].
    pub fn check(&self) -> Result<()> {
        if !(1..=10).contains(&self.max_tool_calls) {
            return Err(Error::invalid("maxToolCalls", "from 1 to 10", self.max_tool_calls.to_string()));
        }
        super::check_top_k(self.top_k)?;
        super::check_steps(&self.steps, &STEPS)?;
        super::check_hops(self.hops)
    }

    /// Its steps.
    pub fn steps(&self) -> Steps {
        let own = |step: &str| super::own_of(&self.steps, step, self.llm.as_ref());
        let (set, most, citations) = (Toolset::Investigate, self.max_tool_calls, self.citations);
        let (top_k, hops) = (self.top_k, self.hops);
        Steps {
            sources: self.sources,
            rewrite: Rewrite { own: own("rewrite") },
            route: Route { own: own("decompose") },
            plan: PlanSearch { max: self.max_queries, most_calls: most, own: own("plan") },
            review: Review {
                name: "review",
                set,
                most,
                clarifies: self.clarify,
                at_once: 1,
                own: own("review"),
            },
            tool: ExecuteTools { name: "tool", set, top_k, hops, most, citations },
            relax: Relax { top_k },
            prune: Prune { by: self.prune, tokens: self.max_tokens, own: own("prune") },
            tabulate: Tabulate,
            compose: Answer {
                name: "compose",
                citations,
                max_tokens: self.max_tokens,
                sources: false,
                own: own("compose"),
            },
            verify: Ground { name: "verify", ..Ground::default() },
        }
    }
}

impl Style for Steps {
    fn costs(&self, run: &Run<'_>, context: &Context) -> Vec<(String, Cost)> {
        let taken = |step: &dyn Step| context.steps_taken.iter().any(|one| one == step.name());
        let once: [&dyn Step; 4] = [&self.rewrite, &self.route, &self.plan, &self.compose];
        let once = once.into_iter().filter(|step| {
            !taken(*step) && (step.name() != self.rewrite.name() || !context.history.is_empty())
        });
        let again: [&dyn Step; 2] = [&self.review, &self.prune];
        let cost = |step: &dyn Step| Some((step.name().to_owned(), step.cost(run, context)?));
        let ranking = self.tool.ranking(run, context);
        once.chain(again).filter_map(cost).chain(ranking).collect()
    }

    fn lists_sources(&self) -> bool {
        self.sources
    }

    fn next<'s>(&'s self, context: &Context) -> Option<&'s dyn Step> {
        let progress = &context.progress;
        let taken = |name: &str| context.steps_taken.iter().any(|one| one == name);
        let found_nothing = progress.searches > 0
            && context.evidence().is_empty()
            && progress.made.iter().any(|one| one.error.is_none());
        let wants_rows = progress.export || progress.rows > 0 || format(context) != Format::NaturalLanguage;
        if !context.history.is_empty() && !taken("rewrite") {
            Some(&self.rewrite)
        } else if !taken("decompose") {
            Some(&self.route)
        } else if !taken("plan") {
            Some(&self.plan)
        } else if !progress.pending.is_empty() {
            Some(&self.tool)
        } else if found_nothing && progress.rows == 0 && !progress.relaxed && !progress.done {
            Some(&self.relax)
        } else if !progress.made.is_empty() && !progress.pruned && !progress.done {
            Some(&self.prune)
        } else if !progress.done && progress.verdict != Some(Verdict::Enough) {
            Some(&self.review)
        } else if wants_rows && context.output.is_none() && (progress.export || !taken("tabulate")) {
            Some(&self.tabulate)
        } else if context.answer.is_none() {
            Some(&self.compose)
        } else if !taken("verify") {
            Some(&self.verify)
        } else {
            None
        }
    }
}
