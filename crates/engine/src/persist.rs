//! Opens, saves, exports and imports a knowledge base; merges segments and attaches graphs.

use super::collection::Collection;
use super::ingest::{Phase, Progress};
#[cfg(feature = "meaning")]
use super::memory::most_taken;
use super::{KnowledgeBase, Options, State};
use std::rc::Rc;
use vademecum_encoder::{Embedder, UNSETTLED, is_same};
use vademecum_index::SegmentId;
use vademecum_index::persist::{self, Directory, Library, Lost, Saved, Settings};
use vademecum_index::vectors::{Graph, Vectors};
use vademecum_protocol::error::{Error, Result, excerpt};
use vademecum_protocol::platform::Platform;

impl KnowledgeBase {
    /// Opens the knowledge base in a directory, empty if nothing was saved. Documents added later are saved
    /// there.
    ///
    /// # Errors
    /// [`Error::LibraryCorrupt`], [`Error::LibraryNewer`], [`Error::EmbedderMismatch`], and those of the
    /// directory. No file is changed by these.
    pub async fn open(
        directory: Rc<dyn Directory>,
        embedder: Option<Rc<dyn Embedder>>,
        platform: Rc<dyn Platform>,
        options: Options,
    ) -> Result<Self> {
        #[cfg(feature = "meaning")]
        let opened = {
            let most = options.max_memory.map(most_taken);
            Library::open_within(directory, options.exact_vectors, options.salvage, most).await
        };
        #[cfg(not(feature = "meaning"))]
        let opened = match options.salvage {
            true => Library::salvage(directory, options.exact_vectors).await,
            false => Library::open(directory, options.exact_vectors).await,
        };
        let (library, index, settings) = opened?;
        let collections = collections_of(&settings, options.salvage)?;
        let kb = Self::new(embedder, platform, options);
        {
            let mut state = kb.state.borrow_mut();
            state.index = index;
            state.index.set_graph_from(kb.options.graph_from);
            #[cfg(feature = "meaning")]
            {
                state.index.set_most_merged(kb.most_merged());
                let _ = kb.disk.set(library.disk().clone()); // a new knowledge base has none
            }
            state.lost = library.lost().cloned();
            state.adopt(&settings, collections);
            let own = kb.embedder.as_ref().and_then(|embedder| embedder.id());
            if let (Some(own), Some(found)) = (own, &settings.embedder)
                && !is_same(&own, found)
                && state.index.dimensions().is_some()
            {
                if !kb.options.reembed {
                    return Err(Error::EmbedderMismatch { expected: own, found: found.clone() });
                }
                state.index.forget_vectors();
            }
            #[cfg(feature = "meaning")]
            if state.index.dimensions().is_some() {
                // What cannot be read is measured again.
                let measured = settings.measured.as_deref().and_then(|json| serde_json::from_str(json).ok());
                state.calibrated = measured;
            }
        }
        #[cfg(feature = "meaning")]
        kb.page_out(&library).await?;
        *kb.library.lock().await = Some(library);
        Ok(kb)
    }

    /// Saves changes since the last save. Does nothing without storage.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::ReadOnly`], and those of the directory. The previous state stays intact.
    pub async fn save(&self) -> Result<Saved> {
        let mut library = self.library.lock().await;
        let Some(library) = library.as_mut() else { return Ok(Saved::default()) };
        let saving = {
            let settings = self.settings()?;
            library.prepare(&mut self.open_state()?.borrow_mut().index, &settings)?
        };
        let saved = library.write(saving).await?;
        #[cfg(feature = "meaning")]
        self.page_out(library).await?;
        Ok(saved)
    }

    /// Serialises everything into one file, for backup or [`import`](Self::import).
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn export(&self) -> Result<Vec<u8>> {
        let settings = self.settings()?;
        persist::export(&mut self.open_state()?.borrow_mut().index, &settings)
    }

