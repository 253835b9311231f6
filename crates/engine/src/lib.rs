//! The knowledge base: joins the index and the embedder to what a caller, or the agent, asks for.
//!
//! Every method takes `&self`. What is shared is borrowed only between awaits, so a search may run while
//! documents are being embedded, and sees what is there at that moment.

mod collection;
mod facets;
mod ingest;
mod listing;
mod map;
mod multihop;
mod persist;
mod search;
mod search_request;
mod searcher;
mod survey;

pub use collection::CollectionOptions;
pub use facets::FacetRequest;
pub use ingest::{Added, Phase, Progress};
pub use listing::ListRequest;
pub use map::MapRequest;
pub use search::SearchResponse;
pub use search_request::{Mode, SearchRequest};
pub use searcher::View;

use collection::Collection;
use futures_util::lock::Mutex;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;
use vademecum_encoder::Embedder;
use vademecum_index::persist::{Library, Lost};
use vademecum_index::vectors::GRAPH_FROM;
use vademecum_index::{ChunkKey, Index, Searcher, Shape, Size};
use vademecum_protocol::document::{Chunk, Document, SUMMARY};
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::platform::Platform;
use vademecum_text::nearest::nearest;
use vademecum_text::terms::Language;
use vademecum_util::vec_map;

pub use vademecum_protocol::document::DEFAULT_COLLECTION;

/// Limits and sizes of a knowledge base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Options {
    /// The most text one document may have, in UTF-8 bytes.
    pub max_document_bytes: usize,
    /// The most tokens a chunk is embedded as, title, heading and special tokens included: what the embedder takes.
    pub chunk_tokens: usize,
    /// How many tokens of whole sentences or lines a chunk repeats of the one before.
    pub chunk_overlap: usize,
    /// Keep f32 vectors beside the int8 ones and rank by them: a little more exact, at four times the memory.
    pub exact_vectors: bool,
    /// From how many vectors a segment is worth an HNSW graph.
    pub graph_from: usize,
    /// A library whose vectors another embedder made is embedded anew instead of refused.
    pub reembed: bool,
    /// Opens what is whole of a damaged library, which is then only read.
    pub salvage: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_document_bytes: 16 << 20,
            chunk_tokens: 128,
            chunk_overlap: 0,
            exact_vectors: false,
            graph_from: GRAPH_FROM,
            reembed: false,
            salvage: false,
        }
    }
}

impl Options {
    /// Whether the numbers make sense.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`].
    pub fn check(&self) -> Result<()> {
        if self.chunk_tokens < 8 {
            return Err(Error::invalid("chunkTokens", "at least 8", self.chunk_tokens.to_string()));
        }
        if self.chunk_overlap.saturating_mul(2) > self.chunk_tokens {
            return Err(Error::invalid(
                "chunkOverlap",
                "at most half of `chunkTokens`",
                self.chunk_overlap.to_string(),
            ));
        }
        Ok(())
    }
}

/// Documents, searchable and answerable.
pub struct KnowledgeBase {
    state: RefCell<State>,
    embedder: Option<Rc<dyn Embedder>>,
    platform: Rc<dyn Platform>,
    options: Options,
    /// Where it is kept, if anywhere. Locked while it is written.
    library: Mutex<Option<Library>>,
}

#[derive(Debug, Default)]
struct State {
    index: Index,
    collections: vec_map::Map<Rc<str>, Collection>,
    lost: Option<Lost>,
    /// What made the vectors of the library that was opened.
    embedder: Option<String>,
    /// Whether segments are being merged.
    merging: bool,
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
    /// What of the index is built.
    pub index: Shape,
    /// What of a damaged library is not here, where what is whole of it was opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<Lost>,
}

