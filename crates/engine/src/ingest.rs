//! Adds documents: parses and checks all of them, inserts them into the index, then embeds their chunks.

use super::collection::{Collection, Languages};
use super::embedding_order::{Batch, Queue};
use super::{KnowledgeBase, State};
use futures_util::{StreamExt, stream};
use serde::Serialize;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;
use vademecum_encoder::{Embedder, Kind};
use vademecum_index::{ChunkKey, Prepared};
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::document::{Document, NEVER_SEND, SUMMARY, is_never_sent};
use vademecum_protocol::error::{Error, Result, excerpt};
use vademecum_text::chunk::{Budget, estimate_tokens};
use vademecum_text::{chunk, structure, terms};
use vademecum_util::vec_map;

/// Maximum nesting depth of metadata.
const MAX_METADATA_DEPTH: usize = 64;
/// Interval at which parsing yields to other tasks, in milliseconds.
const YIELD_INTERVAL: f64 = 12.0;
/// Bytes of text inserted into the index between two yields.
const INSERT_BYTES: usize = 256 << 10;
/// Interval at which vectors are saved during embedding, in milliseconds.
const SAVE_INTERVAL: f64 = 20_000.0;

/// A phase of adding documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Parsing, chunking and inserting; progress counts documents.
    Read,
    /// Embedding; all documents are searchable by keyword. Progress counts chunks.
    Embed,
}

/// Progress of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Progress {
    /// The phase.
    pub phase: Phase,
    /// Units done.
    pub loaded: usize,
    /// Units in total.
    pub total: usize,
}

/// The result of `kb.add`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Added {
    /// Number of documents added or replaced.
    pub documents: usize,
    /// Number of chunks of these documents.
    pub chunks: usize,
    /// Ids of the chunks that exceed the embedder's token limit, so that their vector represents only the
    /// beginning.
    pub truncated: Vec<String>,
}

/// Progress callback.
pub(super) type OnProgress<'a> = &'a dyn Fn(Progress);

impl KnowledgeBase {
    /// Adds documents to a collection, replacing documents of the same id. Resolves when all are searchable
    /// by keyword and, with an embedder, by vector.
    ///
    /// Atomic until the text is inserted: an invalid document or a cancellation leaves everything unchanged.
    /// Afterwards the text stays, and is saved if the knowledge base has storage. If the embedder fails or is
    /// cancelled, the chunks are searchable by keyword, and [`KnowledgeBase::embed_pending`] resumes. Text
    /// that was embedded before is not embedded again.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::UnknownCollection`], [`Error::DuplicateId`], [`Error::EmptyDocument`],
    /// [`Error::DocumentTooLarge`], [`Error::MetadataType`], [`Error::InvalidArgument`] for an empty id,
    /// [`Error::ReadOnly`], [`Error::Aborted`], `library_too_large`, those of the embedder, and those of saving.
    pub async fn add(
        &self,
        collection: &str,
        documents: Vec<Document>,
        cancel: &Cancel,
        on_progress: OnProgress<'_>,
    ) -> Result<Added> {
        let collection = self.open_state()?.borrow().known(collection)?;
        self.writable()?;
        cancel.check()?;
        check(&documents, self.options.max_document_bytes)?;
        self.check_metadata(&collection, &documents)?;
        let prepared = self.read(&collection, documents, cancel, on_progress).await?;
        #[cfg(feature = "meaning")]
        let reserved = self.make_room(&prepared).await?;
        let documents = prepared.len();
        let keys = self.insert(prepared, on_progress).await?;
        #[cfg(feature = "meaning")]
        drop(reserved);
        self.save().await?;
        self.embed(&keys, cancel, on_progress).await?;
        let searcher = self.open_state()?.borrow().index.searcher();
        let chunks = keys.iter().filter_map(|key| searcher.chunk(*key));
        let truncated = chunks.filter(|chunk| chunk.truncated).map(|chunk| chunk.id()).collect();
        Ok(Added { documents, chunks: keys.len(), truncated })
    }

    /// Inserts documents into the index, yielding between batches. Searches during a yield see part of them.
    async fn insert(&self, prepared: Vec<Prepared>, on_progress: OnProgress<'_>) -> Result<Vec<ChunkKey>> {
        let total = prepared.len();
        {
            let mut state = self.open_state()?.borrow_mut();
            for document in &prepared {
                let collection = state.collections.entry(document.collection.clone());
                // Documents marked `neverSend` must not affect how others are analysed.
                if !is_never_sent(&document.metadata) {
                    collection.set_detected(document.language);
                }
            }
            state.index.announce(&prepared);
        }
        let mut keys = Vec::new();
        let mut waiting = prepared.into_iter();
        loop {
            let mut batch: Vec<Prepared> = Vec::new();
            let mut size = 0;
            while size < INSERT_BYTES {
                let Some(next) = waiting.next() else { break };
                size += next.text.len();
                batch.push(next);
            }
            if batch.is_empty() {
                return Ok(keys);
            }
            let inserted = self.open_state()?.borrow_mut().index.file(batch);
            keys.extend(inserted);
            if waiting.len() > 0 {
                on_progress(Progress { phase: Phase::Read, loaded: total - waiting.len(), total });
                self.platform.pause().await;
            }
        }
    }

