//! Analyse the question, make the calls that it wants, grade what was found, make more calls while it is not enough, and write
//! the answer.

use super::Owns;
use super::Searching;
use super::nodes::{Flow, Next, Nodes};
use crate::budget_plan::Cost;
use crate::context::Context;
use crate::run::{Run, Step, Style};
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
const STEPS: [&str; 4] = ["rewrite", "analyze_query", "grade_results", "synthesize"];

/// The style with its steps.
#[derive(Debug)]
pub struct Steps {
    sources: bool,
    flow: Flow,
    most: usize,
    rewrite: Rewrite,
    analyze: Analyze,
    execute: ExecuteTools,
    grade: Review,
    synthesize: Answer,
    ground: Ground,
}

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
        super::check_top_k(self.top_k)?;
        super::check_steps(&self.steps, &STEPS)?;
        super::check_hops(self.hops)?;
        self.own.check()
    }

    /// Its steps.
    pub fn steps(&self) -> Steps {
        let own = |step: &str| super::own_of(&self.steps, step, self.llm.as_ref());
        let (set, citations) = (Toolset::Graph, self.citations);
        let (top_k, hops) = (self.top_k, self.hops);
        let most = self.max_iterations * self.max_calls;
        let at_once = self.max_calls;
        Steps {
            sources: self.sources,
            flow: self.own.flow(),
            most: self.max_iterations,
            rewrite: Rewrite { own: own("rewrite") },
            analyze: Analyze { set, max: self.max_calls, own: own("analyze_query") },
            execute: ExecuteTools { name: "execute_tools", set, top_k, hops, most, citations },
            grade: Review {
                name: "grade_results",
                set,
                most,
                clarifies: false,
                at_once,
                own: own("grade_results"),
            },
            synthesize: Answer {
                name: "synthesize",
                citations,
                max_tokens: self.max_tokens,
                sources: false,
                own: own("synthesize"),
            },
            ground: Ground::default(),
        }
    }
}

impl Style for Steps {
    fn costs(&self, run: &Run<'_>, context: &Context) -> Vec<(String, Cost)> {
        let taken = |step: &dyn Step| context.steps_taken.iter().any(|one| one == step.name());
        let all: [&dyn Step; 4] = [&self.rewrite, &self.analyze, &self.grade, &self.synthesize];
        let left = all.into_iter().filter(|step| match step.name() {
            "rewrite" => !context.history.is_empty() && !taken(*step),
            "grade_results" => true,
            _ => !taken(*step),
        });
        let costs = left.filter_map(|step| Some((step.name().to_owned(), step.cost(run, context)?)));
        costs.chain(self.execute.ranking(run, context)).collect()
    }

    fn lists_sources(&self) -> bool {
        self.sources
    }

    fn next<'s>(&'s self, context: &Context) -> Option<&'s dyn Step> {
        match self.flow.next(context, self.most) {
            Next::Step(step) => return Some(step),
            Next::Node(name) => return self.step(name),
            Next::End => return None,
            Next::Usual => {}
        }
        let progress = &context.progress;
        // What would still be looked for when the answer is written comes too late.
        let is_written =
            context.answer.is_some() && context.steps_taken.iter().any(|one| one == "synthesize");
        let times = |name: &str| context.steps_taken.iter().filter(|one| *one == name).count();
        let (executed, graded) = (times("execute_tools"), times("grade_results"));
        if !context.history.is_empty() && times("rewrite") == 0 {
            Some(&self.rewrite)
        } else if !is_written && times("analyze_query") == 0 {
            Some(&self.analyze)
        } else if !is_written && !progress.pending.is_empty() && executed < self.most {
            Some(&self.execute)
        } else if !is_written && !progress.done && graded < executed && executed < self.most {
            Some(&self.grade)
        } else if context.answer.is_none() {
            Some(&self.synthesize)
        } else if times("ground") < times("synthesize").max(1) {
            Some(&self.ground)
        } else {
            None
        }
    }

    fn step(&self, name: &str) -> Option<&dyn Step> {
        Some(match name {
            "rewrite" => &self.rewrite,
            "analyze_query" => &self.analyze,
            "execute_tools" => &self.execute,
            "grade_results" => &self.grade,
            "synthesize" => &self.synthesize,
            "ground" => &self.ground,
            own => return self.flow.own(own),
        })
    }
}