    /// Imports the output of [`KnowledgeBase::export`], replacing documents of the same id, and saves.
    /// Returns the number of documents.
    ///
    /// # Errors
    /// [`Error::LibraryCorrupt`], [`Error::LibraryNewer`], [`Error::EmbedderMismatch`], [`Error::ReadOnly`],
    /// [`Error::Closed`], all without effect; and those of the directory when saving.
    pub async fn import(&self, bytes: &[u8]) -> Result<usize> {
        Ok(self.take_in(bytes, false, &|_| {}).await?.0)
    }

    /// As [`KnowledgeBase::import`]. With `salvage`, imports the undamaged parts of a damaged file and
    /// reports the rest. `on_progress` is called when searches find the documents, before they are saved.
    ///
    /// # Errors
    /// As [`KnowledgeBase::import`].
    pub async fn take_in(
        &self,
        bytes: &[u8],
        salvage: bool,
        on_progress: &dyn Fn(Progress),
    ) -> Result<(usize, Option<Lost>)> {
        self.writable()?;
        let (mut index, settings, lost) = persist::import(bytes, self.options.exact_vectors, salvage).await?;
        let collections = collections_of(&settings, salvage)?;
        #[cfg(feature = "meaning")]
        self.make_room_for(&index)?;
        let documents = {
            let mut state = self.open_state()?.borrow_mut();
            #[cfg(feature = "meaning")]
            collections.iter().try_for_each(|(name, _)| state.refuse_remote(name, "be imported into"))?;
            let own = self.embedder.as_ref().and_then(|embedder| embedder.id());
            // Until the model is loaded, the stored id of the vectors is more precise than the embedder's.
            let settled = own.clone().filter(|own| !own.ends_with(UNSETTLED));
            let own = settled.or_else(|| state.embedder.clone()).or(own);
            if let (Some(own), Some(found)) = (own, &settings.embedder)
                && !is_same(&own, found)
                && index.dimensions().is_some()
            {
                if !self.options.reembed {
                    return Err(Error::EmbedderMismatch { expected: own, found: found.clone() });
                }
                index.forget_vectors();
            }
            let documents = state.index.absorb(index)?;
            state.adopt(&settings, collections);
            let State { index, collections, .. } = &mut *state;
            for (name, collection) in collections.iter() {
                // Local declarations apply to imported documents as well.
                collection.schema().into_iter().for_each(|schema| index.declare(name, &schema));
            }
            documents
        };
        on_progress(Progress { phase: Phase::Read, loaded: documents, total: documents });
        self.save().await?;
        Ok((documents, lost))
    }

