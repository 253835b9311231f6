//! Which new chunks name which documents, and which older chunks name a document that is new.

use super::index::Index;
use super::links::{Titles, spoken};

/// Up to so many new titles are looked for one by one in the texts that are there; more are looked for together.
const FEW_TITLES: usize = 8;

impl Index {
    /// What the chunks from a key on name.
    pub(super) fn names_of_chunks(&self, first: u32) -> Vec<(u32, u64)> {
        let mut names = Vec::new();
        let Some(titles) = &self.titles else { return names };
        for segment in self.segments.iter().chain([&self.tail]) {
            let new = segment.keys.partition_point(|key| *key < first);
            segment.names_in(titles, new..segment.keys.len(), &mut names);
        }
        names
    }

    /// Which chunks name what is new.
    pub(super) fn chunks_that_say(&self, titles: &Titles) -> Vec<(u32, u64)> {
        let mut names = Vec::new();
        for segment in self.segments.iter().chain([&self.tail]) {
            match titles.len() {
                0 => {}
                count if count <= FEW_TITLES => {
                    let rows = segment.rows_that_may_say(titles.all(), segment.keys.len());
                    segment.names_in(titles, rows, &mut names);
                }
                _ => segment.names_in(titles, 0..segment.keys.len(), &mut names),
            }
        }
        names
    }

    pub(super) fn known_titles(&mut self) {
        if self.titles.is_none() {
            let mut titles = Titles::default();
            for segment in self.segments.iter().chain([&self.tail]) {
                for (_, document) in segment.live_documents() {
                    document.title().and_then(spoken).into_iter().for_each(|title| {
                        titles.insert(title);
                    });
                }
            }
            self.titles = Some(titles);
        }
    }
}
