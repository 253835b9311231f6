//! Analyse the question, make the calls that it wants, grade what was found, make more calls while it is not enough, and write
//! the answer.

use crate::agent::ask::Own;
use crate::agent::citation::CitationStyle;
use crate::agent::context::Context;
use crate::agent::run::{Step, Style};
use crate::agent::steps::{Analyze, Answer, ExecuteTools, Ground, Review, Rewrite};
use crate::agent::tools::Toolset;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

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
    /// An LLM of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm: Option<String>,
}

impl Default for Graph {
    fn default() -> Self {
        Self { max_iterations: 3, max_calls: 4, top_k: 6, hops: 2, max_tokens: 3_000, llm: None }
    }
}

/// The style with its steps.
#[derive(Debug)]
pub struct Steps {
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
        super::check_hops(self.hops)
    }

    /// Its steps.
    pub fn steps(&self) -> Steps {
        let own = Own { prompt: None, llm: self.llm.clone() };
        let (set, citations) = (Toolset::Graph, CitationStyle::Number);
        let (top_k, hops) = (self.top_k, self.hops);
        let most = self.max_iterations * self.max_calls;
        let at_once = self.max_calls;
        Steps {
            most: self.max_iterations,
            rewrite: Rewrite { own: own.clone() },
            analyze: Analyze { set, max: self.max_calls, own: own.clone() },
            execute: ExecuteTools { name: "execute_tools", set, top_k, hops, most, citations },
            grade: Review { name: "grade_results", set, most, clarifies: false, at_once, own: own.clone() },
            synthesize: Answer { name: "synthesize", citations, max_tokens: self.max_tokens, own },
            ground: Ground::default(),
        }
    }
}

impl Style for Steps {
    fn next<'s>(&'s self, context: &Context) -> Option<&'s dyn Step> {
        let progress = &context.progress;
        let times = |name: &str| context.steps_taken.iter().filter(|one| *one == name).count();
        let (executed, graded) = (times("execute_tools"), times("grade_results"));
        if !context.history.is_empty() && times("rewrite") == 0 {
            Some(&self.rewrite)
        } else if times("analyze_query") == 0 {
            Some(&self.analyze)
        } else if !progress.pending.is_empty() && executed < self.most {
            Some(&self.execute)
        } else if !progress.done && graded < executed && executed < self.most {
            Some(&self.grade)
        } else if context.answer.is_none() {
            Some(&self.synthesize)
        } else if times("ground") == 0 {
            Some(&self.ground)
        } else {
            None
        }
    }
}
