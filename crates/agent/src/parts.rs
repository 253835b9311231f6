//! The caller's own parts of a style's searches.

use super::own::Own;

/// What the searches of a run's tools are made with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
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
    pub own: Own,
}
