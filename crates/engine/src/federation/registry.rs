//! The remote collections of a knowledge base.

use super::port::{RemoteCollection, RemoteOptions};
use super::remote::Remote;
use crate::{KnowledgeBase, SearchRequest, SearchResponse, State};
use std::rc::Rc;
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::searcher::CollectionView;
use vademecum_text::terms;

impl KnowledgeBase {
    /// Attaches a remote collection under a name that no other collection has. It is not stored with the library.
    ///
    /// # Errors
    /// [`Error::Closed`]; [`Error::InvalidArgument`] for a name that is taken or has no letter or digit, a number out of its range,
    /// or a schema of another shape.
    pub fn attach(
        &self,
        name: &str,
        collection: Rc<dyn RemoteCollection>,
        options: RemoteOptions,
    ) -> Result<()> {
        let remote = Remote::new(collection, options)?;
        if terms::is_blank(name) {
            return Err(Error::invalid(
                "name",
                "a name with at least one letter or digit",
                format!("{name:?}"),
            ));
        }
        let mut state = self.open_state()?.borrow_mut();
        let is_taken = state.collections.pair(name).is_some();
        if is_taken || state.remotes.contains_key(name) {
            let got = format!("`{name}`, which there is already");
            return Err(Error::invalid("name", "a name that no other collection has", got));
        }
        state.remotes.insert(name.into(), remote);
        Ok(())
    }

    /// Searches a remote collection alone, without attaching it. Its hits are of a collection of this name.
    ///
    /// # Errors
    /// As [`KnowledgeBase::search`], and those of the collection.
    pub async fn search_remote(
        &self,
        name: &str,
        collection: Rc<dyn RemoteCollection>,
        options: RemoteOptions,
        request: SearchRequest,
        cancel: &Cancel,
    ) -> Result<SearchResponse> {
        let remote = Remote { once: Some(name.into()), ..Remote::new(collection, options)? };
        let once = Once::new(self, remote)?;
        let request = SearchRequest { collections: Some(vec![once.key.to_string()]), ..request };
        self.search(&request, cancel).await
    }

    /// Detaches a remote collection, and returns whether there was one of this name. Searches under way still wait for it.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn detach(&self, name: &str) -> Result<bool> {
        let mut state = self.open_state()?.borrow_mut();
        Ok(state.remotes.remove(name).is_some())
    }
}

/// A collection that is searched once, under a key that no name equals, until dropped.
struct Once<'a> {
    kb: &'a KnowledgeBase,
    key: Rc<str>,
}

impl<'a> Once<'a> {
    fn new(kb: &'a KnowledgeBase, remote: Remote) -> Result<Self> {
        let mut state = kb.open_state()?.borrow_mut();
        let is_free = |state: &State, key: &str| !state.remotes.contains_key(key);
        let keys = (0..=state.remotes.len()).map(|at| Rc::<str>::from(format!("\0{at}")));
        // There is one more of them than there are collections.
        let key = { keys }
            .find(|key| is_free(&state, key))
            .ok_or_else(|| Error::internal("No key is free for a remote collection.".to_owned()))?;
        state.remotes.insert(key.clone(), remote);
        Ok(Self { kb, key })
    }
}

impl Drop for Once<'_> {
    fn drop(&mut self) {
        self.kb.state.borrow_mut().remotes.remove(&self.key);
    }
}

impl State {
    /// Returns the names of attached collections.
    pub(crate) fn attached(&self) -> impl Iterator<Item = &str> {
        self.remotes.iter().filter(|(_, remote)| remote.once.is_none()).map(|(name, _)| &**name)
    }

    /// Returns the remote collections as they are described to a model.
    pub(crate) fn remote_views(&self) -> impl Iterator<Item = CollectionView> {
        let attached = self.remotes.iter().filter(|(_, remote)| remote.once.is_none());
        attached.map(|(name, remote)| CollectionView {
            name: name.to_string(),
            description: remote.options.description.clone(),
            schema: remote.options.schema.clone().unwrap_or_else(|| serde_json::json!({})),
            is_empty: false,
            is_remote: true,
        })
    }

    /// Returns an error if a name is that of a remote collection.
    pub(crate) fn refuse_remote(&self, name: &str, what: &str) -> Result<()> {
        if self.remotes.contains_key(name) { Err(super::failure::unsupported(name, what)) } else { Ok(()) }
    }
}
