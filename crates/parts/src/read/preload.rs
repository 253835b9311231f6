//! Reads ahead what most questions need, of a library whose blocks are at hand: the first ones would else wait for it.

use super::ahead::{Ahead, Step};
use super::blocks::Blocks;
use super::postings::Postings;
use super::vectors::VectorSections;
use super::words::TermSections;
use crate::library::Library;
use crate::request::{Mode, SearchRequest};
use vademecum_index::partial::Statistics;
use vademecum_protocol::error::Result;
use vademecum_util::small_sort::sort_by;
use vademecum_util::vec_map;

/// Share of the reader's memory that may be in use while more is read ahead.
const SHARE: usize = 4;
/// Terms in fewer chunks have short lists, which are read quickly when they are asked for.
const FREQUENT: u32 = 1024;

impl Library {
    /// Reads some of what most questions need: first the lengths of chunks, then the postings of one frequent term a call, then what each question by
    /// meaning reads. Asks questions of the first terms: engines compile a function when it is called first, and again after many calls. Returns whether
    /// there is more, for which it has to be called again, so that questions can be answered in between. Reads nothing unless blocks are at hand, ends
    /// where they are not, and leaves out lists and centroids for which a quarter of the memory has no room.
    ///
    /// # Errors
    /// `part_missing`, `part_damaged`; questions that need the same blocks return them as well.
    pub async fn preload(&self) -> Result<bool> {
        if !self.texts.as_ref().is_some_and(|texts| texts.is_at_hand(&self.blocks)) {
            return Ok(false);
        }
        if self.ahead.borrow().is_none() {
            self.lengths.read_all(&self.blocks).await;
            let terms = self.terms.frequent(&self.blocks).await?;
            let bytes = |vectors: &VectorSections| vectors.cells.count as usize * vectors.dimensions;
            let centroids = self.vectors.as_ref().map(bytes);
            self.ahead.replace(Some(Ahead::new(terms, centroids)));
            return Ok(self.blocks.is_near());
        }
        let room = (self.blocks.most() / SHARE).saturating_sub(self.blocks.memory());
        let next = |ahead: &mut Ahead| ahead.next(room);
        let Some(step) = self.ahead.borrow_mut().as_mut().and_then(next) else { return Ok(false) };
        match step {
            Step::List(term) => {
                let entries = self.terms.find(&self.blocks, &[term]).await?;
                let all = Statistics { chunks: self.manifest.chunks, length: self.manifest.length };
                Postings::read(&self.blocks, entries, all, self.manifest.next_key).await?;
            }
            Step::Words(query) => {
                let request = SearchRequest { query, mode: Mode::Keyword, ..SearchRequest::default() };
                // An error is returned again by the question of a user that needs the same block.
                drop(self.search(&request, None).await);
            }
            Step::Meaning => {
                let dimensions = self.vectors.as_ref().map_or(0, |vectors| vectors.dimensions);
                let vector = vec![(dimensions as f32).sqrt().recip(); dimensions];
                let request =
                    SearchRequest { mode: Mode::Vector, threshold: -1.0, ..SearchRequest::default() };
                self.search(&request, Some(&vector)).await?;
            }
        }
        Ok(self.blocks.is_near())
    }
}

impl TermSections {
    /// Returns frequent terms with their document frequencies, the most frequent one last, of those that are listed as completions of short prefixes.
    async fn frequent(&self, blocks: &Blocks) -> Result<Vec<(String, u32)>> {
        let mut counts = self.all_completions(blocks).await?;
        counts.retain(|(_, count)| *count >= FREQUENT);
        let mut counts = vec_map::set(counts);
        sort_by(&mut counts, |one, other| one.1.cmp(&other.1).then_with(|| other.0.cmp(&one.0)));
        Ok(counts)
    }
}
