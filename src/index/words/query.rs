//! From the words of a question to the terms that are looked up.

use super::Words;
use std::collections::{BTreeMap, BTreeSet};

/// While a word is being typed, this many of the most frequent words it may become are searched.
const COMPLETIONS: usize = 32;
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
        Self { terms: terms.iter().cloned().collect::<BTreeSet<_>>().into_iter().collect(), weight: 1.0 }
    }
}

/// What is asked, as words.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::index) struct WordQuery {
    /// For each word, the terms that each language makes of it.
    pub(in crate::index) words: Vec<Vec<String>>,
    /// The beginning of a last word that is still being typed.
    pub(in crate::index) unfinished: Option<String>,
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
    for terms in &query.words {
        let known = |term: &String| files.iter().any(|words| words.number(term).is_some());
        let terms = Group::of(terms).terms;
        if query.typos && !terms.iter().any(known) {
            add(corrections(&terms, files));
        } else {
            add(terms);
        }
    }
    if let Some(start) = &query.unfinished {
        let completed = completions(start, files);
        if completed.is_empty() && query.typos {
            add(corrections(std::slice::from_ref(start), files));
        } else {
            add(completed);
        }
    }
    groups
}

fn completions(start: &str, files: &[&Words]) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for words in files {
        words.completions(start, |term, count| *counts.entry(term.to_owned()).or_default() += count);
    }
    let mut terms: Vec<(String, usize)> = counts.into_iter().collect();
    terms.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    terms.truncate(COMPLETIONS);
    terms.into_iter().map(|(term, _)| term).collect()
}

/// The words nearest to one that nobody wrote.
fn corrections(terms: &[String], files: &[&Words]) -> Vec<String> {
    let mut near: BTreeMap<String, usize> = BTreeMap::new();
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
