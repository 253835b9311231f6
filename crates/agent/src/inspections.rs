//! Records which chunks were inspected before a model was shown them, and what the firewall found.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use vademecum_firewall::FoundSuspicion;

/// The inspected chunks and the suspicions found in them.
#[derive(Debug, Default)]
pub(super) struct Inspections {
    /// Chunks, by [`crate::document::Chunk::key`].
    pub(super) seen: RefCell<HashSet<[String; 3]>>,
    pub(super) found: RefCell<Vec<FoundSuspicion>>,
    /// Whether a model was shown a passage.
    pub(super) shown: Cell<bool>,
}

impl Inspections {
    /// Restores the suspicions of the stopped run.
    pub(super) fn restore(&self, told: &[FoundSuspicion]) {
        let key = |one: &FoundSuspicion| [one.collection.clone(), one.doc_id.clone(), one.chunk_id.clone()];
        self.seen.borrow_mut().extend(told.iter().map(key));
    }

    /// Returns whether a model was shown a passage in this part of the run.
    pub(super) fn has_shown(&self) -> bool {
        self.shown.get()
    }

    /// Returns the suspicions found so far.
    pub(super) fn so_far(&self) -> Vec<FoundSuspicion> {
        self.found.borrow().clone()
    }

    /// Takes all suspicions.
    pub(super) fn take(&self) -> Vec<FoundSuspicion> {
        self.found.take()
    }
}
