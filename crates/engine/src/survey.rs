//! What a knowledge base holds, for those who make questions of it.

use super::KnowledgeBase;
use std::collections::HashSet;
use vademecum_index::Searcher;
use vademecum_protocol::error::Result;

/// What may be sent of a library, as it was at one moment.
#[derive(Debug)]
pub struct Survey {
    searcher: Searcher,
    collections: HashSet<String>,
}

impl Survey {
    /// Every document, as its collection and id, in the order of these.
    pub fn document_ids(&self) -> Vec<(String, String)> {
        self.searcher.document_ids(&self.collections)
    }

    /// How many chunks there are, in all collections.
    pub fn chunks(&self) -> usize {
        self.searcher.chunks()
    }

    /// In how many of them a keyword term stands.
    pub fn chunks_with(&self, term: &str) -> usize {
        self.searcher.chunks_with(term)
    }
}

impl KnowledgeBase {
    /// What some collections, or all, hold of documents that may be sent.
    ///
    /// # Errors
    /// [`Error::Closed`](vademecum_protocol::error::Error::Closed), [`Error::UnknownCollection`](vademecum_protocol::error::Error::UnknownCollection).
    pub fn survey(&self, collections: Option<&[String]>) -> Result<Survey> {
        let state = self.open_state()?.borrow();
        let names = collections.unwrap_or_default();
        names.iter().try_for_each(|name| state.known(name).map(drop))?;
        let names: HashSet<String> = names.iter().cloned().collect();
        Ok(Survey { searcher: state.index.sendable(), collections: names })
    }

    /// Those of `collections` that hold a document of this id.
    ///
    /// # Errors
    /// [`Error::Closed`](vademecum_protocol::error::Error::Closed), [`Error::UnknownCollection`](vademecum_protocol::error::Error::UnknownCollection).
    pub fn holding(&self, id: &str, collections: &[String]) -> Result<Vec<String>> {
        let state = self.open_state()?.borrow();
        collections.iter().try_for_each(|name| state.known(name).map(drop))?;
        let searcher = state.index.searcher();
        let holds = |name: &&String| searcher.document(name, id).is_some();
        Ok(collections.iter().filter(holds).cloned().collect())
    }
}
