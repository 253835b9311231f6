//! The knowledge base: combines the index and an encoder.
//!
//! ```
//! use futures_util::FutureExt;
//! use std::rc::Rc;
//! use vademecum_engine::{DEFAULT_COLLECTION, KnowledgeBase, Mode, Options, SearchRequest};
//! use vademecum_protocol::{cancel::Cancel, document::Document, platform::Native};
//!
//! // Without an embedder, search is by keyword.
//! let kb = KnowledgeBase::new(None, Rc::new(Native::default()), Options::default());
//! let note = Document::new("tides.md", "# Tides\n\nThe moon pulls the sea.");
//! let cancel = Cancel::default();
//! kb.add(DEFAULT_COLLECTION, vec![note], &cancel, &|_| {}).now_or_never().unwrap()?;
//!
//! let request = SearchRequest { query: "moon".to_owned(), ..SearchRequest::default() };
//! let response = kb.search(&request, &cancel).now_or_never().unwrap()?;
//! assert_eq!(response.mode, Mode::Keyword);
//! assert_eq!(response.hits[0].chunk.headings, ["Tides"]);
//! # Ok::<(), vademecum_protocol::error::Error>(())
//! ```
//!
//! **Data flow.** [`KnowledgeBase::add`] parses, chunks, inserts and embeds documents (`ingest.rs`).
//! [`KnowledgeBase::search`] embeds the query and runs a [`SearchRequest`] on a snapshot of the index
//! (`search.rs`); with more than one hop it continues from the best passages (`multihop`).
//! [`KnowledgeBase::open`] binds a knowledge base to storage, and [`KnowledgeBase::maintain`] merges segments
//! in the background (`persist.rs`). The agent searches through [`View`], an implementation of
//! [`vademecum_protocol::searcher::Searcher`].
//!
//! **Concurrency.** Every method takes `&self`. Shared state is borrowed only between awaits, so searches run
//! while documents are being embedded; each sees the state at its start.
//!
//! Start reading at `ingest.rs` and `search.rs`.

#[cfg(feature = "meaning")]
mod calibrated;
mod collection;
mod embedding_order;
mod facets;
#[cfg(feature = "meaning")]
pub mod federation;
mod ingest;
mod listing;
#[cfg(feature = "meaning")]
mod meaning;
#[cfg(feature = "meaning")]
mod memory;
mod multihop;
mod persist;
mod publication;
mod search;
mod search_request;
mod searcher;
mod survey;
mod vectors;

pub use collection::CollectionOptions;
pub use facets::FacetRequest;
pub use ingest::{Added, Phase, Progress};
pub use listing::ListRequest;
#[cfg(feature = "meaning")]
pub use memory::MemoryUse;
pub use publication::Publication;
pub use search::SearchResponse;
pub use search_request::{Mode, SearchRequest};
pub use searcher::View;
pub use vectors::VectorsRequest;

#[cfg(feature = "meaning")]
use calibrated::Calibrated;
use collection::Collection;
use embedding_order::LookedAt;
use futures_util::lock::Mutex;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
#[cfg(feature = "meaning")]
use std::collections::BTreeMap;
use std::collections::HashSet;
use std::rc::Rc;
use vademecum_encoder::Embedder;
#[cfg(feature = "meaning")]
use vademecum_index::paging::Disk;
use vademecum_index::persist::{Library, Lost};
use vademecum_index::vectors::GRAPH_FROM;
use vademecum_index::{ChunkKey, Index, Searcher, Shape, Size};
use vademecum_protocol::document::{Chunk, Document, SUMMARY};
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::platform::Platform;
use vademecum_protocol::range::Range;
use vademecum_protocol::relevance::Calibration;
use vademecum_text::nearest::nearest;
use vademecum_text::terms::Language;
use vademecum_util::vec_map;

pub use vademecum_protocol::document::DEFAULT_COLLECTION;