/// How much is in a collection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CollectionStats {
    /// Its name.
    pub name: String,
    /// What it was declared to hold.
    pub description: String,
    /// What its words are stemmed as; none before the first document.
    pub language: Option<Language>,
    /// The types of its metadata fields, declared or seen.
    pub schema: serde_json::Value,
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
        let mut state = State { index: Index::new(options.exact_vectors), ..State::default() };
        state.index.set_graph_from(options.graph_from);
        state.collections.insert(DEFAULT_COLLECTION.into(), Collection::default());
        Self { state: RefCell::new(state), embedder, platform, options, library: Mutex::new(None) }
    }

    /// A number that nobody can guess.
    pub fn random(&self) -> u64 {
        self.platform.random()
    }

    /// The least cosine the agent asks of a vector hit, where the embedder names one.
    pub fn default_threshold(&self) -> Option<f32> {
        self.embedder.as_ref().and_then(|embedder| embedder.threshold())
    }

    /// The most text one document may have, in bytes.
    pub fn max_document_bytes(&self) -> usize {
        self.options.max_document_bytes
    }

    /// Declares a collection, or changes what is declared of it.
    ///
    /// # Errors
    /// [`Error::Closed`]; [`Error::InvalidArgument`] for a name without a letter or digit, an unknown language, or
    /// a schema of the wrong shape; [`Error::ReadOnly`].
    pub fn collection(&self, name: &str, options: &CollectionOptions) -> Result<()> {
        self.writable()?;
        if vademecum_text::terms::is_blank(name) {
            return Err(Error::invalid(
                "name",
                "a name with at least one letter or digit",
                format!("{name:?}"),
            ));
        }
        let mut state = self.open_state()?.borrow_mut();
        let mut collection = state.collections.get(name).cloned().unwrap_or_default();
        if let Some(schema) = collection.declare(options)? {
            state.index.declare(name, &schema);
        }
        state.collections.insert(name.into(), collection);
        Ok(())
    }

    /// Removes documents by id and says how many were there. An id that is not there is no error.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::UnknownCollection`], [`Error::ReadOnly`].
    pub fn remove(&self, collection: &str, ids: &[String]) -> Result<usize> {
        self.writable()?;
        let mut state = self.open_state()?.borrow_mut();
        state.known(collection)?;
        Ok(ids.iter().filter(|id| state.index.remove(collection, id)).count())
    }

    /// A document with its readable text and its chunks.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::UnknownCollection`], [`Error::UnknownDocument`].
    pub fn document(&self, collection: &str, id: &str) -> Result<DocumentView> {
        let state = self.open_state()?.borrow();
        state.known(collection)?;
        let searcher = state.index.searcher();
        let (stored, keys) = searcher
            .document(collection, id)
            .ok_or_else(|| Error::UnknownDocument { collection: collection.to_owned(), id: id.to_owned() })?;
        let mut metadata = stored.metadata();
        let summary = metadata.remove(SUMMARY).and_then(|summary| summary.as_str().map(str::to_owned));
        Ok(DocumentView {
            chunks: keys
                .into_iter()
                .filter_map(|key| searcher.chunk(key))
                .map(|chunk| chunk.to_chunk())
                .collect(),
            document: Document {
                id: stored.id().to_owned(),
                title: stored.title().map(str::to_owned),
                url: stored.url().map(str::to_owned),
                text: stored.text().to_owned(),
                pages: None,
                format: None,
                summary,
                metadata,
            },
        })
    }

    /// How much is in it.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn stats(&self) -> Result<Stats> {
        let state = self.open_state()?.borrow();
        let size = state.index.size(None);
        let collections = state.collections.iter().map(|(name, collection)| {
            let Size { documents, chunks, .. } = state.index.size(Some(name));
            let schema = state.index.schema(name).map(serde_json::to_value);
            CollectionStats {
                name: name.to_string(),
                description: collection.description.clone(),
                language: collection.language(),
                schema: schema.and_then(Result::ok).unwrap_or_else(|| serde_json::json!({})),
                documents,
                chunks,
            }
        });
        Ok(Stats {
            documents: size.documents,
            chunks: size.chunks,
            embedded: size.vectors,
            pending: if self.embedder.is_some() { size.chunks.saturating_sub(size.vectors) } else { 0 },
            terms: size.terms,
            collections: collections.collect(),
            index: state.index.shape(),
            lost: state.lost.clone(),
        })
    }

    /// Changes with what searches find: with the documents, their collections and metadata, and the vectors there are.
    /// Two libraries that hold the same have the same, wherever and in whichever order it was added.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn fingerprint(&self) -> Result<String> {
        let state = self.open_state()?.borrow();
        let embedder = self.embedder.as_ref().and_then(|_| self.embedder_id(&state)).unwrap_or_default();
        Ok(format!("{:016x}", state.index.fingerprint(&embedder)))
    }

    /// Whether it was not closed.
    pub fn is_open(&self) -> bool {
        self.open_state().is_ok()
    }

    /// Frees everything. Every later call is [`Error::Closed`]; work under way ends so too.
    pub fn close(&self) {
        *self.state.borrow_mut() = State { closed: true, ..State::default() };
    }

    /// A snapshot to search in: of everything, or of what an LLM may be told of.
    fn snapshot(&self, sendable: bool) -> Result<Searcher> {
        let state = self.open_state()?.borrow();
        Ok(if sendable { state.index.sendable() } else { state.index.searcher() })
    }

    /// The state, unless it was closed.
    fn open_state(&self) -> Result<&RefCell<State>> {
        if self.state.borrow().closed { Err(Error::Closed) } else { Ok(&self.state) }
    }
}

impl State {
    /// The shared name of a declared collection.
    fn known(&self, name: &str) -> Result<Rc<str>> {
        if let Some((name, _)) = self.collections.pair(name) {
            return Ok(name.clone());
        }
        let names: Vec<&str> = self.collections.keys().map(|known| &**known).collect();
        let nearest = nearest(name, names.iter().copied())
            .map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
        Err(Error::UnknownCollection { name: name.to_owned(), nearest, known: names.join(", ") })
    }
}
