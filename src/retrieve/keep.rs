//! Keeping a knowledge base: opening, saving, exporting, importing, and the work behind the scenes.

use super::collection::Collection;
use super::{KnowledgeBase, Options, State};
use crate::embed::Embedder;
use crate::error::{Error, Result};
use crate::index::SegmentId;
use crate::index::persist::{self, Directory, Library, Saved, Settings};
use crate::index::vectors::{Graph, Vectors};
use crate::platform::Platform;
use std::rc::Rc;

impl KnowledgeBase {
    /// Opens the knowledge base kept in a directory, empty where nothing was kept. What is added is saved there.
    ///
    /// # Errors
    /// [`Error::LibraryCorrupt`], [`Error::LibraryNewer`], [`Error::EmbedderMismatch`], and those of the directory;
    /// nothing in it is changed.
    pub async fn open(
        directory: Rc<dyn Directory>,
        embedder: Option<Rc<dyn Embedder>>,
        platform: Rc<dyn Platform>,
        options: Options,
    ) -> Result<Self> {
        let (library, index, settings) = Library::open(directory, options.exact_vectors).await?;
        let kb = Self::new(embedder, platform, options);
        {
            let mut state = kb.state.borrow_mut();
            state.index = index;
            state.index.set_graph_from(kb.options.graph_from);
            state.adopt(&settings);
            let own = kb.embedder.as_ref().and_then(|embedder| embedder.id());
            if let (Some(own), Some(found)) = (own, &settings.embedder)
                && own != *found
                && state.index.dimensions().is_some()
            {
                if !kb.options.reembed {
                    return Err(Error::EmbedderMismatch { expected: own, found: found.clone() });
                }
                state.index.forget_vectors();
            }
        }
        *kb.library.lock().await = Some(library);
        Ok(kb)
    }

    /// Saves what was changed since the last time; nothing where the knowledge base is kept nowhere.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::ReadOnly`], and those of the directory. What was saved before stays as it was.
    pub async fn save(&self) -> Result<Saved> {
        let mut library = self.library.lock().await;
        let Some(library) = library.as_mut() else { return Ok(Saved::default()) };
        let saving = {
            let settings = self.settings()?;
            library.prepare(&mut self.open_state()?.borrow_mut().index, &settings)
        };
        library.write(saving).await
    }

    /// Everything as one file, to be kept elsewhere or [imported](Self::import).
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn export(&self) -> Result<Vec<u8>> {
        let settings = self.settings()?;
        Ok(persist::export(&mut self.open_state()?.borrow_mut().index, &settings))
    }

    /// Takes in what [`KnowledgeBase::export`] wrote and says how many documents that were; one whose id is here
    /// already replaces the one that is. Then saves.
    ///
    /// # Errors
    /// [`Error::LibraryCorrupt`], [`Error::LibraryNewer`], [`Error::EmbedderMismatch`], [`Error::ReadOnly`],
    /// [`Error::Closed`]; nothing is changed by these. Those of the directory, when saving.
    pub async fn import(&self, bytes: &[u8]) -> Result<usize> {
        self.writable()?;
        let (mut index, settings) = persist::import(bytes, self.options.exact_vectors).await?;
        let documents = {
            let mut state = self.open_state()?.borrow_mut();
            let own =
                self.embedder.as_ref().and_then(|embedder| embedder.id()).or_else(|| state.embedder.clone());
            if let (Some(own), Some(found)) = (own, &settings.embedder)
                && own != *found
                && index.dimensions().is_some()
            {
                if !self.options.reembed {
                    return Err(Error::EmbedderMismatch { expected: own, found: found.clone() });
                }
                index.forget_vectors();
            }
            let documents = state.index.absorb(index)?;
            state.adopt(&settings);
            let State { index, collections, .. } = &mut *state;
            for (name, collection) in collections.iter() {
                // What is declared here holds for what came in as well.
                collection.schema().into_iter().for_each(|schema| index.declare(name, &schema));
            }
            documents
        };
        self.save().await?;
        Ok(documents)
    }

    /// Merges small segments, and those that are mostly deleted, until none is worth it. Others have a turn every
    /// few milliseconds; searches meanwhile see the segments as they were.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub async fn maintain(&self) -> Result<()> {
        if std::mem::replace(&mut self.open_state()?.borrow_mut().merging, true) {
            return Ok(()); // it is being done already
        }
        let _done = Done(self);
        loop {
            let job = self.open_state()?.borrow_mut().index.next_merge();
            let Some(job) = job else { return Ok(()) };
            let merged = job.run(&|| self.platform.pause()).await;
            self.open_state()?.borrow_mut().index.finish_merge(merged);
        }
    }

    /// Vectors that are many enough for an HNSW graph and have none: what [`KnowledgeBase::set_graph`] is then
    /// given the graph for.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn next_graph(&self) -> Result<Option<(SegmentId, Rc<Vectors>)>> {
        Ok(self.open_state()?.borrow().index.next_graph())
    }

    /// Takes a graph in use that was built elsewhere; whether its vectors are still the same.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn set_graph(&self, id: SegmentId, graph: Graph) -> Result<bool> {
        Ok(self.open_state()?.borrow_mut().index.set_graph(id, graph))
    }

    fn settings(&self) -> Result<Settings> {
        let state = self.open_state()?.borrow();
        let own = self.embedder.as_ref().and_then(|embedder| embedder.id());
        let collections = state.collections.iter().map(|(name, collection)| {
            (name.to_string(), serde_json::to_string(collection).unwrap_or_default())
        });
        Ok(Settings { embedder: own.or_else(|| state.embedder.clone()), collections: collections.collect() })
    }

    /// Refuses what would change a library that is only read here.
    pub(super) fn writable(&self) -> Result<()> {
        self.open_state()?;
        match self.library.try_lock().as_deref() {
            Some(Some(library)) if library.is_read_only() => Err(Error::ReadOnly),
            _ => Ok(()), // a library that is being saved can be written
        }
    }
}

impl State {
    /// Takes over what a library says of itself; collections that are known already keep what is declared here.
    fn adopt(&mut self, settings: &Settings) {
        for (name, json) in &settings.collections {
            if self.collections.get(name.as_str()).is_some_and(|known| *known != Collection::default()) {
                continue;
            }
            let collection: Collection = serde_json::from_str(json).unwrap_or_default();
            self.collections.insert(name.as_str().into(), collection);
        }
        if self.embedder.is_none() {
            self.embedder.clone_from(&settings.embedder);
        }
    }
}

struct Done<'a>(&'a KnowledgeBase);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.state.borrow_mut().merging = false;
    }
}
