//! An open library that is being filled, with its record and its checkpoints.

use crate::embedder::ModelEmbedder;
use crate::host::is_stopped;
use crate::library::replace;
use crate::progress::Progress;
use crate::reading::{Outcome, ReadFile};
use crate::record::{Entry, Record, Totals, stamp};
use futures_executor::block_on;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::engine::{self, KnowledgeBase, ListRequest, Phase};
use vademecum::error::{Error, Result};
use vademecum_files::{Code, Refusal};

/// A checkpoint may take this share of the time between two: a large library is written less often.
const SHARE: u32 = 10;

/// The ids of documents that a file had at the last checkpoint: in the collection of the run, and in others.
#[derive(Debug, Default)]
struct Had {
    ids: Vec<String>,
    elsewhere: BTreeMap<String, Vec<String>>,
}

/// A library that is being filled.
pub(crate) struct Writer {
    pub(crate) kb: KnowledgeBase,
    pub(crate) embedder: Option<Rc<ModelEmbedder>>,
    pub(crate) path: PathBuf,
    pub(crate) collection: String,
    pub(crate) cancel: Cancel,
    pub(crate) record: RefCell<Record>,
    /// Whether a record is kept beside the library.
    pub(crate) has_record: bool,
    /// Files that were changed since the last checkpoint.
    recent: RefCell<BTreeMap<String, Had>>,
    interval: Duration,
    next: Cell<Instant>,
    failure: RefCell<Option<Error>>,
    /// The ids of the documents that the collection had; read when no record tells what a file had.
    before: OnceCell<BTreeSet<String>>,
}

impl Writer {
    pub(crate) fn new(
        kb: KnowledgeBase,
        embedder: Option<Rc<ModelEmbedder>>,
        (path, collection): (PathBuf, String),
        cancel: Cancel,
        record: Option<Record>,
        interval: Duration,
    ) -> Self {
        Self {
            kb,
            embedder,
            path,
            collection,
            cancel,
            has_record: record.is_some(),
            record: RefCell::new(record.unwrap_or_default()),
            recent: RefCell::default(),
            interval,
            next: Cell::new(Instant::now() + interval),
            failure: RefCell::default(),
            before: OnceCell::new(),
        }
    }

    /// Adds the documents of files that were read, and removes those that they have no more. Returns why the engine refuses the documents
    /// of a single file.
    ///
    /// # Errors
    /// `aborted`, those of the embedder, and those of a checkpoint. For several files, also an error about one of their documents
    /// ([`is_of_document`]), which has kept out all of them: add them one by one.
    pub(crate) fn add(
        &self,
        files: Vec<ReadFile>,
        progress: &Progress,
        done: u64,
    ) -> Result<Option<Refusal>> {
        let bytes: u64 = files.iter().map(|file| file.bytes).sum();
        let mut documents = Vec::new();
        let mut entries = Vec::with_capacity(files.len());
        let is_estimated = self.embedder.is_none() && self.record.borrow().settings.model.is_some();
        for ReadFile { id, mut entry, outcome, .. } in files {
            let own = match outcome {
                Outcome::Read(read) => {
                    entry.notes = read.notes;
                    read.documents
                }
                Outcome::Refused(refusal) => {
                    entry.refusal = Some(refusal);
                    Vec::new()
                }
                Outcome::Same => continue,
            };
            let ids: Vec<String> = own.iter().map(|document| document.id.clone()).collect();
            entry.documents = (entry.refusal.is_none() && ids != [id.clone()]).then_some(ids);
            entry.is_estimated = is_estimated;
            documents.extend(own);
            entries.push((id, entry));
        }
        for (id, entry) in &entries {
            self.forget_others(id, &entry.ids(id))?;
        }
        self.unsettle(&entries);
        let tell = |step: engine::Progress| self.tell(step, progress, done, bytes);
        let mut refused = None;
        if let [(id, entry)] = entries.as_mut_slice() {
            refused = self.add_of(id, entry, documents, &tell)?;
        } else {
            self.embed(documents, &tell)?;
        }
        for (id, entry) in entries {
            self.leave_others(&id)?;
            self.record.borrow_mut().files.insert(id, entry);
        }
        self.checkpoint_if_due()?;
        Ok(refused)
    }

