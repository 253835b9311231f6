//! Plan, then review, search, prune and review again, until there is enough to write the answer, or the user has to be asked.

use super::nodes::Flow;
use super::options::{self, Owns, Searching};
use super::plan_execute::{PlanExecute, Reviews};
use crate::step_id::StepId;
use crate::steps::{
    Answer, ExecuteTools, Ground, PlanSearch, Prune, Pruning, Relax, Review, Rewrite, Route, Tabulate,
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
const STEPS: [StepId; 6] =
    [StepId::Rewrite, StepId::Decompose, StepId::Plan, StepId::Review, StepId::Prune, StepId::Compose];

impl Investigate {
    /// Misuse, told before anything runs.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`].
    pub fn check(&self) -> Result<()> {
        if !(1..=10).contains(&self.max_tool_calls) {
            return Err(Error::invalid("maxToolCalls", "from 1 to 10", self.max_tool_calls.to_string()));
        }
        options::check_top_k(self.top_k)?;
        options::check_steps(&self.steps, &STEPS)?;
        options::check_hops(self.hops)
    }

    /// Its steps.
    pub fn steps(&self) -> PlanExecute {
        let own = |step: &StepId| options::own_of(&self.steps, step, self.llm.as_ref());
        let (set, most, citations) = (Toolset::Investigate, self.max_tool_calls, self.citations);
        let (top_k, hops) = (self.top_k, self.hops);
        PlanExecute {
            sources: self.sources,
            flow: Flow::default(),
            most: usize::MAX,
            reviews: Reviews::UntilEnough,
            rewrite: Rewrite { own: own(&StepId::Rewrite) },
            plan: vec![
                Box::new(Route { own: own(&StepId::Decompose) }),
                Box::new(PlanSearch { max: self.max_queries, most_calls: most, own: own(&StepId::Plan) }),
            ],
            execute: ExecuteTools { name: StepId::Tool, set, top_k, hops, most, citations },
            relax: Some(Relax { top_k }),
            prune: Some(Prune { by: self.prune, tokens: self.max_tokens, own: own(&StepId::Prune) }),
            review: Review {
                name: StepId::Review,
                set,
                most,
                clarifies: self.clarify,
                at_once: 1,
                own: own(&StepId::Review),
            },
            tabulate: Some(Tabulate),
            answer: Answer {
                name: StepId::Compose,
                citations,
                max_tokens: self.max_tokens,
                sources: false,
                own: own(&StepId::Compose),
            },
            ground: Ground { name: StepId::Verify, ..Ground::default() },
        }
    }
}
