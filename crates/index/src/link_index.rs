//! Finds mentions of titles: of all titles in new chunks, and of new titles in existing chunks.

use super::index::Index;
use super::links::Titles;
use vademecum_text::title::bare_title;

/// Up to this many new titles are searched for in the raw text first; for more, every chunk is tokenised.
const FEW_TITLES: usize = 8;

impl Index {
    /// Returns the names mentioned by the chunks from key `first` on.
    pub(super) fn mentions_of_chunks(&self, first: u32) -> Vec<(u32, u64)> {
        let mut names = Vec::new();
        let Some(titles) = &self.titles else { return names };
        for segment in self.segments.iter().chain([&self.tail]) {
            let new = segment.keys.partition_point(|key| *key < first);
            segment.mentions_in(titles, new..segment.keys.len(), &mut names);
        }
        names
    }

    /// Returns the existing chunks that mention one of the new titles.
    pub(super) fn chunks_mentioning(&self, titles: &Titles) -> Vec<(u32, u64)> {
        let mut names = Vec::new();
        for segment in self.segments.iter().chain([&self.tail]) {
            match titles.len() {
                0 => {}
                count if count <= FEW_TITLES => {
                    let rows = segment.rows_possibly_mentioning(titles.all(), segment.keys.len());
                    segment.mentions_in(titles, rows, &mut names);
                }
                _ => segment.mentions_in(titles, 0..segment.keys.len(), &mut names),
            }
        }
        names
    }

    pub(super) fn load_titles(&mut self) {
        if self.titles.is_none() {
            let mut titles = Titles::default();
            for segment in self.segments.iter().chain([&self.tail]) {
                for (_, document) in segment.live_documents() {
                    document.title().and_then(bare_title).into_iter().for_each(|title| {
                        titles.insert(title);
                    });
                }
            }
            self.titles = Some(titles);
        }
    }
}