    fn check_metadata(&self, collection: &str, documents: &[Document]) -> Result<()> {
        let state = self.open_state()?.borrow();
        let schema = state.collections.get(collection).and_then(|collection| collection.schema());
        match schema {
            Some(schema) => documents.iter().try_for_each(|one| schema.check(&one.id, &one.metadata)),
            None => Ok(()),
        }
    }

    /// Embeds every chunk that has no vector and is not being embedded, after a failure or a cancellation.
    /// Returns the number of chunks embedded.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::NoEmbedder`], [`Error::Aborted`], and those of the embedder.
    pub async fn embed_pending(&self, cancel: &Cancel, on_progress: OnProgress<'_>) -> Result<usize> {
        let keys = self.open_state()?.borrow().index.without_vector();
        if self.embedder.is_none() {
            return Err(Error::NoEmbedder { what: "Embedding" });
        }
        self.embed(&keys, cancel, on_progress).await
    }

    async fn read(
        &self,
        collection: &Rc<str>,
        documents: Vec<Document>,
        cancel: &Cancel,
        on_progress: OnProgress<'_>,
    ) -> Result<Vec<Prepared>> {
        let total = documents.len();
        let mut prepared = Vec::with_capacity(total);
        let mut last_yield = self.platform.now();
        let counter = match &self.embedder {
            Some(embedder) => cancel.guard(embedder.counter()).await?,
            None => None,
        };
        let count =
            |text: &str| counter.as_ref().map_or_else(|| estimate_tokens(text), |counter| counter(text));
        let mut languages = self
            .open_state()?
            .borrow()
            .collections
            .get(collection)
            .map(Collection::languages)
            .unwrap_or_default();
        for document in documents {
            prepared.push(self.prepare(collection, document, &count, &mut languages)?);
            if self.platform.now() - last_yield > YIELD_INTERVAL || prepared.len() == total {
                on_progress(Progress { phase: Phase::Read, loaded: prepared.len(), total });
                self.platform.pause().await;
                cancel.check()?;
                last_yield = self.platform.now();
            }
        }
        Ok(prepared)
    }

    fn prepare(
        &self,
        collection: &Rc<str>,
        document: Document,
        count: &dyn Fn(&str) -> usize,
        languages: &mut Languages,
    ) -> Result<Prepared> {
        let format = document.format();
        let structure = match &document.pages {
            Some(pages) => structure::read_pages(pages),
            None => structure::read(document.text, format)?,
        };
        if terms::is_blank(&structure.text) {
            return Err(Error::EmptyDocument { id: document.id });
        }
        let title = document.title.or_else(|| structure.title.clone());
        let budget = Budget {
            max_tokens: self.options.chunk_tokens,
            overlap: self.options.chunk_overlap,
            count,
            title: title.as_deref(),
        };
        let mut pieces = chunk::chunk(&structure, &budget);
        let mut metadata = document.metadata;
        if let (Some(first), Some(summary)) = (pieces.first_mut(), document.summary) {
            first.context = Some(summary.as_str().into());
            metadata.insert(SUMMARY.to_owned(), summary.into());
        }
        let language = languages.of(&structure.text, is_never_sent(&metadata));
        Ok(Prepared {
            id: document.id,
            collection: collection.clone(),
            title,
            url: document.url,
            pieces,
            links: structure.links.into_iter().map(|link| (link.at.start, link.target)).collect(),
            text: structure.text,
            metadata,
            language,
        })
    }

    /// Embeds chunks, several batches at a time. Returns the number of chunks embedded.
    async fn embed(&self, keys: &[ChunkKey], cancel: &Cancel, on_progress: OnProgress<'_>) -> Result<usize> {
        let Some(embedder) = self.embedder.clone() else { return Ok(0) };
        let lease = EmbeddingLease::of(&self.state, keys);
        let total = lease.keys.len();
        if total == 0 {
            return Ok(0);
        }
        let mut saved = self.platform.now();
        let mut loaded = 0;
        on_progress(Progress { phase: Phase::Embed, loaded, total });
        let mut queue = Queue::of(&lease.keys);
        let batches = std::iter::from_fn(|| {
            let state = self.state.borrow();
            queue.next(&state.index.searcher(), &state.looked_at)
        });
        let work = stream::iter(batches).map(|batch| self.embed_batch(&*embedder, batch));
        let mut work = work.buffer_unordered(embedder.concurrency().max(1));
        let outcome = loop {
            match cancel.guard(work.next()).await {
                Ok(None) => break Ok(loaded),
                Ok(Some(Ok(done))) => loaded += done,
                Ok(Some(Err(error))) | Err(error) => break Err(error),
            }
            on_progress(Progress { phase: Phase::Embed, loaded, total });
            if self.platform.now() - saved > SAVE_INTERVAL {
                self.save().await?;
                saved = self.platform.now();
            }
        };
        // Keep what was embedded before a failure.
        let kept = self.save().await;
        let loaded = outcome?;
        kept?;
        Ok(loaded)
    }

