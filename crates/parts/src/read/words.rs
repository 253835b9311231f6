//! The keyword arm: reads the postings of a query's terms, and ranks by the index's own code.

use super::blocks::{Blocks, Decoded};
use super::postings::Postings;
use super::tree::Tree;
use crate::block::BlockRef;
use crate::errors::part_damaged;
use crate::postings::{List, TermEntry, decode_terms};
use crate::tables::{self, Completions};
use vademecum_index::partial::{
    MAX_COMPLETIONS, MAX_CORRECTED, MAX_CORRECTIONS, MIN_STEM, Occurrence, Statistics, Words,
};
use vademecum_protocol::error::Result;
use vademecum_text::terms::{edits, typo_limit};
use vademecum_util::small_sort::sort_by;
use vademecum_util::vec_map;

/// A prefix is completed to terms with at most this many postings in all, beside the most frequent one: the first letter of a
/// word would have half of the library read.
const MAX_PREFIX_POSTINGS: usize = 20_000;
/// Number of first letters that a misspelt word must have right, so that a few blocks have all candidates.
const RIGHT_LETTERS: usize = 2;

/// The sections of terms.
#[derive(Debug, Clone)]
pub(crate) struct TermSections {
    pub(crate) terms: Option<Tree>,
    pub(crate) completions: Option<Tree>,
}

impl TermSections {
    /// Reads the postings of all terms of a query, of completions and corrections. `end` is one more than the highest key.
    pub(crate) async fn lists(
        &self,
        blocks: &Blocks,
        words: &Words,
        typos: bool,
        all: Statistics,
        end: u32,
    ) -> Result<Postings> {
        let mut terms: Vec<String> = words.complete().iter().flatten().cloned().collect();
        terms.extend(words.bigrams().iter().cloned());
        words.phrases().iter().for_each(|phrase| {
            terms.extend(words.phrase_terms(phrase).into_iter().flatten().flatten());
        });
        if let Some((start, complete)) = words.unfinished() {
            terms.extend(complete.iter().cloned());
            terms.extend(self.completions(blocks, start).await?);
        }
        let mut entries = self.find(blocks, &vec_map::set(terms)).await?;
        if typos {
            let known = |term: &String| entries.iter().any(|entry| entry.term == *term);
            let unfinished = words
                .unfinished()
                .filter(|(start, _)| !entries.iter().any(|one| one.term.starts_with(start)));
            let asked = words.complete().iter().map(Vec::as_slice).chain(unfinished.map(|(_, terms)| terms));
            let misspelt: Vec<&[String]> =
                asked.filter(|terms| !terms.iter().any(known)).take(MAX_CORRECTED).collect();
            let mut similar = Vec::new();
            for terms in misspelt {
                similar.extend(self.corrections(blocks, terms).await?);
            }
            similar.retain(|term| !known(term));
            entries.extend(self.find(blocks, &vec_map::set(similar)).await?);
        }
        Postings::read(blocks, entries, all, end).await
    }

    /// Looks terms up; those that do not occur are left out.
    pub(crate) async fn find(&self, blocks: &Blocks, terms: &[String]) -> Result<Vec<TermEntry>> {
        let Some(tree) = &self.terms else { return Ok(Vec::new()) };
        let keys: Vec<Vec<u8>> = terms.iter().map(|term| term.as_bytes().to_vec()).collect();
        let mut found = Vec::new();
        for (read, term) in tree.read::<Vec<TermEntry>>(blocks, &keys).await.into_iter().zip(terms) {
            if let Some((_, block)) = read? {
                let at = block.binary_search_by(|entry| entry.term.as_str().cmp(term));
                found.extend(at.ok().and_then(|at| block.get(at)).cloned());
            }
        }
        Ok(found)
    }

    /// Returns all terms that begin with `start`, with their document frequencies.
    async fn beginning_with(&self, blocks: &Blocks, start: &str) -> Result<Vec<(String, u32)>> {
        let Some(tree) = &self.terms else { return Ok(Vec::new()) };
        // No byte of UTF-8 is above these.
        let end = [start.as_bytes(), &[0xff]].concat();
        let mut found = Vec::new();
        for (_, block) in tree.read_range::<Vec<TermEntry>>(blocks, (start.as_bytes().to_vec(), end)).await? {
            let entries = block.iter().filter(|entry| entry.term.starts_with(start));
            found.extend(entries.map(|entry| (entry.term.clone(), entry.count as u32)));
        }
        Ok(found)
    }

