//! Adding documents: read and check all of them, insert them together, then give their chunks vectors.

use super::collection::Collection;
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
use vademecum_text::terms::Language;
use vademecum_text::{chunk, structure, terms};

/// Chunks handed to the embedder in one call.
const BATCH: usize = 8;
/// Chunks among which batches are sorted by length: small enough that documents are finished one after another.
const WINDOW: usize = 128;
/// How deep metadata may be nested.
const METADATA_LEVELS: usize = 64;
/// Reading documents lets others have a turn this often, in milliseconds.
const TURN: f64 = 12.0;
/// Bytes of text that are filed in the index before others have a turn.
const FILED_AT_ONCE: usize = 256 << 10;
/// While vectors are made, what there is of them is saved this often, in milliseconds.
const SAVE_EVERY: f64 = 20_000.0;

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Documents are being read and cut; counts documents.
    Read,
    /// Everything can be found by keyword, and vectors are being made; counts chunks.
    Embed,
}

/// How far it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// The phase.
    pub phase: Phase,
    /// Done so far, in the phase's unit.
    pub loaded: usize,
    /// All there is to do in this phase.
    pub total: usize,
}

/// What [`KnowledgeBase::add`] did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Added {
    /// Documents added or replaced.
    pub documents: usize,
    /// Chunks they were cut into.
    pub chunks: usize,
    /// Ids of the chunks whose end the embedder did not see, because they exceed its token limit.
    pub truncated: Vec<String>,
}

/// Called as work goes on.
pub(super) type OnProgress<'a> = &'a dyn Fn(Progress);

