//! A map of what is in a knowledge base, to look at.

use super::KnowledgeBase;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use vademecum_index::ChunkMap;
use vademecum_protocol::error::{Error, Result};

/// What is on the map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct MapRequest {
    /// Only chunks of these collections; of all where absent.
    pub collections: Option<Vec<String>>,
    /// The most chunks to place.
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
        if request.limit == 0 {
            return Err(Error::invalid("limit", "at least 1", "0"));
        }
        let collections: HashSet<String> = request.collections.iter().flatten().cloned().collect();
        Ok(state.index.searcher().map(&collections, request.limit))
    }
}