    /// Merges small segments and those with many deletions until no merge is worthwhile, yielding every few
    /// hundred terms. Searches during a merge see the old segments.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub async fn maintain(&self) -> Result<()> {
        if std::mem::replace(&mut self.open_state()?.borrow_mut().merging, true) {
            return Ok(()); // a merge is already running
        }
        let _guard = MergeGuard(self);
        loop {
            let job = self.open_state()?.borrow_mut().index.next_merge();
            let Some(job) = job else { return Ok(()) };
            let merged = job.run(&|| self.platform.pause()).await;
            #[cfg(feature = "meaning")]
            self.settle()?;
            let Some(merged) = merged else { return Ok(()) };
            self.open_state()?.borrow_mut().index.finish_merge(merged);
            // What was merged is in memory until it is saved.
            #[cfg(feature = "meaning")]
            if self.is_above_limit()? {
                self.save().await?;
            }
        }
    }

    /// Returns vectors of a segment that is large enough for an HNSW graph and has none; pass the graph to
    /// [`KnowledgeBase::set_graph`].
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn next_graph(&self) -> Result<Option<(SegmentId, Rc<Vectors>)>> {
        Ok(self.open_state()?.borrow().index.next_graph())
    }

    /// Attaches a graph that was built elsewhere. Returns false if its vectors have changed since.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn set_graph(&self, id: SegmentId, graph: Graph) -> Result<bool> {
        Ok(self.open_state()?.borrow_mut().index.set_graph(id, graph))
    }

    fn settings(&self) -> Result<Settings> {
        let state = self.open_state()?.borrow();
        let collections = state.collections.iter().map(|(name, collection)| {
            let json = serde_json::to_string(collection)
                .map_err(|error| Error::internal(format!("A collection cannot be written: {error}.")))?;
            Ok((name.to_string(), json))
        });
        let collections = collections.collect::<Result<_>>()?;
        #[cfg(not(feature = "meaning"))]
        let measured = None;
        #[cfg(feature = "meaning")]
        let measured = state.calibrated.as_ref().and_then(|known| serde_json::to_string(known).ok());
        Ok(Settings { embedder: self.embedder_id(&state), collections, measured })
    }

    /// Returns the id of the embedder of the vectors, stored or future.
    pub(super) fn embedder_id(&self, state: &State) -> Option<String> {
        let own = self.embedder.as_ref().and_then(|embedder| embedder.id());
        match own.as_deref().and_then(|own| own.strip_suffix(UNSETTLED)) {
            Some(base) => state.embedder.clone().or_else(|| Some(base.to_owned())),
            None => own.or_else(|| state.embedder.clone()),
        }
    }

    /// Returns the id of the embedder that made the stored vectors, or will make those to come.
    pub fn vectors_made_by(&self) -> Option<String> {
        let state = self.state.borrow();
        state.embedder.clone().or_else(|| self.embedder_id(&state))
    }

    /// Compares the embedder's id, final once its model is loaded, with that of the stored vectors.
    ///
    /// # Errors
    /// [`Error::EmbedderMismatch`] if they differ, unless `reembed` is set.
    pub fn settle_embedder(&self) -> Result<()> {
        let Some(own) = self.embedder.as_ref().and_then(|embedder| embedder.id()) else { return Ok(()) };
        let mut state = self.open_state()?.borrow_mut();
        if let Some(found) = state.embedder.as_ref().filter(|found| !is_same(&own, found))
            && state.index.dimensions().is_some()
        {
            if !self.options.reembed {
                return Err(Error::EmbedderMismatch { expected: own, found: found.clone() });
            }
            state.index.forget_vectors();
            // The cosines of another embedder were measured.
            #[cfg(feature = "meaning")]
            state.calibrated.take();
        }
        state.embedder = Some(own);
        Ok(())
    }

    /// Checks that the library may be changed.
    pub(super) fn writable(&self) -> Result<()> {
        self.open_state()?;
        match self.library.try_lock().as_deref() {
            Some(Some(library)) if library.lost().is_some() => Err(Error::of_storage(
                "read_only",
                "What is whole of this library was opened with `salvage`, and can only be read. Export it, and import that into a new one.".into(),
                false,
            )),
            Some(Some(library)) if library.is_read_only() => Err(Error::ReadOnly),
            _ => Ok(()), // a library that is being saved can be written
        }
    }
}

/// Reads the settings of the collections of a library.
///
/// # Errors
/// [`Error::LibraryCorrupt`] if they cannot be parsed: a schema or language must not be lost silently.
fn collections_of(settings: &Settings, salvage: bool) -> Result<Vec<(&str, Collection)>> {
    let mut collections = Vec::with_capacity(settings.collections.len());
    for (name, json) in &settings.collections {
        let collection = match serde_json::from_str(json) {
            Ok(collection) => collection,
            Err(_) if salvage => Collection::default(),
            Err(error) => {
                let reason = format!(
                    "the settings of its collection `{}` cannot be read ({error})",
                    excerpt(name, 40)
                );
                return Err(Error::LibraryCorrupt { file: "manifest".into(), reason });
            }
        };
        collections.push((name.as_str(), collection));
    }
    Ok(collections)
}

impl State {
    /// Adopts the settings of a library; collections declared here keep theirs.
    fn adopt(&mut self, settings: &Settings, collections: Vec<(&str, Collection)>) {
        for (name, collection) in collections {
            if self.collections.get(name).is_none_or(|known| *known == Collection::default()) {
                self.collections.insert(name.into(), collection);
            }
        }
        if self.embedder.is_none() {
            self.embedder.clone_from(&settings.embedder);
        }
    }
}

struct MergeGuard<'a>(&'a KnowledgeBase);

impl Drop for MergeGuard<'_> {
    fn drop(&mut self) {
        self.0.state.borrow_mut().merging = false;
    }
}
