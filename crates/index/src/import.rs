//! Merges another index into this one, for importing a library.

use super::index::Index;
use super::segment::Versions;
use std::rc::Rc;
use vademecum_protocol::error::{Error, Result};
use vademecum_util::vec_map;

impl Index {
    /// Moves all documents of another index into this one, replacing documents of the same id. Returns the
    /// number of documents moved.
    ///
    /// # Errors
    /// [`Error::VectorShape`] if its vectors have another length. [`Error::InvalidArgument`] if there are not
    /// enough chunk keys left.
    pub fn absorb(&mut self, mut other: Self) -> Result<usize> {
        if let Some(dimensions) = other.dimensions() {
            self.check_dimensions(dimensions)?;
        }
        self.seal();
        other.seal();
        // Renumbers keys without the gaps of the other index, so that importing a library's own copy
        // repeatedly does not exhaust the keys.
        let keys = vec_map::set(other.segments.iter().flat_map(|one| one.keys.iter().copied()));
        let first = self.next_key;
        let end = first.checked_add(keys.len() as u32).ok_or_else(|| {
            Error::invalid("bytes", "a library with fewer chunks", format!("one with {}", keys.len()))
        })?;
        let renumbered = |key: u32| Some(first + keys.binary_search(&key).ok()? as u32);
        self.load_titles();
        other.load_titles();
        let (own, theirs) = (self.titles.take().unwrap_or_default(), other.titles.take().unwrap_or_default());
        let mut names: Vec<(u32, u64)> = Vec::new();
        let incoming = || other.segments.iter().flat_map(|one| one.live_documents().map(|(_, one)| one));
        let documents = incoming().count();
        if !self.segments.is_empty() {
            for one in incoming() {
                self.remove(one.collection(), one.id());
            }
        }
        if theirs.len() > 0 {
            self.segments.iter().for_each(|one| one.mentions_in(&theirs, 0..one.keys.len(), &mut names));
        }
        for mut segment in other.segments {
            let moved = Rc::make_mut(&mut segment);
            moved.id = self.segment_id();
            moved.versions = Versions::default();
            Rc::make_mut(&mut moved.keys).iter_mut().for_each(|key| *key = renumbered(*key).unwrap_or(*key));
            Rc::make_mut(&mut moved.names).renumber(renumbered);
            if own.len() > 0 {
                segment.mentions_in(&own, 0..segment.keys.len(), &mut names);
            }
            self.segments.push(segment);
        }
        self.next_key = end;
        if let Some(last) = self.segments.last_mut() {
            Rc::make_mut(&mut Rc::make_mut(last).names).extend(names);
        }
        let mut schemas = (*self.schemas).clone();
        for (collection, schema) in other.schemas.iter() {
            schemas.entry(collection.clone()).merge(schema);
        }
        self.schemas = Rc::new(schemas);
        self.segments.iter_mut().for_each(|one| Rc::make_mut(one).forget_columns());
        if let Some(dimensions) = self.dimensions() {
            self.check_dimensions(dimensions)?;
        }
        (self.titles, self.embedded) = (None, None);
        Ok(documents)
    }
}
