//! A remote collection as a knowledge base has it.

use super::port::{RemoteCollection, RemoteOptions};
use std::rc::Rc;
use vademecum_index::filter::Schema;
use vademecum_protocol::error::Result;

/// A remote collection, and what is declared of it.
#[derive(Clone)]
pub(crate) struct Remote {
    pub(super) collection: Rc<dyn RemoteCollection>,
    pub(super) options: Rc<RemoteOptions>,
    pub(super) schema: Option<Rc<Schema>>,
    /// The name of one that is searched once, and is not among the collections.
    pub(super) once: Option<Rc<str>>,
}

impl Remote {
    pub(super) fn new(collection: Rc<dyn RemoteCollection>, options: RemoteOptions) -> Result<Self> {
        options.check()?;
        let schema = options.schema.as_ref().map(Schema::parse).transpose()?.map(Rc::new);
        Ok(Self { collection, options: Rc::new(options), schema, once: None })
    }
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Remote").field("options", &self.options).finish_non_exhaustive()
    }
}
