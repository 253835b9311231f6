//! Corrects misspelt words of a query by the words of the library, as far as few blocks allow: the first letters must be right.

use super::blocks::Blocks;
use super::postings::{Postings, first_keys};
use super::texts;
use super::tree::Tree;
use super::words::TermSections;
use vademecum_protocol::error::Result;
use vademecum_text::terms::{self, Analyzer, Language, edits, is_unspaced, plain, slip, typo_limit, words};
use vademecum_util::small_sort::sort_by;
use vademecum_util::within::Within;

/// Maximum number of words corrected per query.
const MAX_CORRECTED: usize = 4;
/// Maximum number of terms whose words are compared with a misspelt word.
const MAX_CANDIDATES: usize = 4;
/// Maximum number of chunks per term that are read for its words.
const MAX_CHUNKS: usize = 2;
/// Maximum number of letters that a stemmer may have removed from a word.
const MAX_ENDING: usize = 4;

/// What corrections are made from.
pub(crate) struct Speller<'a> {
    pub(crate) blocks: &'a Blocks,
    pub(crate) terms: &'a TermSections,
    /// The postings of the query's terms.
    pub(crate) known: &'a Postings,
    pub(crate) texts: &'a Tree,
    pub(crate) analyzers: Vec<Analyzer>,
}

impl Speller<'_> {
    /// Returns `query` with each word that no document contains replaced by the most probable word of the documents; `None` if
    /// nothing is replaced. Quoted words, numbers, stop words and words of fewer than four letters are kept.
    pub(crate) async fn did_you_mean(&self, query: &str, prefix: bool) -> Result<Option<String>> {
        let (mut corrected, mut corrections, mut from) = (String::new(), 0, 0);
        for (start, word) in words(query) {
            let end = start + word.len();
            if corrections == MAX_CORRECTED || (prefix && end == query.len()) {
                continue;
            }
            if let Some(meant) = self.correction(word, query).await? {
                corrected.push_str(query.within(from..start));
                corrected.push_str(&meant);
                (from, corrections) = (end, corrections + 1);
            }
        }
        corrected.push_str(query.within(from..));
        Ok((corrections > 0).then_some(corrected))
    }

    /// Returns the most probable word for one of the query; `None` if it occurs, is quoted, or is not to be corrected.
    async fn correction(&self, word: &str, query: &str) -> Result<Option<String>> {
        let mut forms: Vec<String> = Vec::new();
        for analyzer in &self.analyzers {
            let before = forms.len();
            analyzer.word(word, &mut |term| forms.push(term.to_owned()));
            if forms.len() == before {
                return Ok(None); // a stop word
            }
        }
        if forms.iter().any(|form| self.known.has(form)) {
            return Ok(None);
        }
        let typed = plain(word);
        let typed = typed.as_str();
        // Parsed for unknown words alone: few queries have one.
        let parsed = self.analyzers.first().map(|first| terms::Query::parse(query, first, false));
        if parsed.iter().flat_map(|parsed| &parsed.phrases).flatten().any(|quoted| quoted == typed) {
            return Ok(None);
        }
        let limit = typo_limit(typed);
        if limit == 0
            || Language::has_any_stop_word(typed)
            || !typed.chars().all(|letter| letter.is_alphabetic() && !is_unspaced(letter))
            || !self.terms.find(self.blocks, &forms).await?.is_empty()
        {
            return Ok(None);
        }
        // The stem of a misspelt word may be longer than that of the word meant.
        let ends = typed.char_indices().map(|(at, _)| at).rev().take(MAX_ENDING);
        forms.push(typed.to_owned());
        forms.extend(ends.map(|end| typed.within(..end).to_owned()).filter(|one| typo_limit(one) > 0));
        let mut near: Vec<(usize, std::cmp::Reverse<u32>, String)> = Vec::new();
        for (term, count) in self.terms.resembling(self.blocks, typed).await? {
            let distances = forms.iter().enumerate();
            let least =
                distances.filter_map(|(at, form)| Some(edits(form, &term, limit)? * forms.len() + at)).min();
            near.extend(least.map(|least| (least, std::cmp::Reverse(count), term)));
        }
        sort_by(&mut near, Ord::cmp);
        near.truncate(MAX_CANDIDATES);
        let mut best: Option<(u32, usize, String)> = None;
        let candidates: Vec<String> = near.into_iter().map(|(_, _, term)| term).collect();
        for (order, entry) in self.terms.find(self.blocks, &candidates).await?.into_iter().enumerate() {
            let keys = first_keys(self.blocks, &entry, MAX_CHUNKS).await?;
            for text in texts::read(self.texts, self.blocks, &keys).await.into_iter().flatten() {
                let Some(fields) = text.fields() else { continue };
                for (_, candidate) in words(fields.text).chain(words(fields.title)) {
                    let Some(cost) = slip(typed, &plain(candidate)) else { continue };
                    let mut has = false;
                    let own = self.analyzers.iter().filter(|one| one.language() == fields.language);
                    own.for_each(|one| one.word(candidate, &mut |term| has |= term == entry.term));
                    let rank = (cost, order, candidate.to_lowercase());
                    if has && best.as_ref().is_none_or(|best| rank < *best) {
                        best = Some(rank);
                    }
                }
            }
        }
        Ok(best.map(|(_, _, word)| word))
    }
}