    /// Adds the documents of one file, or notes why the engine refuses them.
    fn add_of(
        &self,
        id: &str,
        entry: &mut Entry,
        documents: Vec<Document>,
        tell: &dyn Fn(engine::Progress),
    ) -> Result<Option<Refusal>> {
        match self.embed(documents, tell) {
            Err(error) if is_of_document(&error) => {
                self.forget_others(id, &[])?;
                let refusal = refusal(&error);
                entry.refusal = Some(refusal.clone());
                Ok(Some(refusal))
            }
            other => other.map(|()| None),
        }
    }

    fn embed(&self, documents: Vec<Document>, tell: &dyn Fn(engine::Progress)) -> Result<()> {
        if documents.is_empty() {
            return Ok(());
        }
        let added = block_on(self.kb.add(&self.collection, documents, &self.cancel, tell));
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => added.map(|_| ()),
        }
    }

    /// Removes the documents that a file had, but for some.
    fn forget_others(&self, file: &str, kept: &[String]) -> Result<()> {
        let Had { mut ids, .. } = self.remembered(file);
        if !self.has_record {
            ids.extend(self.rows_before(file)?);
        }
        let kept: HashSet<&String> = kept.iter().collect();
        ids.retain(|id| !kept.contains(id));
        self.kb.remove(&self.collection, &ids)?;
        Ok(())
    }

    /// Returns the ids of the documents that the collection had of a file of rows or records.
    fn rows_before(&self, file: &str) -> Result<Vec<String>> {
        if self.before.get().is_none() {
            let request = ListRequest {
                collections: Some(vec![self.collection.clone()]),
                limit: usize::MAX,
                ..ListRequest::default()
            };
            let listed = self.kb.documents(&request)?.documents;
            let _ = self.before.set(listed.into_iter().map(|one| one.id).collect());
        }
        let start = format!("{file}#");
        let ids = self.before.get().into_iter().flat_map(|ids| ids.range(start.clone()..));
        Ok(ids.take_while(|id| id.starts_with(&start)).cloned().collect())
    }

    /// Removes the documents that a file has in collections that it is no longer added to.
    fn leave_others(&self, file: &str) -> Result<()> {
        for (collection, ids) in self.remembered(file).elsewhere {
            match self.kb.remove(&collection, &ids) {
                // Something else has written the library, and there is nothing to remove.
                Err(Error::UnknownCollection { .. }) => {}
                removed => drop(removed?),
            }
        }
        Ok(())
    }

    /// Returns what a file has, and remembers it until the next checkpoint.
    fn remembered(&self, file: &str) -> Had {
        let record = self.record.borrow();
        let had = || {
            let entry = record.files.get(file);
            entry.map_or_else(Had::default, |entry| Had {
                ids: entry.ids(file),
                elsewhere: entry.elsewhere.clone(),
            })
        };
        self.recent.borrow_mut().entry(file.to_owned()).or_insert_with(had);
        had()
    }

    /// Removes the documents of files that are gone.
    ///
    /// # Errors
    /// Those of [`KnowledgeBase::remove`].
    pub(crate) fn remove(&self, files: &[String]) -> Result<()> {
        for file in files {
            self.forget_others(file, &[])?;
            self.leave_others(file)?;
            self.record.borrow_mut().files.remove(file);
        }
        Ok(())
    }

    /// Records files without their hashes, so that they are read again if this run ends here.
    fn unsettle(&self, entries: &[(String, Entry)]) {
        let mut record = self.record.borrow_mut();
        for (id, entry) in entries {
            let elsewhere = record.files.get(id).map(|known| known.elsewhere.clone()).unwrap_or_default();
            record.files.insert(id.clone(), Entry { hash: String::new(), elsewhere, ..entry.clone() });
        }
    }

    /// Reports the progress of a call, and saves what is done if that is due.
    fn tell(&self, step: engine::Progress, progress: &Progress, done: u64, bytes: u64) {
        progress.now(if step.phase == Phase::Embed { "Embedding" } else { "Reading" });
        let share = if step.phase == Phase::Embed || self.embedder.is_none() {
            step.loaded as f64 / step.total.max(1) as f64
        } else {
            0.0
        };
        progress.at(done + (bytes as f64 * share) as u64);
        if step.phase == Phase::Embed
            && let Err(error) = self.checkpoint_if_due()
        {
            *self.failure.borrow_mut() = Some(error);
            self.cancel.cancel();
        }
    }

    /// Embeds passages that have no vector yet.
    ///
    /// # Errors
    /// `aborted`, those of the embedder, and those of a checkpoint.
    pub(crate) fn embed_rest(&self, progress: &Progress, total: u64) -> Result<()> {
        if self.embedder.is_none() || self.kb.stats()?.pending == 0 {
            return Ok(());
        }
        let done = block_on(self.kb.embed_pending(&self.cancel, &|step| self.tell(step, progress, total, 0)));
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => done.map(|_| ()),
        }
    }

    /// Returns the ids of all documents that this run has added.
    pub(crate) fn added(&self) -> HashSet<String> {
        self.record.borrow().files.iter().flat_map(|(file, entry)| entry.ids(file)).collect()
    }

    /// Merges segments, measures which cosines to expect, and builds graphs over many vectors, as a page does in the background.
    ///
    /// # Errors
    /// Those of the embedder.
    pub(crate) fn arrange(&self) -> Result<()> {
        block_on(self.kb.maintain())?;
        if self.embedder.is_some() && self.kb.is_uncalibrated()? {
            block_on(self.kb.calibrate())?;
        }
        while !is_stopped()
            && let Some((segment, vectors)) = self.kb.next_graph()?
        {
            let is_set = vectors.build_graph().map(|graph| self.kb.set_graph(segment, graph)).transpose()?;
            if is_set != Some(true) {
                break;
            }
        }
        Ok(())
    }

    /// Returns the number of passages embedded so far.
    pub(crate) fn embedded(&self) -> usize {
        self.embedder.as_ref().map_or(0, |embedder| embedder.made())
    }

    fn checkpoint_if_due(&self) -> Result<()> {
        if Instant::now() < self.next.get() {
            return Ok(());
        }
        let began = Instant::now();
        self.checkpoint()?;
        self.next.set(Instant::now() + self.interval.max(began.elapsed() * SHARE));
        Ok(())
    }

    /// Writes the library and its record as they are now.
    ///
    /// # Errors
    /// `storage_full`, `storage_failed`; the last good library is kept.
    pub(crate) fn checkpoint(&self) -> Result<()> {
        let bytes = self.kb.export()?;
        if !self.has_record {
            return replace(&self.path, &bytes);
        }
        // If the program is killed between the two files, changed files are read again, and what they had can still be removed.
        let mut before = self.record.borrow().clone();
        for (file, had) in &*self.recent.borrow() {
            let entry = before.files.entry(file.clone()).or_default();
            let ids: BTreeSet<String> = entry.ids(file).into_iter().chain(had.ids.iter().cloned()).collect();
            entry.elsewhere.extend(had.elsewhere.clone());
            (entry.hash, entry.documents, entry.refusal) =
                (String::new(), Some(ids.into_iter().collect()), None);
        }
        before.write(&self.path)?;
        replace(&self.path, &bytes)?;
        let mut record = self.record.borrow_mut();
        record.library = stamp(&self.path)?.unwrap_or_default();
        record.totals = self.totals()?;
        record.write(&self.path)?;
        self.recent.borrow_mut().clear();
        Ok(())
    }

    /// Returns the size of the library.
    ///
    /// # Errors
    /// Those of [`KnowledgeBase::stats`].
    pub(crate) fn totals(&self) -> Result<Totals> {
        let stats = self.kb.stats()?;
        Ok(Totals { documents: stats.documents, chunks: stats.chunks, vectors: stats.embedded })
    }
}

/// Returns the reason for which the engine refuses a document.
fn refusal(error: &Error) -> Refusal {
    let code = match error {
        Error::EmptyDocument { .. } => Code::FileWithoutText,
        Error::DocumentTooLarge { .. } => Code::FileTooLarge,
        _ => Code::DocumentRefused,
    };
    Refusal::new(code, error.to_string())
}

/// Returns whether an error is about the documents of a call.
pub(crate) fn is_of_document(error: &Error) -> bool {
    matches!(
        error,
        Error::EmptyDocument { .. }
            | Error::DocumentTooLarge { .. }
            | Error::DuplicateId { .. }
            | Error::MetadataType { .. }
            | Error::InvalidArgument { .. }
    )
}
