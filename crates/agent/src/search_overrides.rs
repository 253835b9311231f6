//! The caller's overrides of a style's searches: who searches, and who ranks.

use super::step_overrides::StepOverrides;

/// The caller's functions that search and rank for the tools of a run, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchOverrides {
    /// The name of the caller's function that searches.
    pub searcher: Option<String>,
    /// Ranks what each search finds.
    pub rerank: Option<Ranker>,
}

/// Who ranks what a search finds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ranker {
    /// The name of the caller's function that ranks; an LLM ranks where absent.
    pub reranker: Option<String>,
    /// The LLM that ranks.
    pub own: StepOverrides,
}
