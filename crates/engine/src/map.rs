//! A map of what is in a knowledge base, to look at.

use super::KnowledgeBase;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use vademecum_index::ChunkMap;
use vademecum_protocol::error::Result;
use vademecum_protocol::range::Range;
#[cfg(feature = "schema")]
use vademecum_protocol::schema::Name;

/// Maximum number of chunks of a map.
const LIMIT: Range<usize> = Range::from("limit", 1);

/// What is on the map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct MapRequest {
    /// Collections whose chunks are placed. Default: all.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<Name>>"))]
    pub collections: Option<Vec<String>>,
    /// Maximum number of chunks, chosen evenly.
    #[cfg_attr(feature = "schema", schemars(transform = LIMIT.declared()))]
    pub limit: usize,
}

impl Default for MapRequest {
    fn default() -> Self {
        Self { collections: None, limit: 5000 }
    }
}

impl KnowledgeBase {
    /// The chunks that have a vector, placed on the plane on which their vectors differ most. The same library has the
    /// same map.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::UnknownCollection`], [`Error::InvalidArgument`] for a limit of 0.
    pub fn map(&self, request: &MapRequest) -> Result<ChunkMap> {
        let state = self.open_state()?.borrow();
        request.collections.iter().flatten().try_for_each(|name| state.known(name).map(|_| ()))?;
        LIMIT.check(request.limit)?;
        let collections: HashSet<String> = request.collections.iter().flatten().cloned().collect();
        Ok(state.index.searcher().map(&collections, request.limit))
    }
}
