//! Plan, then review, search, prune and review again, until there is enough to write the answer, or the user has to be asked.

use super::nodes::Flow;
use super::options::{self, OverridesByStep, Searching};
use super::plan_execute::{PlanExecute, Reviews};
use crate::step_id::StepId;
use crate::steps::{
    Answer, ExecuteTools, Ground, LookUp, PlanSearch, Prune, Pruning, Relax, Review, Rewrite, Route, Tabulate,
};
use crate::tools::Toolset;
use serde::{Deserialize, Serialize};
use vademecum_grounding::citation::CitationStyle;
use vademecum_protocol::error::Result;
use vademecum_protocol::hops::Hops;
use vademecum_protocol::range::Range;
#[cfg(feature = "schema")]
use vademecum_protocol::schema as host;

/// Calls of tools.
const CALLS: Range<usize> = Range::new("maxToolCalls", 1, 10);
/// Queries of a plan.
#[cfg(feature = "schema")]
const QUERIES: Range<usize> = Range::from("maxQueries", 1);

/// Options of `agent.investigate`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "InvestigateOptions", extend("x-extends" = ["StyleRunOptions"])))]
#[serde(rename_all = "camelCase", default)]
pub struct Investigate {
    /// Maximum number of calls of tools.
    #[cfg_attr(feature = "schema", schemars(transform = CALLS.declared()))]
    pub max_tool_calls: usize,
    /// Number of chunks that a search finds.
    #[cfg_attr(feature = "schema", schemars(transform = options::TOP_K.declared()))]
    pub top_k: usize,
    /// Maximum number of passages of a chain of evidence that a search follows, from 1 to 4, or `"auto"`.
    pub hops: Hops,
    /// Maximum number of queries of a plan.
    #[cfg_attr(feature = "schema", schemars(transform = QUERIES.declared()))]
    pub max_queries: usize,
    /// How passages are left out that are of no use: the last that do not fit, or those that the LLM names.
    pub prune: Pruning,
    /// Maximum number of tokens of passages that the answer is written from, by estimate.
    #[cfg_attr(feature = "schema", schemars(transform = options::PASSAGE_TOKENS.declared()))]
    pub max_tokens: usize,
    /// Whether the run may ask the user.
    pub clarify: bool,
    /// How passages are cited: `[1]`, or by the document's id.
    pub citations: CitationStyle,
    /// Whether the answer ends with a list of what it cites, `**Sources**`: number or id, title, page and address.
    pub sources: bool,
    /// What its searches are made with.
    #[serde(flatten)]
    pub searching: Searching,
    /// Model that is asked in place of the agent's.
    #[cfg_attr(feature = "schema", schemars(with = "Option<host::Llm>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm: Option<String>,
    /// Prompts and models of its steps.
    #[cfg_attr(feature = "schema", schemars(with = "bool", transform = options::steps_of(&STEPS)))]
    #[serde(skip_serializing_if = "OverridesByStep::is_empty")]
    pub steps: OverridesByStep,
}

impl Default for Investigate {
    fn default() -> Self {
        Self {
            max_tool_calls: 4,
            top_k: 10,
            hops: Hops::Auto,
            max_queries: 4,
            prune: Pruning::Window,
            max_tokens: 3_000,
            clarify: true,
            citations: CitationStyle::Doc,
            sources: false,
            searching: Searching::default(),
            llm: None,
            steps: OverridesByStep::new(),
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
        CALLS.check(self.max_tool_calls)?;
        options::TOP_K.check(self.top_k)?;
        options::check_steps(&self.steps, &STEPS)?;
        self.hops.check("hops")
    }

    /// Its steps.
    pub fn steps(&self) -> PlanExecute {
        let own = |step: &StepId| options::overrides_of(&self.steps, step, self.llm.as_ref());
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
            look_up: LookUp::new(top_k, hops),
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
                reader: None,
                own: own(&StepId::Compose),
            },
            ground: Ground { name: StepId::Verify, ..Ground::default() },
        }
    }
}
