//! Reads ahead what most questions by words need, of a library whose blocks are at hand: the first ones would else wait for it.

use super::blocks::Blocks;
use super::postings::{POSTING, Postings};
use super::words::TermSections;
use crate::library::Library;
use vademecum_index::partial::Statistics;
use vademecum_protocol::error::Result;
use vademecum_util::small_sort::sort_by;
use vademecum_util::vec_map;

/// Share of the reader's memory that may be in use while more is read ahead.
const SHARE: usize = 4;
/// Terms in fewer chunks have short lists, which are read quickly when they are asked for.
const FREQUENT: u32 = 1024;

impl Library {
    /// Reads some of what most questions by words need: first the lengths of chunks, then the postings of one frequent term a call. Returns whether there
    /// is more, for which it has to be called again, so that questions can be answered in between. Reads nothing unless blocks are at hand, ends where they
    /// are not, and leaves out lists for which a quarter of the memory has no room.
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
            self.ahead.replace(Some(terms));
            return Ok(self.blocks.is_near());
        }
        let room = (self.blocks.most() / SHARE).saturating_sub(self.blocks.memory());
        let fits = |(_, count): &(String, u32)| *count as usize * POSTING <= room;
        let next =
            self.ahead.borrow_mut().as_mut().and_then(|terms| std::iter::from_fn(|| terms.pop()).find(fits));
        let Some((term, _)) = next else { return Ok(false) };
        let entries = self.terms.find(&self.blocks, &[term]).await?;
        let all = Statistics { chunks: self.manifest.chunks, length: self.manifest.length };
        Postings::read(&self.blocks, entries, all, self.manifest.next_key).await?;
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
