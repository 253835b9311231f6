//! The vectors of a knowledge base, for callers that compute with them.

use super::KnowledgeBase;
use serde::{Deserialize, Serialize};
use vademecum_index::ChunkVectors;
use vademecum_protocol::error::Result;
use vademecum_protocol::range::Range;
#[cfg(feature = "schema")]
use vademecum_protocol::schema::Name;

/// Maximum number of chunks.
const LIMIT: Range<usize> = Range::from("limit", 1);

/// Selects the chunks whose vectors are listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct VectorsRequest {
    /// Collections whose chunks are returned. Default: all.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<Name>>"))]
    pub collections: Option<Vec<String>>,
    /// Maximum number of chunks, sampled evenly.
    #[cfg_attr(feature = "schema", schemars(transform = LIMIT.declared()))]
    pub limit: usize,
}

impl Default for VectorsRequest {
    fn default() -> Self {
        Self { collections: None, limit: 5000 }
    }
}

impl KnowledgeBase {
    /// Lists chunks that have a vector, in the order they were added, with their vectors.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::UnknownCollection`], [`Error::InvalidArgument`] for a limit of 0.
    pub fn vectors(&self, request: &VectorsRequest) -> Result<ChunkVectors> {
        let state = self.open_state()?.borrow();
        request.collections.iter().flatten().try_for_each(|name| state.known(name).map(|_| ()))?;
        LIMIT.check(request.limit)?;
        Ok(state.index.searcher().vectors(request.collections.as_deref().unwrap_or_default(), request.limit))
    }
}
