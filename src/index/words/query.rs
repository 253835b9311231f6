//! From the words of a question to the terms that are looked up.

use super::Words;
use crate::order::sort_by_key;
use crate::sorted;

/// While a word is being typed, this many of the most frequent words it may become are searched.
const COMPLETIONS: usize = 32;
/// A stem is taken for the beginning of a longer word from so many letters on.
const SHORTEST_STEM: usize = 4;
/// Each misspelt word is compared with every word there is: more of them in one question are passed over.
const MOST_CORRECTED: usize = 16;
/// A misspelt word stands for at most so many others.
const CORRECTIONS: usize = 16;

/// One word of a question.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::index) struct Group {
    /// The terms that count as it: a chunk that holds several of them holds it several times.
    pub(super) terms: Vec<String>,
    /// How much the word counts.
    pub(super) weight: f32,
}

impl Group {
    /// One word by what it is in each language.
    pub(in crate::index) fn of(terms: &[String]) -> Self {
        Self { terms: sorted::set(terms.iter().cloned()), weight: 1.0 }
    }
}

/// What is asked, as words.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::index) struct WordQuery {
    /// For each word, the terms that each language makes of it.
    pub(in crate::index) words: Vec<Vec<String>>,
    /// The beginning of a last word that is still being typed, and what it comes to if that is all of it.
    pub(in crate::index) unfinished: Option<(String, Vec<String>)>,
    /// A word that nobody wrote may have been meant for one that differs by a slip or two.
    pub(in crate::index) typos: bool,
}

/// The groups to search for in files that together make an index.
pub(in crate::index) fn groups(query: &WordQuery, files: &[&Words]) -> Vec<Group> {
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
    let mut counts: sorted::Map<String, usize> = sorted::Map::default();
    for words in files {
        words.completions(start, |term, count| *counts.entry(term.to_owned()) += count);
        for term in terms {
            if words.number(term).is_some() {
                counts.insert(term.clone(), usize::MAX); // it may be all of the word
            }
        }
    }
    if counts.keys().next().is_none() {
        let shorter =
            start.char_indices().skip(SHORTEST_STEM).map(|(at, _)| start.get(..at).unwrap_or_default());
        let stem = shorter.filter(|stem| files.iter().any(|words| words.number(stem).is_some())).last();
        counts = stem.map(|stem| (stem.to_owned(), 1)).into_iter().collect();
    }
    let mut terms: Vec<(String, usize)> = counts.into_iter().collect();
    sort_by_key(&mut terms, |(_, count)| std::cmp::Reverse(*count));
    terms.truncate(COMPLETIONS);
    terms.into_iter().map(|(term, _)| term).collect()
}

/// The words nearest to one that nobody wrote.
fn corrections(terms: &[String], files: &[&Words]) -> Vec<String> {
    let mut near: sorted::Map<String, usize> = sorted::Map::default();
    for word in terms {
        let limit = crate::text::terms::typo_limit(word);
        for words in files.iter().filter(|_| limit > 0) {
            words.similar(word, limit, |term, distance| {
                near.insert(term.to_owned(), distance);
            });
        }
    }
    let least = near.values().min().copied();
    near.into_iter()
        .filter(|(_, distance)| Some(*distance) == least)
        .map(|(term, _)| term)
        .take(CORRECTIONS)
        .collect()
}
