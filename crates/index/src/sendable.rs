//! A view of the index without documents marked `neverSend`; everything sent to an LLM is computed from it.
//!
//! These documents are excluded like deleted ones, including their contribution to the statistics. Fields and
//! languages are those of the remaining documents. Vectors are searched exactly, because sketches and graphs
//! depend on all rows.

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
                    None => drop(self.add_tombstones(Rc::make_mut(&mut deleted), row)),
                }
            }
            sendable.deleted = deleted;
            sendable.languages = vec_map::set(sendable.languages);
            Rc::new(sendable)
        })
    }
}

impl Index {
    /// Returns a snapshot without documents marked `neverSend`; no result depends on them.
    pub fn sendable(&self) -> Searcher {
        let mut view = self.searcher();
        let mut schemas = Schemas::default();
        let mut languages = Vec::new();
        for segment in &mut view.segments {
            let sendable = segment.sendable();
            sendable.schemas.iter().for_each(|(name, seen)| schemas.entry(name.clone()).merge(seen));
            languages.extend(&sendable.languages);
            if !Rc::ptr_eq(&sendable.deleted, &segment.deleted) {
                segment.columns(&self.schemas); // built once in the index instead of in every view
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
