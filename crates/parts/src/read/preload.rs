//! Reads ahead what most questions need, of a library whose blocks are at hand: a first question would else wait for it.

use super::blocks::Blocks;
use super::postings::Postings;
use super::words::TermSections;
use crate::library::Library;
use std::cell::RefCell;
use vademecum_index::partial::Statistics;
use vademecum_protocol::error::Result;
use vademecum_util::small_sort::sort_by;
use vademecum_util::vec_map;

/// Share of the reader's memory that may be in use while more is read ahead.
const SHARE: usize = 4;
/// Terms in fewer chunks have short lists, which are read quickly when they are asked for.
const FREQUENT: u32 = 1024;

/// What is still to be read; `None` before the first call.
#[derive(Debug, Default)]
pub(crate) struct Preload(RefCell<Option<Vec<Step>>>);

/// What one call reads.
#[derive(Debug)]
enum Step {
    Lengths,
    Term(String),
    /// Last, because it takes longest.
    Vectors,
}

impl Preload {
    /// Takes the next step, of which the last one comes first.
    fn next(&self) -> Option<Step> {
        self.0.borrow_mut().as_mut().and_then(Vec::pop)
    }
}

impl Library {
    /// Reads some of what most questions need: the lengths of chunks, the directory of vectors, or the postings of one of the most frequent terms.
    /// Returns whether there is more, for which it has to be called again, so that questions can be answered in between. Reads lists until a quarter of the
    /// memory is in use, and nothing unless blocks are at hand.
    ///
    /// # Errors
    /// `part_missing`, `part_damaged`; questions that need the same blocks return them as well.
    pub async fn preload(&self) -> Result<bool> {
        if self.preload.0.borrow().is_none() {
            let terms = self.terms.frequent(&self.blocks).await?;
            let terms = terms.into_iter().rev().map(Step::Term);
            self.preload
                .0
                .replace(Some([Step::Vectors].into_iter().chain(terms).chain([Step::Lengths]).collect()));
        }
        if !self.blocks.is_near() {
            return Ok(false);
        }
        let is_filled = self.blocks.memory() > self.blocks.most() / SHARE;
        match self.preload.next() {
            Some(Step::Term(_)) if is_filled => {}
            Some(Step::Lengths) => self.lengths.read_all(&self.blocks).await,
            Some(Step::Vectors) => {
                if let Some(vectors) = &self.vectors {
                    vectors.directory(&self.blocks).await?;
                }
            }
            Some(Step::Term(term)) => {
                let entries = self.terms.find(&self.blocks, &[term]).await?;
                let all = Statistics { chunks: self.manifest.chunks, length: self.manifest.length };
                Postings::read(&self.blocks, entries, all, self.manifest.next_key).await?;
            }
            None => return Ok(false),
        }
        Ok(true)
    }
}

impl TermSections {
    /// Returns frequent terms, the most frequent one first: of those that are listed as completions of short prefixes.
    async fn frequent(&self, blocks: &Blocks) -> Result<Vec<String>> {
        let mut counts = self.all_completions(blocks).await?;
        counts.retain(|(_, count)| *count >= FREQUENT);
        let mut counts = vec_map::set(counts);
        sort_by(&mut counts, |one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        Ok(counts.into_iter().map(|(term, _)| term).collect())
    }
}
