//! The knowledge base: joins the index and the embedder to what a caller, or the agent, asks for.
//!
//! Every method takes `&self`. What is shared is borrowed only between awaits, so a search may run while
//! documents are being embedded, and sees what is there at that moment.

mod ingest;
mod search;
mod searcher;

pub use ingest::{Added, Phase, Progress};
pub use search::{Mode, SearchRequest, SearchResponse};

use crate::document::{Chunk, Document};
use crate::embed::Embedder;
use crate::error::{Error, Result};
use crate::index::{ChunkKey, Index, Size};
use crate::platform::Platform;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

/// The collection that is always there.
pub const DEFAULT_COLLECTION: &str = "default";

/// Limits and sizes of a knowledge base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Options {
    /// The most text one document may have, in UTF-8 bytes.
    pub max_document_bytes: usize,
    /// The most a chunk may have with the title and the heading that are embedded with it, in estimated tokens
    /// ([`crate::text::chunk::estimate_tokens`]). The default leaves room in an encoder's 128 for an estimate that
    /// is too low.
    pub chunk_tokens: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_document_bytes: 16 << 20, chunk_tokens: 104 }
    }
}

/// Documents, searchable and answerable.
pub struct KnowledgeBase {
    state: RefCell<State>,
    embedder: Option<Rc<dyn Embedder>>,
    platform: Rc<dyn Platform>,
    options: Options,
}

#[derive(Debug, Default)]
struct State {
    index: Index,
    collections: BTreeMap<Rc<str>, String>,
    /// Chunks an embedder is working on.
    embedding: HashSet<ChunkKey>,
    closed: bool,
}

/// A document with its chunks, as it is given out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocumentView {
    /// The document; `text` is the readable text that spans point into.
    #[serde(flatten)]
    pub document: Document,
    /// Its chunks, in order.
    pub chunks: Vec<Chunk>,
}

/// How much is in a knowledge base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// Documents.
    pub documents: usize,
    /// Chunks.
    pub chunks: usize,
    /// Chunks that can be found by vector.
    pub embedded: usize,
    /// Chunks still to be embedded; 0 without an embedder.
    pub pending: usize,
    /// Distinct keyword terms.
    pub terms: usize,
    /// The collections, by name.
    pub collections: Vec<CollectionStats>,
}

/// How much is in a collection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CollectionStats {
    /// Its name.
    pub name: String,
    /// What it was declared to hold.
    pub description: String,
    /// Documents.
    pub documents: usize,
    /// Chunks.
    pub chunks: usize,
}

impl std::fmt::Debug for KnowledgeBase {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("KnowledgeBase").field("options", &self.options).finish_non_exhaustive()
    }
}

impl KnowledgeBase {
    /// An empty knowledge base. Without an embedder it searches by keyword only.
    pub fn new(embedder: Option<Rc<dyn Embedder>>, platform: Rc<dyn Platform>, options: Options) -> Self {
        let mut state = State::default();
        state.collections.insert(DEFAULT_COLLECTION.into(), String::new());
        Self { state: RefCell::new(state), embedder, platform, options }
    }

    /// The least cosine the agent asks of a vector hit.
    pub(crate) fn default_threshold(&self) -> f32 {
        self.embedder.as_ref().map_or(0.0, |embedder| embedder.threshold())
    }

    /// The most text one document may have, in bytes.
    pub fn max_document_bytes(&self) -> usize {
        self.options.max_document_bytes
    }

    /// Declares a collection, or changes its description.
    ///
    /// # Errors
    /// [`Error::Closed`]; [`Error::InvalidArgument`] for a name without a letter or digit.
    pub fn collection(&self, name: &str, description: &str) -> Result<()> {
        if crate::text::terms::is_blank(name) {
            return Err(Error::invalid(
                "name",
                "a name with at least one letter or digit",
                format!("{name:?}"),
            ));
        }
        self.open()?.borrow_mut().collections.insert(name.into(), description.to_owned());
        Ok(())
    }

    /// Removes documents by id and says how many were there. An id that is not there is no error.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::UnknownCollection`].
    pub fn remove(&self, collection: &str, ids: &[String]) -> Result<usize> {
        let mut state = self.open()?.borrow_mut();
        state.known(collection)?;
        Ok(ids.iter().filter(|id| state.index.remove(collection, id)).count())
    }

    /// A document with its readable text and its chunks.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::UnknownCollection`], [`Error::UnknownDocument`].
    pub fn document(&self, collection: &str, id: &str) -> Result<DocumentView> {
        let state = self.open()?.borrow();
        state.known(collection)?;
        let stored = state
            .index
            .document(collection, id)
            .ok_or_else(|| Error::UnknownDocument { collection: collection.to_owned(), id: id.to_owned() })?;
        let chunks = stored
            .chunks
            .iter()
            .filter_map(|key| state.index.chunk(*key))
            .map(|(document, chunk)| document.chunk(chunk));
        Ok(DocumentView {
            chunks: chunks.collect(),
            document: Document {
                id: stored.id.clone(),
                title: stored.title.clone(),
                url: stored.url.clone(),
                text: stored.text.clone(),
                format: None,
                metadata: stored.metadata.clone(),
            },
        })
    }

    /// How much is in it.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn stats(&self) -> Result<Stats> {
        let state = self.open()?.borrow();
        let size = state.index.size(None);
        let collections = state.collections.iter().map(|(name, description)| {
            let Size { documents, chunks, .. } = state.index.size(Some(name));
            CollectionStats { name: name.to_string(), description: description.clone(), documents, chunks }
        });
        Ok(Stats {
            documents: size.documents,
            chunks: size.chunks,
            embedded: size.vectors,
            pending: if self.embedder.is_some() { size.chunks - size.vectors } else { 0 },
            terms: size.terms,
            collections: collections.collect(),
        })
    }

    /// Frees everything. Every later call is [`Error::Closed`]; work under way ends so too.
    pub fn close(&self) {
        *self.state.borrow_mut() = State { closed: true, ..State::default() };
    }

    /// The state, unless it was closed.
    fn open(&self) -> Result<&RefCell<State>> {
        if self.state.borrow().closed { Err(Error::Closed) } else { Ok(&self.state) }
    }
}

impl State {
    /// The shared name of a declared collection.
    fn known(&self, name: &str) -> Result<Rc<str>> {
        if let Some((name, _)) = self.collections.get_key_value(name) {
            return Ok(name.clone());
        }
        let names: Vec<&str> = self.collections.keys().map(|known| &**known).collect();
        let nearest =
            nearest(name, &names).map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
        Err(Error::UnknownCollection { name: name.to_owned(), nearest, known: names.join(", ") })
    }
}

/// The known name that differs least from `name`, if it could be a slip of the keys.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let distance = |other: &str| edit_distance(&name.to_lowercase(), &other.to_lowercase());
    let (near, best) =
        known.iter().map(|other| (*other, distance(other))).min_by_key(|(_, distance)| *distance)?;
    (best <= 2.min(name.chars().count() / 2)).then_some(near)
}

/// Levenshtein distance in characters.
fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let (mut above_left, mut left) = (i, i + 1);
        for (cell, y) in row.iter_mut().skip(1).zip(b.chars()) {
            let above = *cell;
            *cell = (above_left + usize::from(x != y)).min(above + 1).min(left + 1);
            (above_left, left) = (above, *cell);
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_keys_finds_the_name_that_was_meant() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(nearest("contrats", &["contracts", "invoices"]), Some("contracts"));
        assert_eq!(nearest("letters", &["contracts", "invoices"]), None);
    }
}