    async fn embed_batch(&self, embedder: &dyn Embedder, batch: Batch) -> Result<usize> {
        let (keys, texts): (Vec<ChunkKey>, Vec<String>) = batch.into_iter().unzip();
        let rows = embedder.embed(&texts, Kind::Document).await?.into_rows(texts.len())?;
        #[cfg(feature = "meaning")]
        self.settle()?; // vectors of texts that could not be read are worth nothing
        let mut state = self.open_state()?.borrow_mut();
        for (key, (vector, truncated)) in keys.iter().zip(rows) {
            state.index.set_vector(*key, &vector, truncated)?;
        }
        Ok(keys.len())
    }
}

/// Returns whether all numbers in a value survive JavaScript: integers beyond 2⁵³ do not.
fn is_exact(value: &Value) -> bool {
    const MAX_INTEGER: u64 = 1 << 53;
    match value {
        Value::Array(values) => values.iter().all(is_exact),
        Value::Object(fields) => fields.values().all(is_exact),
        Value::Number(number) => {
            let size = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
            size.is_none_or(|size| size <= MAX_INTEGER)
        }
        _ => true,
    }
}

/// Returns whether a value is nested at most `levels` deep.
fn is_shallow(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(values) => levels > 0 && values.iter().all(|value| is_shallow(value, levels - 1)),
        Value::Object(fields) => levels > 0 && fields.values().all(|value| is_shallow(value, levels - 1)),
        _ => true,
    }
}

/// Checks that need no parsing, run before any work.
fn check(documents: &[Document], limit: usize) -> Result<()> {
    let mut seen = HashSet::new();
    for document in documents {
        if document.id.trim().is_empty() {
            return Err(Error::invalid("id", "a non-empty string", format!("{:?}", document.id)));
        }
        if !seen.insert(&document.id) {
            return Err(Error::DuplicateId { id: document.id.clone() });
        }
        if !document.metadata.values().all(|value| is_shallow(value, MAX_METADATA_DEPTH)) {
            return Err(Error::invalid(
                format!("metadata of document `{}`", document.id),
                format!("nested at most {MAX_METADATA_DEPTH} levels deep"),
                "nested deeper",
            ));
        }
        if !document.metadata.values().all(is_exact) {
            return Err(Error::invalid(
                format!("metadata of document `{}`", document.id),
                "of numbers that JavaScript can hold (up to 2⁵³ on either side)",
                "a larger one; give it as a string",
            ));
        }
        if document.metadata.contains_key(SUMMARY) {
            return Err(Error::invalid(
                format!("metadata of document `{}`", document.id),
                format!("without the field `{SUMMARY}`, which a document's `summary` fills"),
                "given it",
            ));
        }
        // A misspelt mark must not expose a document.
        if let Some(mark) =
            document.metadata.get(NEVER_SEND).filter(|mark| !mark.is_boolean() && !mark.is_null())
        {
            let name = format!("metadata.{NEVER_SEND} of document `{}`", document.id);
            return Err(Error::invalid(name, "true or false", excerpt(&mark.to_string(), 40)));
        }
        if document.bytes() > limit {
            return Err(Error::DocumentTooLarge { id: document.id.clone(), bytes: document.bytes(), limit });
        }
    }
    Ok(())
}

/// Chunks that one call is embedding; released on drop.
struct EmbeddingLease<'a> {
    state: &'a RefCell<State>,
    keys: Vec<ChunkKey>,
}

impl<'a> EmbeddingLease<'a> {
    fn of(state: &'a RefCell<State>, keys: &[ChunkKey]) -> Self {
        let mut shared = state.borrow_mut();
        let missing = vec_map::set(shared.index.without_vector());
        let wanted = keys.iter().copied().filter(|key| missing.binary_search(key).is_ok());
        let keys = wanted.filter(|key| shared.embedding.insert(*key)).collect();
        Self { state, keys }
    }
}

impl Drop for EmbeddingLease<'_> {
    fn drop(&mut self) {
        let mut shared = self.state.borrow_mut();
        self.keys.iter().for_each(|key| {
            shared.embedding.remove(key);
        });
    }
}
