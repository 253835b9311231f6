//! The remote collections of a knowledge base.

use super::port::{RemoteCollection, RemoteOptions};
use crate::{KnowledgeBase, State};
use std::rc::Rc;
use vademecum_index::filter::Schema;
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::searcher::CollectionView;
use vademecum_text::terms;

/// A remote collection, and what is declared of it.
#[derive(Clone)]
pub(crate) struct Remote {
    pub(super) collection: Rc<dyn RemoteCollection>,
    pub(super) options: Rc<RemoteOptions>,
    pub(super) schema: Option<Rc<Schema>>,
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Remote").field("options", &self.options).finish_non_exhaustive()
    }
}

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
        options.check()?;
        if terms::is_blank(name) {
            return Err(Error::invalid(
                "name",
                "a name with at least one letter or digit",
                format!("{name:?}"),
            ));
        }
        let schema = options.schema.as_ref().map(Schema::parse).transpose()?.map(Rc::new);
        let mut state = self.open_state()?.borrow_mut();
        let is_taken = state.collections.pair(name).is_some();
        if is_taken || state.remotes.contains_key(name) {
            let got = format!("`{name}`, which there is already");
            return Err(Error::invalid("name", "a name that no other collection has", got));
        }
        state.remotes.insert(name.into(), Remote { collection, options: Rc::new(options), schema });
        Ok(())
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

impl State {
    /// Returns the remote collections as they are described to a model.
    pub(crate) fn remote_views(&self) -> impl Iterator<Item = CollectionView> {
        self.remotes.iter().map(|(name, remote)| CollectionView {
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
