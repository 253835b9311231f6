//! Options that several styles have.

use crate::search_overrides::{Ranker, SearchOverrides};
use crate::step_id::StepId;
use crate::step_overrides::StepOverrides;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use vademecum_protocol::error::{Error, Result, excerpt};
use vademecum_protocol::range::Range;
#[cfg(feature = "schema")]
use vademecum_protocol::schema as host;

/// Chunks of a search.
pub(super) const TOP_K: Range<usize> = Range::new("topK", 1, 50);
/// Rounds of a loop.
pub(super) const ITERATIONS: Range<usize> = Range::new("maxIterations", 1, 10);
/// Tokens of passages.
#[cfg(feature = "schema")]
pub(super) const PASSAGE_TOKENS: Range<usize> = Range::from("maxTokens", 1);

/// What the searches of a style are made with, in the place of the engine's own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Searching {
    /// Function that searches in place of the knowledge base, one collection at a time.
    #[cfg_attr(feature = "schema", schemars(with = "Option<host::Searcher>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searcher: Option<String>,
    /// What ranks the hits of each search of a tool, of which the best `topK` are kept: a function, which is given 100 chunks, or
    /// the LLM (`"llm"`), which is given 30.
    #[cfg_attr(feature = "schema", schemars(with = "Option<host::RerankerOrLlm>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranker: Option<String>,
}

/// The name of the reranker that is the run's LLM.
const BY_LLM: &str = "llm";

impl Searching {
    /// Returns the overrides of the tools' searches; `llm` is that of the style.
    pub(super) fn overrides(&self, llm: Option<&String>) -> SearchOverrides {
        let by = |name: &String| Ranker {
            reranker: Some(name.clone()).filter(|name| name != BY_LLM),
            own: StepOverrides { prompt: None, llm: llm.cloned() },
        };
        SearchOverrides { searcher: self.searcher.clone(), rerank: self.reranker.as_ref().map(by) }
    }
}

/// Overrides of a style's steps, by step.
pub type OverridesByStep = BTreeMap<StepId, StepOverrides>;

/// Returns what declares the steps of a style that take options.
#[cfg(feature = "schema")]
pub(super) fn steps_of(steps: &[StepId]) -> impl schemars::transform::Transform {
    let names: Vec<String> = steps.iter().map(|step| format!("\"{step}\"")).collect();
    move |schema: &mut schemars::Schema| {
        schema.insert(host::TYPE.to_owned(), format!("StyleSteps<{}>", names.join(" | ")).into());
        schema.insert(host::KIND.to_owned(), format!("stepsOf(STEP_OPTIONS, {})", names.join(", ")).into());
    }
}

/// What a step was given for itself; the style's LLM where it was given none.
pub(super) fn overrides_of(steps: &OverridesByStep, id: &StepId, llm: Option<&String>) -> StepOverrides {
    let own = steps.get(id).cloned().unwrap_or_default();
    StepOverrides { llm: own.llm.or_else(|| llm.cloned()), ..own }
}

pub(super) fn check_steps(steps: &OverridesByStep, known: &[StepId]) -> Result<()> {
    match steps.keys().find(|name| !known.contains(name)) {
        Some(unknown) => Err(Error::invalid(
            "steps",
            format!("any of {}", known.join(", ")),
            format!("`{}`", excerpt(unknown.as_str(), 40)),
        )),
        None => Ok(()),
    }
}