impl KnowledgeBase {
    /// Adds documents to a collection; an id that is there already is replaced. Resolves when all of them can be
    /// found by keyword and, with an embedder, by vector.
    ///
    /// All or nothing up to the moment the text is in: a bad document, or a cancellation, leaves everything as it
    /// was. From then on the text stays, and is saved where the knowledge base is kept: if the embedder fails or is
    /// cancelled, the chunks are found by keyword, and [`KnowledgeBase::embed_pending`] takes up where it ended.
    /// Text that was embedded before is not embedded again.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::UnknownCollection`], [`Error::DuplicateId`], [`Error::EmptyDocument`],
    /// [`Error::DocumentTooLarge`], [`Error::MetadataType`], [`Error::InvalidArgument`] for an empty id,
    /// [`Error::ReadOnly`], [`Error::Aborted`], those of the embedder, and those of saving.
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
        let documents = prepared.len();
        let keys = self.insert(prepared, on_progress).await?;
        self.save().await?;
        self.embed(&keys, cancel, on_progress).await?;
        let searcher = self.open_state()?.borrow().index.searcher();
        let chunks = keys.iter().filter_map(|key| searcher.chunk(*key));
        let truncated = chunks.filter(|chunk| chunk.truncated).map(|chunk| chunk.id()).collect();
        Ok(Added { documents, chunks: keys.len(), truncated })
    }

    /// Files documents in the index. One that is filed alone takes a moment; many give others a turn in between,
    /// and are there all at once only to whoever waits for this.
    async fn insert(&self, prepared: Vec<Prepared>, on_progress: OnProgress<'_>) -> Result<Vec<ChunkKey>> {
        let total = prepared.len();
        {
            let mut state = self.open_state()?.borrow_mut();
            for document in &prepared {
                let collection = state.collections.entry(document.collection.clone());
                // What is never sent has no say in how the others are read.
                if !is_never_sent(&document.metadata) {
                    collection.settle(document.language);
                }
            }
            state.index.announce(&prepared);
        }
        let mut keys = Vec::new();
        let mut waiting = prepared.into_iter();
        loop {
            let mut batch: Vec<Prepared> = Vec::new();
            let mut size = 0;
            while size < FILED_AT_ONCE {
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

    /// Embeds every chunk that has no vector and that nobody is embedding: after a failure, or a cancellation.
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
        let mut turn = self.platform.now();
        let counter = match &self.embedder {
            Some(embedder) => cancel.guard(embedder.counter()).await?,
            None => None,
        };
        let count =
            |text: &str| counter.as_ref().map_or_else(|| estimate_tokens(text), |counter| counter(text));
        let mut language =
            self.open_state()?.borrow().collections.get(collection).and_then(Collection::language);
        for document in documents {
            prepared.push(self.prepare(collection, document, &count, &mut language)?);
            if self.platform.now() - turn > TURN || prepared.len() == total {
                on_progress(Progress { phase: Phase::Read, loaded: prepared.len(), total });
                self.platform.pause().await;
                cancel.check()?;
                turn = self.platform.now();
            }
        }
        Ok(prepared)
    }

    fn prepare(
        &self,
        collection: &Rc<str>,
        document: Document,
        count: &dyn Fn(&str) -> usize,
        settled: &mut Option<Language>,
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
        // A text that does not tell, such as code, leaves the language open for the next.
        let language = settled.unwrap_or_else(|| {
            let found = Language::detect(&structure.text);
            if !is_never_sent(&metadata) {
                *settled = (found != Language::Other).then_some(found);
            }
            found
        });
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

    /// Gives chunks their vectors, several batches at a time, and says how many got one.
    async fn embed(&self, keys: &[ChunkKey], cancel: &Cancel, on_progress: OnProgress<'_>) -> Result<usize> {
        let Some(embedder) = self.embedder.clone() else { return Ok(0) };
        let claim = Claim::of(&self.state, keys);
        let total = claim.keys.len();
        if total == 0 {
            return Ok(0);
        }
        let mut saved = self.platform.now();
        let mut loaded = 0;
        on_progress(Progress { phase: Phase::Embed, loaded, total });
        let batches = self.batches(&claim.keys)?;
        let work = stream::iter(batches).map(|batch| self.embed_batch(&*embedder, batch));
        let mut work = work.buffer_unordered(embedder.concurrency().max(1));
        let outcome = loop {
            match cancel.guard(work.next()).await {
                Ok(None) => break Ok(loaded),
                Ok(Some(Ok(done))) => loaded += done,
                Ok(Some(Err(error))) | Err(error) => break Err(error),
            }
            on_progress(Progress { phase: Phase::Embed, loaded, total });
            if self.platform.now() - saved > SAVE_EVERY {
                self.save().await?;
                saved = self.platform.now();
            }
        };
        // What was made is kept also where not all was.
        let kept = self.save().await;
        let loaded = outcome?;
        kept?;
        Ok(loaded)
    }

    async fn embed_batch(&self, embedder: &dyn Embedder, batch: Vec<(ChunkKey, String)>) -> Result<usize> {
        let (keys, texts): (Vec<ChunkKey>, Vec<String>) = batch.into_iter().unzip();
        let rows = embedder.embed(&texts, Kind::Document).await?.into_rows(texts.len())?;
        let mut state = self.open_state()?.borrow_mut();
        for (key, (vector, truncated)) in keys.iter().zip(rows) {
            state.index.set_vector(*key, &vector, truncated)?;
        }
        Ok(keys.len())
    }

    /// Batches of chunks of like length, each with the text that is embedded.
    fn batches(&self, keys: &[ChunkKey]) -> Result<Vec<Vec<(ChunkKey, String)>>> {
        let searcher = self.open_state()?.borrow().index.searcher();
        let mut batches = Vec::new();
        for window in keys.chunks(WINDOW) {
            let chunks = window.iter().filter_map(|key| Some((*key, searcher.chunk(*key)?.embedded_text())));
            let mut texts: Vec<(ChunkKey, String)> = chunks.collect();
            texts.sort_by_key(|(_, text)| text.len());
            batches.extend(texts.chunks(BATCH).map(<[_]>::to_vec));
        }
        Ok(batches)
    }
}

/// Whether all its numbers can be given out again: whole numbers beyond 2⁵³ could not.
fn is_exact(value: &Value) -> bool {
    const MOST: u64 = 1 << 53;
    match value {
        Value::Array(values) => values.iter().all(is_exact),
        Value::Object(fields) => fields.values().all(is_exact),
        Value::Number(number) => {
            let size = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
            size.is_none_or(|size| size <= MOST)
        }
        _ => true,
    }
}

/// Whether a value is nested at most so deep.
fn is_shallow(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(values) => levels > 0 && values.iter().all(|value| is_shallow(value, levels - 1)),
        Value::Object(fields) => levels > 0 && fields.values().all(|value| is_shallow(value, levels - 1)),
        _ => true,
    }
}

/// The checks that need no reading, so that they come before any work.
fn check(documents: &[Document], limit: usize) -> Result<()> {
    let mut seen = HashSet::new();
    for document in documents {
        if document.id.trim().is_empty() {
            return Err(Error::invalid("id", "a non-empty string", format!("{:?}", document.id)));
        }
        if !seen.insert(&document.id) {
            return Err(Error::DuplicateId { id: document.id.clone() });
        }
        if !document.metadata.values().all(|value| is_shallow(value, METADATA_LEVELS)) {
            return Err(Error::invalid(
                format!("metadata of document `{}`", document.id),
                format!("nested at most {METADATA_LEVELS} levels deep"),
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
        // A mark that is misspelt must not let a document go.
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

/// Chunks that one call has taken on; given back when it ends, however it ends.
struct Claim<'a> {
    state: &'a RefCell<State>,
    keys: Vec<ChunkKey>,
}

impl<'a> Claim<'a> {
    fn of(state: &'a RefCell<State>, keys: &[ChunkKey]) -> Self {
        let mut shared = state.borrow_mut();
        let missing: HashSet<ChunkKey> = shared.index.without_vector().into_iter().collect();
        let wanted = keys.iter().copied().filter(|key| missing.contains(key));
        let keys = wanted.filter(|key| shared.embedding.insert(*key)).collect();
        Self { state, keys }
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let mut shared = self.state.borrow_mut();
        self.keys.iter().for_each(|key| {
            shared.embedding.remove(key);
        });
    }
}
