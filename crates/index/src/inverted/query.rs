//! From the words of a question to the terms that are looked up.

use super::Words;
use vademecum_util::small_sort::{sort_by, sort_by_key};
use vademecum_util::vec_map;
use vademecum_util::within::Within;

/// While a word is being typed, this many of the most frequent words it may become are searched.
const COMPLETIONS: usize = 32;
/// A stem is taken for the beginning of a longer word from so many letters on.
const SHORTEST_STEM: usize = 4;
/// No more letters of a word are filed, and so no longer beginning of one.
const LONGEST_WORD: usize = 128;
/// Each misspelt word is compared with every word there is: more of them in one question are passed over.
const MOST_CORRECTED: usize = 16;
/// A misspelt word stands for at most so many others.
const CORRECTIONS: usize = 16;

/// One word of a question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    /// The terms that count as it: a chunk that holds several of them holds it several times.
    pub(super) terms: Vec<String>,
    /// How much the word counts.
    pub(super) weight: f32,
}

impl Group {
    /// One word by what it is in each language.
    pub(crate) fn of(terms: &[String]) -> Self {
        Self { terms: vec_map::set(terms.iter().cloned()), weight: 1.0 }
    }
}

/// What is asked, as words.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct WordQuery {
    /// For each word, the terms that each language makes of it.
    pub(crate) words: Vec<Vec<String>>,
    /// The beginning of a last word that is still being typed, and what it comes to if that is all of it.
    pub(crate) unfinished: Option<(String, Vec<String>)>,
    /// A word that nobody wrote may have been meant for one that differs by a slip or two.
    pub(crate) typos: bool,
}

/// The groups to search for in files that together make an index.
pub(crate) fn groups(query: &WordQuery, files: &[&Words]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut add = |terms: Vec<String>| {
        let group = Group { terms, weight: 1.0 };
        if !group.terms.is_empty() && !groups.contains(&group) {
            groups.push(group);
        }
    };
    let mut corrected = 0;
    for terms in &query.words {
        let known = |term: &String| files.iter().any(|words| words.number(term).is_some());
        let terms = Group::of(terms).terms;
        if query.typos && corrected < MOST_CORRECTED && !terms.iter().any(known) {
            corrected += 1;
            add(corrections(&terms, files));
        } else {
            add(terms);
        }
    }
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

/// The words that a beginning may become. Stems are filed, and may be shorter than what is typed: "happin" is on its
/// way to "happiness", which is filed as "happi".
fn completions(start: &str, terms: &[String], files: &[&Words]) -> Vec<String> {
    let is_known = |term: &str| files.iter().any(|words| words.number(term).is_some());
    // It may be all of the word.
    let whole = terms.iter().filter(|term| is_known(term));
    let mut counts: Vec<(String, usize)> = whole.map(|term| (term.clone(), usize::MAX)).collect();
    for words in files {
        words.completions(start, |term, count| counts.push((term.to_owned(), count)));
    }
    if counts.is_empty() {
        // A word is at most so long: each beginning is looked up.
        let shorter = start.char_indices().map(|(at, _)| start.within(..at));
        let stem = shorter.take(LONGEST_WORD).skip(SHORTEST_STEM).filter(|stem| is_known(stem)).last();
        counts.extend(stem.map(|stem| (stem.to_owned(), 1)));
    }
    sort_by(&mut counts, |one, other| one.0.cmp(&other.0));
    counts.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 = kept.1.saturating_add(if same { next.1 } else { 0 });
        same
    });
    sort_by_key(&mut counts, |(_, count)| std::cmp::Reverse(*count));
    counts.truncate(COMPLETIONS);
    counts.into_iter().map(|(term, _)| term).collect()
}

/// The words nearest to one that nobody wrote.
fn corrections(terms: &[String], files: &[&Words]) -> Vec<String> {
    let mut near: Vec<(usize, String)> = Vec::new();
    for word in terms {
        let limit = vademecum_text::terms::typo_limit(word);
        for words in files.iter().filter(|_| limit > 0) {
            words.similar(word, limit, |term, distance| near.push((distance, term.to_owned())));
        }
    }
    sort_by(&mut near, Ord::cmp);
    near.dedup();
    let least = near.first().map(|one| one.0);
    let nearest = near.into_iter().take_while(|(distance, _)| Some(*distance) == least);
    nearest.map(|(_, term)| term).take(CORRECTIONS).collect()
}

#[cfg(test)]
mod tests {
    use super::super::OpenWords;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// A file where each word stands in so many chunks.
    fn file(words: &BTreeMap<String, u32>, sealed: bool) -> Words {
        let mut open = OpenWords::default();
        for (word, chunks) in words {
            let number = open.number(word);
            (0..*chunks).for_each(|chunk| open.count(number, chunk, 1));
        }
        let words = Words::Open(open);
        if sealed { Words::Sealed(words.sealed(&|_| 1)) } else { words }
    }

    proptest! {
        #[test]
        fn a_whole_word_comes_first_and_its_completions_by_frequency_in_all_segments_together(
            segments in prop::collection::vec((prop::collection::btree_map("t[a-d]{0,3}", 1u32..9, 0..60), any::<bool>()), 1..5),
            typed in "t[a-d]{0,2}",
        ) {
            let files: Vec<Words> = segments.iter().map(|(words, sealed)| file(words, *sealed)).collect();
            let query = WordQuery { unfinished: Some((typed.clone(), vec![typed.clone()])), ..WordQuery::default() };
            let found = groups(&query, &files.iter().collect::<Vec<_>>());
            let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
            for (word, count) in segments.iter().flat_map(|(words, _)| words).filter(|(word, _)| word.starts_with(&typed)) {
                *counts.entry(word).or_default() += count;
            }
            let mut expected: Vec<(&str, u32)> = counts.into_iter().collect();
            expected.sort_by_key(|(word, count)| (*word != typed, std::cmp::Reverse(*count)));
            let expected: Vec<&str> = expected.into_iter().take(COMPLETIONS).map(|one| one.0).collect();
            let found: Vec<&str> = found.iter().flat_map(|group| group.terms.iter().map(String::as_str)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
