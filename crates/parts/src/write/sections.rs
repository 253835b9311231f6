//! The sections of a manifest.

use super::layout::Layout;
use super::parts::Folder;
use super::tree;
use crate::manifest::Root;
use crate::page::Entry;
use std::collections::BTreeMap;
use vademecum_protocol::error::Result;

/// The roots of the sections that were written.
#[derive(Debug, Default)]
pub(crate) struct Sections(pub(crate) BTreeMap<String, Root>);

impl Sections {
    /// Writes the directory of a section, unless it is empty.
    pub(crate) fn add(
        &mut self,
        name: &str,
        folder: &mut Folder,
        entries: Vec<Entry>,
        layout: &Layout,
    ) -> Result<()> {
        self.0.extend(tree::build(folder, entries, layout.pages)?.map(|root| (name.to_owned(), root)));
        Ok(())
    }
}
