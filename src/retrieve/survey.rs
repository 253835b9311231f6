//! What a knowledge base holds, for those who make questions of it.

use super::KnowledgeBase;
use crate::error::Result;
use std::collections::HashSet;

impl KnowledgeBase {
    /// Every document of some collections, or of all, as its collection and id, in the order of these.
    ///
    /// # Errors
    /// [`Error::Closed`](crate::error::Error::Closed), [`Error::UnknownCollection`](crate::error::Error::UnknownCollection).
    pub fn document_ids(&self, collections: Option<&[String]>) -> Result<Vec<(String, String)>> {
        let state = self.open_state()?.borrow();
        let names = collections.unwrap_or_default();
        names.iter().try_for_each(|name| state.known(name).map(drop))?;
        let names: HashSet<String> = names.iter().cloned().collect();
        Ok(state.index.searcher().document_ids(&names))
    }

    /// In about how many chunks a keyword term stands.
    ///
    /// # Errors
    /// [`Error::Closed`](crate::error::Error::Closed).
    pub fn chunks_with(&self, term: &str) -> Result<usize> {
        Ok(self.open_state()?.borrow().index.searcher().chunks_with(term))
    }

    /// Those of `collections` that hold a document of this id.
    ///
    /// # Errors
    /// [`Error::Closed`](crate::error::Error::Closed), [`Error::UnknownCollection`](crate::error::Error::UnknownCollection).
    pub fn holding(&self, id: &str, collections: &[String]) -> Result<Vec<String>> {
        let state = self.open_state()?.borrow();
        collections.iter().try_for_each(|name| state.known(name).map(drop))?;
        let searcher = state.index.searcher();
        let holds = |name: &&String| searcher.document(name, id).is_some();
        Ok(collections.iter().filter(holds).cloned().collect())
    }
}