/// Tokens of a chunk: fewer would leave no room for its title and heading.
const CHUNK_TOKENS: Range<usize> = Range::from("chunkTokens", 8);
/// Bytes of memory.
#[cfg(feature = "meaning")]
const MEMORY: Range<usize> = Range::new("maxMemory", 1 << 20, 4_000_000_000);
/// Bytes of a document's text.
#[cfg(feature = "schema")]
const DOCUMENT_BYTES: Range<usize> = Range::from("maxDocumentBytes", 1);

/// Limits and sizes of a knowledge base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Options {
    /// Maximum size of a document's text, in bytes of UTF-8.
    #[cfg_attr(feature = "schema", schemars(transform = DOCUMENT_BYTES.declared()))]
    pub max_document_bytes: usize,
    /// Maximum number of tokens of a chunk as it is embedded, its title, heading and special tokens included. Default: what the embedder's model takes, else 128.
    #[cfg_attr(feature = "schema", schemars(transform = CHUNK_TOKENS.declared()))]
    pub chunk_tokens: usize,
    /// Number of tokens, in whole sentences or lines, that a chunk repeats of the one before; at most half of `chunkTokens`.
    pub chunk_overlap: usize,
    /// Whether 32-bit vectors are kept beside the 8-bit ones, and hits ranked by them: a little more exact, at four times the memory.
    pub exact_vectors: bool,
    /// Number of vectors from which a segment gets an HNSW graph, built in a worker of its own.
    pub graph_from: usize,
    /// Whether a library whose vectors another embedder made is embedded again instead of refused.
    pub reembed: bool,
    /// Bytes of memory that documents, their index and their vectors may take. Above it, texts and postings that are saved are read from the
    /// browser's private files as they are needed, where a worker can (in OPFS); documents for which that does not make enough room are
    /// refused with `library_too_large`. Not for what a call needs while it runs. Default: no limit. Not in the lite build.
    #[cfg(feature = "meaning")]
    #[cfg_attr(feature = "schema", schemars(transform = MEMORY.declared()))]
    pub max_memory: Option<usize>,
    /// Whether the undamaged part of a damaged library is opened, to be read and exported; `stats().lost` tells what is missing.
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
            #[cfg(feature = "meaning")]
            max_memory: None,
            salvage: false,
        }
    }
}

