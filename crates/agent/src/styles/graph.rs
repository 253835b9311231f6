//! Analyse the question, make the calls that it wants, grade what was found, make more calls while it is not enough, and write
//! the answer.

use super::nodes::Nodes;
use super::options::{self, Owns, Searching};
use super::plan_execute::{PlanExecute, Reviews};
use crate::step_id::StepId;
use crate::steps::{Analyze, Answer, ExecuteTools, Ground, Review, Rewrite};
use crate::tools::Toolset;
use serde::{Deserialize, Serialize};
use vademecum_grounding::citation::CitationStyle;
use vademecum_protocol::error::{Error, Result};

/// The options of the style.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Graph {
    /// How often calls are made, from 1 to 10.
    pub max_iterations: usize,
    /// The most calls at once.
    pub max_calls: usize,
    /// How many chunks a search finds.
    pub top_k: usize,
    /// How many passages long a chain of evidence may be.
    pub hops: usize,
    /// Tokens of passages that the answer is written from.
    pub max_tokens: usize,
    /// How the answer cites.
    pub citations: CitationStyle,
    /// Whether the answer ends with a list of its sources.
    pub sources: bool,
    /// What its searches are made with.
    #[serde(flatten)]
    pub searching: Searching,
    /// Nodes and edges of the caller's own.
    #[serde(flatten)]
    pub own: Nodes,
    /// An LLM of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm: Option<String>,
    /// Prompts and LLMs of its steps.
    #[serde(skip_serializing_if = "Owns::is_empty")]
    pub steps: Owns,
}

impl Default for Graph {
    fn default() -> Self {
        Self {
            max_iterations: 3,
            max_calls: 4,
            top_k: 6,
            hops: 2,
            max_tokens: 3_000,
            citations: CitationStyle::Number,
            sources: false,
            searching: Searching::default(),
            own: Nodes::default(),
            llm: None,
            steps: Owns::new(),
        }
    }
}

/// The steps that ask an LLM.
const STEPS: [StepId; 4] = [StepId::Rewrite, StepId::AnalyzeQuery, StepId::GradeResults, StepId::Synthesize];

impl Graph {
    /// Misuse, told before anything runs.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`].
    pub fn check(&self) -> Result<()> {
        if !(1..=10).contains(&self.max_iterations) {
            return Err(Error::invalid("maxIterations", "from 1 to 10", self.max_iterations.to_string()));
        }
        if !(1..=16).contains(&self.max_calls) {
            return Err(Error::invalid("maxCalls", "from 1 to 16", self.max_calls.to_string()));
        }
        options::check_top_k(self.top_k)?;
        options::check_steps(&self.steps, &STEPS)?;
        options::check_hops(self.hops)?;
        self.own.check()
    }

    /// Its steps.
    pub fn steps(&self) -> PlanExecute {
        let own = |step: &StepId| options::own_of(&self.steps, step, self.llm.as_ref());
        let (set, citations) = (Toolset::Graph, self.citations);
        let (top_k, hops) = (self.top_k, self.hops);
        let most = self.max_iterations * self.max_calls;
        PlanExecute {
            sources: self.sources,
            flow: self.own.flow(),
            most: self.max_iterations,
            reviews: Reviews::EachRound,
            rewrite: Rewrite { own: own(&StepId::Rewrite) },
            plan: vec![Box::new(Analyze { set, max: self.max_calls, own: own(&StepId::AnalyzeQuery) })],
            execute: ExecuteTools { name: StepId::ExecuteTools, set, top_k, hops, most, citations },
            relax: None,
            prune: None,
            review: Review {
                name: StepId::GradeResults,
                set,
                most,
                clarifies: false,
                at_once: self.max_calls,
                own: own(&StepId::GradeResults),
            },
            tabulate: None,
            answer: Answer {
                name: StepId::Synthesize,
                citations,
                max_tokens: self.max_tokens,
                sources: false,
                own: own(&StepId::Synthesize),
            },
            ground: Ground::default(),
        }
    }
}
