//! Access to ids and term statistics, for generating questions.

use super::KnowledgeBase;
use std::collections::HashSet;
use vademecum_index::Searcher;
use vademecum_protocol::error::Result;

/// A snapshot without documents marked `neverSend`.
#[derive(Debug)]
pub struct Survey {
    searcher: Searcher,
    collections: HashSet<String>,
}

impl Survey {
    /// Returns the collection and id of every document, sorted.
    pub fn document_ids(&self) -> Vec<(String, String)> {
        self.searcher.document_ids(&self.collections)
    }

    /// Returns the number of chunks in all collections.
    pub fn chunks(&self) -> usize {
        self.searcher.chunks()
    }

    /// Returns the number of chunks that contain a term.
    pub fn chunks_with(&self, term: &str) -> usize {
        self.searcher.chunks_with(term)
    }
}

impl KnowledgeBase {
    /// Returns a survey of some collections, or of all.
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

    /// Returns those of `collections` that contain a document with this id.
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
