//! Options that several styles have.

use crate::own::Own;
use crate::parts::{Parts, Ranker};
use crate::step_id::StepId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use vademecum_protocol::error::{Error, Result, excerpt};

/// What the searches of a style are made with, in the place of the engine's own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Searching {
    /// Searches in the place of the knowledge base: the name of a function of the caller's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searcher: Option<String>,
    /// Ranks what each search finds: the name of a function of the caller's, or `llm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranker: Option<String>,
}

/// The name of the reranker that is the run's LLM.
const BY_LLM: &str = "llm";

impl Searching {
    /// The same with the reranker as a step has it; `llm` is the style's own.
    pub(super) fn parts(&self, llm: Option<&String>) -> Parts {
        let by = |name: &String| Ranker {
            reranker: Some(name.clone()).filter(|name| name != BY_LLM),
            own: Own { prompt: None, llm: llm.cloned() },
        };
        Parts { searcher: self.searcher.clone(), rerank: self.reranker.as_ref().map(by) }
    }
}

/// Prompts and LLMs of a style's steps, by the names of the steps.
pub type Owns = BTreeMap<StepId, Own>;

/// What a step was given for itself; the style's LLM where it was given none.
pub(super) fn own_of(steps: &Owns, id: &StepId, llm: Option<&String>) -> Own {
    let own = steps.get(id).cloned().unwrap_or_default();
    Own { llm: own.llm.or_else(|| llm.cloned()), ..own }
}

pub(super) fn check_steps(steps: &Owns, known: &[StepId]) -> Result<()> {
    match steps.keys().find(|name| !known.contains(name)) {
        Some(unknown) => Err(Error::invalid(
            "steps",
            format!("any of {}", known.join(", ")),
            format!("`{}`", excerpt(unknown.as_str(), 40)),
        )),
        None => Ok(()),
    }
}

pub(super) fn check_top_k(top_k: usize) -> Result<()> {
    if (1..=50).contains(&top_k) {
        Ok(())
    } else {
        Err(Error::invalid("topK", "from 1 to 50", top_k.to_string()))
    }
}

pub(super) fn check_hops(hops: usize) -> Result<()> {
    if (1..=4).contains(&hops) {
        Ok(())
    } else {
        Err(Error::invalid("hops", "from 1 to 4", hops.to_string()))
    }
}
