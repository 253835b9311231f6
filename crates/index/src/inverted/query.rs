//! Expands the words of a query to the indexed terms that are looked up.

use super::InvertedIndex;
use crate::deleted::Deleted;
use vademecum_util::small_sort::{sort_by, sort_by_key};
use vademecum_util::vec_map;
use vademecum_util::within::Within;

/// Maximum number of terms a prefix expands to; the most frequent are taken.
pub const MAX_COMPLETIONS: usize = 32;
/// Minimum length, in characters, of a stem that stands for a longer prefix.
pub const MIN_STEM: usize = 4;
/// Maximum length of an indexed word, in characters, and thus of a stem.
const MAX_WORD: usize = 128;
/// Maximum number of misspelt words corrected per query: each is compared with the whole dictionary.
pub const MAX_CORRECTED: usize = 16;
/// Weight of a character, relative to the pairs of characters of the query that contain it.
const PART_WEIGHT: f32 = 0.25;
/// Maximum number of corrections per misspelt word.
pub const MAX_CORRECTIONS: usize = 16;

/// A word of a query: terms that count as one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TermGroup {
    /// The terms; their frequencies in a chunk are added up.
    pub(crate) terms: Vec<String>,
    /// Factor on the IDF.
    pub(crate) weight: f32,
}

impl TermGroup {
    /// Creates the group of a word from its terms per language.
    pub(crate) fn of(terms: &[String]) -> Self {
        Self { terms: vec_map::set(terms.iter().cloned()), weight: 1.0 }
    }
}

/// The words of a query.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct KeywordQuery {
    /// Per word: its terms in each language.
    pub(crate) words: Vec<Vec<String>>,
    /// A last word that is still being typed: its text, and its terms in case it is complete.
    pub(crate) unfinished: Option<(String, Vec<String>)>,
    /// Characters and pairs of characters, which are not corrected.
    pub(crate) exact: Vec<String>,
    /// Whether words that no chunk contains are corrected.
    pub(crate) typos: bool,
}

/// An inverted index with its deleted chunks.
pub(crate) type File<'a> = (&'a InvertedIndex, &'a Deleted);

/// Returns the groups to search for in inverted indexes that together form the whole. Terms of deleted chunks alone do not count as known.
pub(crate) fn groups(query: &KeywordQuery, files: &[File<'_>]) -> Vec<TermGroup> {
    let mut groups: Vec<TermGroup> = Vec::new();
    let is_part =
        |term: &String| query.exact.iter().any(|pair| pair.len() > term.len() && pair.contains(&**term));
    let mut add = |terms: Vec<String>| {
        let weight = if terms.iter().any(is_part) { PART_WEIGHT } else { 1.0 };
        let group = TermGroup { terms, weight };
        if !group.terms.is_empty() && !groups.contains(&group) {
            groups.push(group);
        }
    };
    let mut corrected = 0;
    for terms in &query.words {
        let known = |term: &String| files.iter().any(|(words, deleted)| words.has_live(term, deleted));
        let terms = TermGroup::of(terms).terms;
        if query.typos && corrected < MAX_CORRECTED && !terms.iter().any(known) {
            corrected += 1;
            add(corrections(&terms, files));
        } else {
            add(terms);
        }
    }
    query.exact.iter().for_each(|term| add(vec![term.clone()]));
    if let Some((start, terms)) = &query.unfinished {
        let completed = completions(start, terms, files);
        if completed.is_empty() && query.typos {
            add(corrections(terms, files));
        } else {
            add(completed);
        }
    }
    groups
}

/// Returns the terms that a prefix may complete to. Stems are indexed and may be shorter than the prefix:
/// "happin" is a prefix of "happiness", indexed as "happi".
fn completions(start: &str, terms: &[String], files: &[File<'_>]) -> Vec<String> {
    let is_known = |term: &str| files.iter().any(|(words, deleted)| words.has_live(term, deleted));
    // The prefix may be a complete word.
    let whole = terms.iter().filter(|term| is_known(term));
    let mut counts: Vec<(String, usize)> = whole.map(|term| (term.clone(), usize::MAX)).collect();
    for (words, deleted) in files {
        words.completions(start, deleted, |term, count| counts.push((term.to_owned(), count)));
    }
    if counts.is_empty() {
        // `MAX_WORD` bounds the number of lookups.
        let shorter = start.char_indices().map(|(at, _)| start.within(..at));
        let stem = shorter.take(MAX_WORD).skip(MIN_STEM).filter(|stem| is_known(stem)).last();
        counts.extend(stem.map(|stem| (stem.to_owned(), 1)));
    }
    sort_by(&mut counts, |one, other| one.0.cmp(&other.0));
    counts.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 = kept.1.saturating_add(if same { next.1 } else { 0 });
        same
    });
    sort_by_key(&mut counts, |(_, count)| std::cmp::Reverse(*count));
    counts.truncate(MAX_COMPLETIONS);
    counts.into_iter().map(|(term, _)| term).collect()
}

