//! Analyse the question, make the calls that it wants, grade what was found, make more calls while it is not enough, and write
//! the answer.

use super::nodes::Nodes;
use super::options::{self, OverridesByStep, Searching};
use super::plan_execute::{PlanExecute, Reviews};
use crate::step_id::StepId;
use crate::steps::{Analyze, Answer, ExecuteTools, Ground, LookUp, Review, Rewrite};
use crate::tools::Toolset;
use serde::{Deserialize, Serialize};
use vademecum_grounding::citation::CitationStyle;
use vademecum_protocol::error::Result;
use vademecum_protocol::hops::Hops;
use vademecum_protocol::range::Range;
#[cfg(feature = "schema")]
use vademecum_protocol::schema as host;

/// Calls of a round.
const CALLS: Range<usize> = Range::new("maxCalls", 1, 16);

/// Options of `agent.graph`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GraphOptions", extend("x-extends" = ["StyleRunOptions"])))]
#[serde(rename_all = "camelCase", default)]
pub struct Graph {
    /// Maximum number of rounds of calls.
    #[cfg_attr(feature = "schema", schemars(transform = options::ITERATIONS.declared()))]
    pub max_iterations: usize,
    /// Maximum number of calls of a round.
    #[cfg_attr(feature = "schema", schemars(transform = CALLS.declared()))]
    pub max_calls: usize,
    /// Number of chunks that a search finds.
    #[cfg_attr(feature = "schema", schemars(transform = options::TOP_K.declared()))]
    pub top_k: usize,
    /// Maximum number of passages of a chain of evidence that a search follows, from 1 to 4, or `"auto"`.
    pub hops: Hops,
    /// Maximum number of tokens of passages that the answer is written from, by estimate.
    #[cfg_attr(feature = "schema", schemars(transform = options::PASSAGE_TOKENS.declared()))]
    pub max_tokens: usize,
    /// How passages are cited: `[1]`, or by the document's id.
    pub citations: CitationStyle,
    /// Whether the answer ends with a list of what it cites, `**Sources**`: number or id, title, page and address.
    pub sources: bool,
    /// What its searches are made with.
    #[serde(flatten)]
    pub searching: Searching,
    /// Nodes and edges of the caller's own.
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub own: Nodes,
    /// Model that is asked in place of the agent's.
    #[cfg_attr(feature = "schema", schemars(with = "Option<host::Llm>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm: Option<String>,
    /// Prompts and models of its steps.
    #[cfg_attr(feature = "schema", schemars(with = "bool", transform = options::steps_of(&STEPS)))]
    #[serde(skip_serializing_if = "OverridesByStep::is_empty")]
    pub steps: OverridesByStep,
}

impl Default for Graph {
    fn default() -> Self {
        Self {
            max_iterations: 3,
            max_calls: 4,
            top_k: 6,
            hops: Hops::Auto,
            max_tokens: 3_000,
            citations: CitationStyle::Number,
            sources: false,
            searching: Searching::default(),
            own: Nodes::default(),
            llm: None,
            steps: OverridesByStep::new(),
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
        options::ITERATIONS.check(self.max_iterations)?;
        CALLS.check(self.max_calls)?;
        options::TOP_K.check(self.top_k)?;
        options::check_steps(&self.steps, &STEPS)?;
        self.hops.check("hops")?;
        self.own.check()
    }

    /// Its steps.
    pub fn steps(&self) -> PlanExecute {
        let own = |step: &StepId| options::overrides_of(&self.steps, step, self.llm.as_ref());
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
            look_up: LookUp::new(top_k, hops),
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
                reader: None,
                own: own(&StepId::Synthesize),
            },
            ground: Ground::default(),
        }
    }
}