impl Options {
    /// Checks that the values are within range.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] otherwise.
    pub fn check(&self) -> Result<()> {
        CHUNK_TOKENS.check(self.chunk_tokens)?;
        #[cfg(feature = "meaning")]
        self.max_memory.map_or(Ok(()), |bytes| MEMORY.check(bytes))?;
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

/// A searchable set of documents in collections.
pub struct KnowledgeBase {
    state: RefCell<State>,
    embedder: Option<Rc<dyn Embedder>>,
    platform: Rc<dyn Platform>,
    options: Options,
    /// Storage, if any. Locked while a save is being written.
    library: Mutex<Option<Library>>,
    /// The library's files, from which texts above `max_memory` are read. Outlives `close`, so that calls in progress report failed reads.
    #[cfg(feature = "meaning")]
    disk: std::cell::OnceCell<Rc<Disk>>,
}

#[derive(Debug, Default)]
struct State {
    index: Index,
    collections: vec_map::Map<Rc<str>, Collection>,
    lost: Option<Lost>,
    /// Maximum size of the cache of texts and postings, in bytes.
    #[cfg(feature = "meaning")]
    max_cache: usize,
    /// Bytes that are reserved for documents being inserted.
    #[cfg(feature = "meaning")]
    reserved: usize,
    /// Id of the embedder that computed the vectors of the opened library.
    embedder: Option<String>,
    /// Whether a merge is running.
    merging: bool,
    /// Chunks that are being embedded.
    embedding: HashSet<ChunkKey>,
    /// Chunks that are embedded before others.
    looked_at: LookedAt,
    /// Cosines to expect, once measured.
    #[cfg(feature = "meaning")]
    calibrated: Option<Calibrated>,
    /// The question that was embedded last, with its vector.
    #[cfg(feature = "meaning")]
    last_question: Option<(String, Rc<Vec<f32>>)>,
    /// Remote collections by name.
    #[cfg(feature = "meaning")]
    remotes: BTreeMap<Rc<str>, federation::remote::Remote>,
    closed: bool,
}

/// A document as it is kept, with its chunks. Its `text` is the plain text that spans refer to; of HTML, what was extracted.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "StoredDocument", extend("x-omits" = ["format", "pages"])))]
pub struct DocumentView {
    /// The document; its `text` is the plain text that spans refer to.
    #[serde(flatten)]
    pub document: Document,
    /// Its chunks, in text order.
    pub chunks: Vec<Chunk>,
}

/// Statistics of a knowledge base.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// Number of documents.
    pub documents: usize,
    /// Number of chunks.
    pub chunks: usize,
    /// Number of chunks with a vector, which can be found by meaning.
    pub embedded: usize,
    /// Number of chunks without a vector; 0 without an embedder.
    pub pending: usize,
    /// Number of distinct terms, summed over segments.
    pub terms: usize,
    /// Statistics per collection, ordered by name; `default` is among them.
    pub collections: Vec<CollectionStats>,
    /// Structure of the index.
    pub index: Shape,
    /// Memory that it takes; absent in the lite build.
    #[cfg(feature = "meaning")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryUse>,
    /// Cosines that the embedder gives in this library, and the threshold that follows; absent until they have been measured, in the
    /// background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// What could not be read, if a damaged library was opened with `salvage`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<Lost>,
}

/// Statistics of a collection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CollectionStats {
    /// Its name.
    pub name: String,
    /// Its description; empty where none was declared.
    pub description: String,
    /// Its language, declared or detected in the first documents, by which texts are stemmed that tell none; null before the first
    /// document.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub language: Option<Language>,
    /// The types of its metadata fields: a name where declared, a list of those found otherwise.
    #[cfg_attr(feature = "schema", schemars(with = "vademecum_protocol::schema::FoundTypes"))]
    pub schema: serde_json::Value,
    /// Number of documents.
    pub documents: usize,
    /// Number of chunks.
    pub chunks: usize,
}

impl std::fmt::Debug for KnowledgeBase {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("KnowledgeBase").field("options", &self.options).finish_non_exhaustive()
    }
}

impl KnowledgeBase {
    /// Creates an empty knowledge base. Without an embedder it searches by keyword only.
    pub fn new(embedder: Option<Rc<dyn Embedder>>, platform: Rc<dyn Platform>, options: Options) -> Self {
        let mut state = State { index: Index::new(options.exact_vectors), ..State::default() };
        state.index.set_graph_from(options.graph_from);
        state.collections.insert(DEFAULT_COLLECTION.into(), Collection::default());
        Self {
            state: RefCell::new(state),
            embedder,
            platform,
            options,
            library: Mutex::new(None),
            #[cfg(feature = "meaning")]
            disk: Default::default(),
        }
    }

    /// Returns an unpredictable number.
    pub fn random(&self) -> u64 {
        self.platform.random()
    }

    /// Returns the minimum cosine of vector hits for runs that set none. Default: the embedder's, or else the one measured on this library.
    pub fn default_threshold(&self) -> Option<f32> {
        let own = self.embedder.as_ref().and_then(|embedder| embedder.threshold());
        own.or_else(|| self.calibration().map(|one| one.threshold))
    }

    /// Returns the cosines to expect, if they have been measured.
    pub fn calibration(&self) -> Option<Calibration> {
        self.state.borrow().calibration()
    }

    /// Returns the maximum size of a document's text, in UTF-8 bytes.
    pub fn max_document_bytes(&self) -> usize {
        self.options.max_document_bytes
    }