/// Returns the terms with the smallest edit distance to a word that no chunk contains.
fn corrections(terms: &[String], files: &[File<'_>]) -> Vec<String> {
    let mut near: Vec<(usize, String)> = Vec::new();
    for word in terms {
        let limit = vademecum_text::terms::typo_limit(word);
        for (words, deleted) in files.iter().filter(|_| limit > 0) {
            words.similar(word, limit, |term, distance| {
                if words.has_live(term, deleted) {
                    near.push((distance, term.to_owned()));
                }
            });
        }
    }
    sort_by(&mut near, Ord::cmp);
    near.dedup();
    let least = near.first().map(|one| one.0);
    let nearest = near.into_iter().take_while(|(distance, _)| Some(*distance) == least);
    nearest.map(|(_, term)| term).take(MAX_CORRECTIONS).collect()
}

#[cfg(test)]
mod tests {
    use super::super::OpenInvertedIndex;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Builds an inverted index in which each word occurs in the given number of chunks.
    fn file(words: &BTreeMap<String, u32>, sealed: bool) -> InvertedIndex {
        let mut open = OpenInvertedIndex::default();
        for (word, chunks) in words {
            let number = open.number(word);
            (0..*chunks).for_each(|chunk| open.count(number, chunk, 1));
        }
        let words = InvertedIndex::Open(open);
        if sealed { InvertedIndex::Sealed(words.sealed(&|_| 1)) } else { words }
    }

    proptest! {
        #[test]
        fn a_complete_word_comes_first_then_completions_by_frequency_across_segments(
            segments in prop::collection::vec((prop::collection::btree_map("t[a-d]{0,3}", 1u32..9, 0..60), any::<bool>()), 1..5),
            typed in "t[a-d]{0,2}",
        ) {
            let files: Vec<InvertedIndex> = segments.iter().map(|(words, sealed)| file(words, *sealed)).collect();
            let query = KeywordQuery { unfinished: Some((typed.clone(), vec![typed.clone()])), ..KeywordQuery::default() };
            let none = Deleted::default();
            let found = groups(&query, &files.iter().map(|words| (words, &none)).collect::<Vec<_>>());
            let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
            for (word, count) in segments.iter().flat_map(|(words, _)| words).filter(|(word, _)| word.starts_with(&typed)) {
                *counts.entry(word).or_default() += count;
            }
            let mut expected: Vec<(&str, u32)> = counts.into_iter().collect();
            expected.sort_by_key(|(word, count)| (*word != typed, std::cmp::Reverse(*count)));
            let expected: Vec<&str> = expected.into_iter().take(MAX_COMPLETIONS).map(|one| one.0).collect();
            let found: Vec<&str> = found.iter().flat_map(|group| group.terms.iter().map(String::as_str)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
