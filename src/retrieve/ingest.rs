//! Adding documents: read and check all of them, insert them together, then give their chunks vectors.

use super::{KnowledgeBase, State};
use crate::cancel::Cancel;
use crate::document::Document;
use crate::embed::{Embedder, Kind};
use crate::error::{Error, Result};
use crate::index::{ChunkKey, Prepared};
use crate::text::chunk::Budget;
use crate::text::{chunk, structure, terms};
use futures_util::{StreamExt, stream};
use serde::Serialize;
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

/// Chunks handed to the embedder in one call.
const BATCH: usize = 8;
/// Chunks among which batches are sorted by length: small enough that documents are finished one after another.
const WINDOW: usize = 128;
/// Reading documents lets others have a turn this often, in milliseconds.
const TURN: f64 = 12.0;

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
    /// was. From then on the text stays: if the embedder fails or is cancelled, the chunks are found by keyword, and
    /// [`KnowledgeBase::embed_pending`] takes up where it ended.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::UnknownCollection`], [`Error::DuplicateId`], [`Error::EmptyDocument`],
    /// [`Error::DocumentTooLarge`], [`Error::InvalidArgument`] for an empty id, [`Error::Aborted`], and those of
    /// the embedder.
    pub async fn add(
        &self,
        collection: &str,
        documents: Vec<Document>,
        cancel: &Cancel,
        on_progress: OnProgress<'_>,
    ) -> Result<Added> {
        let collection = self.open()?.borrow().known(collection)?;
        cancel.check()?;
        check(&documents, self.options.max_document_bytes)?;
        let prepared = self.read(&collection, documents, cancel, on_progress).await?;
        let mut added = Added { documents: prepared.len(), chunks: 0, truncated: Vec::new() };
        let keys: Vec<ChunkKey> = {
            let mut state = self.open()?.borrow_mut();
            prepared.into_iter().flat_map(|document| state.index.insert(document)).collect()
        };
        added.chunks = keys.len();
        self.embed(&keys, cancel, on_progress).await?;
        let state = self.open()?.borrow();
        added.truncated = keys
            .iter()
            .filter_map(|key| state.index.chunk(*key))
            .filter(|(_, chunk)| chunk.truncated)
            .map(|(document, chunk)| document.chunk(chunk).id)
            .collect();
        Ok(added)
    }

    /// Embeds every chunk that has no vector and that nobody is embedding: after a failure, or a cancellation.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::NoEmbedder`], [`Error::Aborted`], and those of the embedder.
    pub async fn embed_pending(&self, cancel: &Cancel, on_progress: OnProgress<'_>) -> Result<usize> {
        let keys = self.open()?.borrow().index.without_vector();
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
        for document in documents {
            prepared.push(prepare(collection, document, self.options.chunk_tokens)?);
            if self.platform.now() - turn > TURN || prepared.len() == total {
                on_progress(Progress { phase: Phase::Read, loaded: prepared.len(), total });
                self.platform.pause().await;
                cancel.check()?;
                turn = self.platform.now();
            }
        }
        Ok(prepared)
    }

    /// Gives chunks their vectors, several batches at a time, and says how many got one.
    async fn embed(&self, keys: &[ChunkKey], cancel: &Cancel, on_progress: OnProgress<'_>) -> Result<usize> {
        let Some(embedder) = self.embedder.clone() else { return Ok(0) };
        let claim = Claim::of(&self.state, keys);
        let total = claim.keys.len();
        if total == 0 {
            return Ok(0);
        }
        let mut loaded = 0;
        on_progress(Progress { phase: Phase::Embed, loaded, total });
        let batches = self.batches(&claim.keys)?;
        let work = stream::iter(batches).map(|batch| self.embed_batch(&*embedder, batch));
        let mut work = work.buffer_unordered(embedder.concurrency().max(1));
        while let Some(done) = cancel.guard(work.next()).await? {
            loaded += done?;
            on_progress(Progress { phase: Phase::Embed, loaded, total });
        }
        Ok(loaded)
    }

    async fn embed_batch(&self, embedder: &dyn Embedder, batch: Vec<(ChunkKey, String)>) -> Result<usize> {
        let (keys, texts): (Vec<ChunkKey>, Vec<String>) = batch.into_iter().unzip();
        let rows = embedder.embed(&texts, Kind::Document).await?.into_rows(texts.len())?;
        let mut state = self.open()?.borrow_mut();
        for (key, (vector, truncated)) in keys.iter().zip(rows) {
            state.index.set_vector(*key, &vector, truncated)?;
        }
        Ok(keys.len())
    }

    /// Batches of chunks of like length, each with the text that is embedded.
    fn batches(&self, keys: &[ChunkKey]) -> Result<Vec<Vec<(ChunkKey, String)>>> {
        let state = self.open()?.borrow();
        let mut batches = Vec::new();
        for window in keys.chunks(WINDOW) {
            let mut texts: Vec<(ChunkKey, String)> = window
                .iter()
                .filter_map(|key| {
                    let (document, chunk) = state.index.chunk(*key)?;
                    Some((*key, chunk.piece.embedded(document.text_of(chunk))))
                })
                .collect();
            texts.sort_by_key(|(_, text)| text.len());
            batches.extend(texts.chunks(BATCH).map(<[_]>::to_vec));
        }
        Ok(batches)
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
        if document.text.len() > limit {
            return Err(Error::DocumentTooLarge {
                id: document.id.clone(),
                bytes: document.text.len(),
                limit,
            });
        }
    }
    Ok(())
}

fn prepare(collection: &Rc<str>, document: Document, chunk_tokens: usize) -> Result<Prepared> {
    let format = document.format();
    let structure = structure::read(document.text, format);
    if terms::is_blank(&structure.text) {
        return Err(Error::EmptyDocument { id: document.id });
    }
    let title = document.title.or_else(|| structure.title.clone());
    let budget = Budget { title: title.as_deref(), ..Budget::estimated(chunk_tokens) };
    let pieces = chunk::chunk(&structure, &budget);
    Ok(Prepared {
        id: document.id,
        collection: collection.clone(),
        title,
        url: document.url,
        pieces,
        text: structure.text,
        metadata: document.metadata,
    })
}

/// Chunks that one call has taken on; given back when it ends, however it ends.
struct Claim<'a> {
    state: &'a RefCell<State>,
    keys: Vec<ChunkKey>,
}

impl<'a> Claim<'a> {
    fn of(state: &'a RefCell<State>, keys: &[ChunkKey]) -> Self {
        let mut shared = state.borrow_mut();
        let keys = keys.iter().copied().filter(|key| shared.embedding.insert(*key)).collect();
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