    /// Returns the terms that a prefix may complete to, and stems that may stand for it.
    async fn completions(&self, blocks: &Blocks, start: &str) -> Result<Vec<String>> {
        let listed = match &self.completions {
            Some(tree) => listed(tree, blocks, start).await?,
            None => None,
        };
        let mut counts = match listed {
            Some(listed) => listed,
            None => self.beginning_with(blocks, start).await?,
        };
        if counts.is_empty() {
            // A stem may be shorter than what was typed.
            let shorter = start.char_indices().map(|(at, _)| at).skip(MIN_STEM);
            return Ok(shorter.filter_map(|at| start.get(..at)).map(str::to_owned).collect());
        }
        sort_by(&mut counts, |one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        counts.truncate(MAX_COMPLETIONS);
        let mut postings = 0;
        let mut fits = |(at, (_, count)): &(usize, (String, u32))| {
            postings += *count as usize;
            *at == 0 || postings <= MAX_PREFIX_POSTINGS
        };
        Ok(counts.into_iter().enumerate().filter(|one| fits(one)).map(|(_, (term, _))| term).collect())
    }

    /// Returns the terms that are listed as completions, with their document frequencies; a term may be among those of several prefixes.
    #[cfg(not(feature = "small"))]
    pub(crate) async fn all_completions(&self, blocks: &Blocks) -> Result<Vec<(String, u32)>> {
        let Some(tree) = &self.completions else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        // No byte of UTF-8 is above the last one.
        for (_, block) in tree.read_range::<Vec<u8>>(blocks, (Vec::new(), vec![0xff])).await? {
            all.extend(decoded(&block)?.into_iter().flat_map(|(_, terms)| terms));
        }
        Ok(all)
    }

    /// Returns the terms nearest to a word that does not occur.
    async fn corrections(&self, blocks: &Blocks, forms: &[String]) -> Result<Vec<String>> {
        let mut near: Vec<(usize, String)> = Vec::new();
        for word in forms {
            let limit = typo_limit(word);
            let end = word.char_indices().nth(RIGHT_LETTERS).map_or(word.len(), |(at, _)| at);
            if limit == 0 {
                continue;
            }
            for (term, _) in self.beginning_with(blocks, word.get(..end).unwrap_or_default()).await? {
                near.extend(edits(word, &term, limit).map(|distance| (distance, term)));
            }
        }
        sort_by(&mut near, Ord::cmp);
        near.dedup();
        let least = near.first().map(|one| one.0);
        let nearest = near.into_iter().take_while(|(distance, _)| Some(*distance) == least);
        Ok(nearest.map(|(_, term)| term).take(MAX_CORRECTIONS).collect())
    }

    /// Returns the terms that resemble a word, with their document frequencies.
    pub(crate) async fn resembling(&self, blocks: &Blocks, word: &str) -> Result<Vec<(String, u32)>> {
        let end = word.char_indices().nth(RIGHT_LETTERS).map_or(word.len(), |(at, _)| at);
        self.beginning_with(blocks, word.get(..end).unwrap_or_default()).await
    }
}

impl Decoded for Vec<TermEntry> {
    const UNSOUND: &str = "a block of terms does not decode";

    fn decode(block: Vec<u8>) -> Option<Self> {
        decode_terms(&block)
    }

    fn bytes(&self) -> usize {
        let of_list = |list: &List| match list {
            List::Inline(inline) => inline.len() * size_of::<Occurrence>(),
            List::Whole(_) => 0,
            List::Split(blocks) => blocks.len() * 2 * size_of::<BlockRef>(),
        };
        self.iter().map(|one| size_of::<TermEntry>() + one.term.len() + of_list(&one.list)).sum()
    }
}

/// Looks a short prefix up among those whose completions are listed.
async fn listed(tree: &Tree, blocks: &Blocks, start: &str) -> Result<Option<Vec<(String, u32)>>> {
    let read = tree.read::<Vec<u8>>(blocks, &[start.as_bytes().to_vec()]).await.pop();
    let Some((_, block)) = read.transpose()?.flatten() else { return Ok(None) };
    Ok(decoded(&block)?.into_iter().find(|(prefix, _)| prefix == start).map(|(_, terms)| terms))
}

fn decoded(block: &[u8]) -> Result<Vec<Completions>> {
    let unsound = || part_damaged("of completions", "it does not decode");
    tables::decode_completions(block).ok_or_else(unsound)
}