    /// Declares a collection, or updates its settings.
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
        #[cfg(feature = "meaning")]
        state.refuse_remote(name, "be declared")?;
        let mut collection = state.collections.get(name).cloned().unwrap_or_default();
        if let Some(schema) = collection.declare(options)? {
            state.index.declare(name, &schema);
        }
        state.collections.insert(name.into(), collection);
        Ok(())
    }

    /// Removes documents by id and returns how many existed. Ignores unknown ids.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::UnknownCollection`], [`Error::ReadOnly`].
    pub fn remove(&self, collection: &str, ids: &[String]) -> Result<usize> {
        self.writable()?;
        let mut state = self.open_state()?.borrow_mut();
        state.known(collection)?;
        Ok(ids.iter().filter(|id| state.index.remove(collection, id)).count())
    }

    /// Returns a document with its plain text and its chunks, which are embedded before others if they have no vector yet.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::UnknownCollection`], [`Error::UnknownDocument`].
    pub fn document(&self, collection: &str, id: &str) -> Result<DocumentView> {
        let mut state = self.open_state()?.borrow_mut();
        state.known(collection)?;
        let searcher = state.index.searcher();
        let (stored, keys) = searcher
            .document(collection, id)
            .ok_or_else(|| Error::UnknownDocument { collection: collection.to_owned(), id: id.to_owned() })?;
        state.looked_at.note(keys.iter().copied());
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

    /// Returns statistics.
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
            #[cfg(feature = "meaning")]
            memory: Some(self.memory_use(&state.index)),
            calibration: state.calibration(),
            lost: state.lost.clone(),
        })
    }

    /// Returns a hash that changes with search results: with documents, collections, metadata and vectors. It
    /// does not depend on the order of insertion or on the device.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn fingerprint(&self) -> Result<String> {
        let state = self.open_state()?.borrow();
        let embedder = self.embedder.as_ref().and_then(|_| self.embedder_id(&state)).unwrap_or_default();
        Ok(format!("{:016x}", state.index.fingerprint(&embedder)))
    }

    /// Returns whether it has not been closed.
    pub fn is_open(&self) -> bool {
        self.open_state().is_ok()
    }

    /// Frees all memory. Later calls, and calls in progress, fail with [`Error::Closed`].
    pub fn close(&self) {
        *self.state.borrow_mut() = State { closed: true, ..State::default() };
    }

    /// Returns a snapshot: of everything, or without documents marked `neverSend`.
    fn snapshot(&self, sendable: bool) -> Result<Searcher> {
        let state = self.open_state()?.borrow();
        Ok(if sendable { state.index.sendable() } else { state.index.searcher() })
    }

    /// Returns the state, or [`Error::Closed`].
    fn open_state(&self) -> Result<&RefCell<State>> {
        if self.state.borrow().closed { Err(Error::Closed) } else { Ok(&self.state) }
    }
}

impl State {
    #[cfg(feature = "meaning")]
    fn calibration(&self) -> Option<Calibration> {
        self.calibrated.as_ref().and_then(|known| known.value)
    }

    #[cfg(not(feature = "meaning"))]
    fn calibration(&self) -> Option<Calibration> {
        None
    }

    /// Returns the names of all collections.
    fn names(&self) -> impl Iterator<Item = &str> {
        let own = self.collections.keys().map(|known| &**known);
        #[cfg(feature = "meaning")]
        return own.chain(self.attached());
        #[cfg(not(feature = "meaning"))]
        own
    }

    /// Returns an error unless a collection of this name can be searched.
    fn searchable(&self, name: &str) -> Result<()> {
        #[cfg(feature = "meaning")]
        if self.remotes.contains_key(name) {
            return Ok(());
        }
        self.known(name).map(drop)
    }

    /// Returns the shared name of a collection, or [`Error::UnknownCollection`].
    fn known(&self, name: &str) -> Result<Rc<str>> {
        if let Some((name, _)) = self.collections.pair(name) {
            return Ok(name.clone());
        }
        #[cfg(feature = "meaning")]
        self.refuse_remote(name, "do this")?;
        let names: Vec<&str> = self.names().collect();
        let nearest = nearest(name, names.iter().copied())
            .map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
        Err(Error::UnknownCollection { name: name.to_owned(), nearest, known: names.join(", ") })
    }
}
