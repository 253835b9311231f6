//! The index as if documents marked `neverSend` had never been added: what everything is computed from that an LLM is told.
//!
//! They are taken out as tombstones take out what was deleted, statistics and all. Fields and languages are those of the
//! documents that are left. Vectors are compared one by one, because sketches and graphs are made of all rows.

use super::filter::Schemas;
use super::index::Index;
use super::searcher::Searcher;
use super::segment::{Segment, Sendable};
use std::rc::Rc;
use vademecum_util::vec_map;

impl Segment {
    fn sendable(&self) -> &Sendable {
        self.sendable.get_or_init(|| {
            let mut deleted = self.deleted.clone();
            let mut sendable = Sendable::default();
            for (row, document) in self.live_documents() {
                match document.sendable_metadata() {
                    Some(metadata) => {
                        sendable.schemas.entry(document.collection().into()).observe(&metadata);
                        sendable.languages.push(document.row.language);
                    }
                    None => drop(self.take_out(Rc::make_mut(&mut deleted), row)),
                }
            }
            sendable.deleted = deleted;
            sendable.languages = vec_map::set(sendable.languages);
            Rc::new(sendable)
        })
    }
}

impl Index {
    /// A snapshot without the documents that are never sent: it tells nothing that depends on them.
    pub fn sendable(&self) -> Searcher {
        let mut view = self.searcher();
        let mut schemas = Schemas::default();
        let mut languages = Vec::new();
        for segment in &mut view.segments {
            let sendable = segment.sendable();
            sendable.schemas.iter().for_each(|(name, seen)| schemas.entry(name.clone()).merge(seen));
            languages.extend(&sendable.languages);
            if !Rc::ptr_eq(&sendable.deleted, &segment.deleted) {
                segment.columns(&self.schemas); // kept with the index, and not made for each view
                *segment = Rc::new(Segment { deleted: sendable.deleted.clone(), ..(**segment).clone() });
            }
        }
        for (name, known) in self.schemas.iter() {
            let declared = known.declared();
            if !declared.is_empty() {
                schemas.entry(name.clone()).take(declared);
            }
        }
        Searcher { schemas: Rc::new(schemas), languages: Some(vec_map::set(languages)), ..view }
    }
}
