//! Which new chunks name which documents, and which older chunks name a document that is new.

use super::links::{Titles, names_of_link, spoken};
use super::{Index, Prepared};

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

/// For each link of a document: the key of the chunk it stands in, and the names it may stand for.
pub(super) fn link_names(document: &Prepared, first: u32) -> Vec<(u32, u64)> {
    let mut names = Vec::new();
    for (at, target) in &document.links {
        let after = document.pieces.partition_point(|piece| piece.bytes.start <= *at);
        // Where pieces overlap, more than one may hold it.
        let before = document.pieces.get(..after).unwrap_or_default().iter().enumerate().rev();
        for (ordinal, _) in before.take_while(|(_, piece)| piece.bytes.contains(at)) {
            let of_link = names_of_link(target, &document.collection, &document.id, document.url.as_deref());
            names.extend(of_link.into_iter().map(|name| (first + ordinal as u32, name)));
        }
    }
    names
}
