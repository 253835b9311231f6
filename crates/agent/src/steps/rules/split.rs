//! Splits a question where it clearly asks several things.

use super::compare;
use super::follow_up::follow;
use super::words::{
    Word, begins_subject, capitalised, content_words, is_auxiliary, is_preposition, is_question_word,
    without_mark, words_of,
};
use crate::context::Turn;
use vademecum_text::sentence::sentences;
use vademecum_util::within::Within;

/// A rule that splits a question; one part if it does not apply.
type Rule = fn(&str) -> Vec<String>;

/// Returns the questions that `question` asks, at most `most`, each understandable by itself; one if it is not split.
pub(in super::super) fn split(question: &str, most: usize) -> Vec<String> {
    split_by(&[compare::sides, by_clauses, by_list], question, most)
}

/// Returns the questions that are joined in `question`, like [`split`]. A comparison is one question: a sentence may answer it.
pub(in super::super) fn joined(question: &str, most: usize) -> Vec<String> {
    split_by(&[by_clauses, by_list], question, most)
}

fn split_by(rules: &[Rule], question: &str, most: usize) -> Vec<String> {
    let whole = || vec![question.trim().to_owned()];
    let asked = by_sentences(question);
    let parts: Vec<String> = if asked.len() > 1 {
        asked.iter().flat_map(|one| by_clauses(one)).collect()
    } else {
        rules.iter().map(|rule| rule(question.trim())).find(|parts| parts.len() > 1).unwrap_or_default()
    };
    if parts.len() < 2 || most < 2 {
        return whole();
    }
    let mut standing: Vec<String> = Vec::new();
    for part in parts {
        // "Who wrote it?" after a question that names it.
        let before = standing.last().map(|one| Turn { question: one.clone(), ..Turn::default() });
        standing.push(before.and_then(|before| follow(&part, &before)).unwrap_or(part));
    }
    // Excess parts are joined instead of dropped.
    let rest = standing.split_off(standing.len().min(most - 1));
    if !rest.is_empty() {
        standing.push(rest.join(" "));
    }
    standing
}

/// Splits into sentences that ask, each with the statements before it.
fn by_sentences(question: &str) -> Vec<String> {
    let mut asked: Vec<String> = Vec::new();
    let mut told = String::new();
    for range in sentences(question) {
        let sentence = question.within(range);
        told.push_str(if told.is_empty() { "" } else { " " });
        told.push_str(sentence);
        if sentence.ends_with(['?', '？', '؟']) {
            asked.push(std::mem::take(&mut told));
        }
    }
    match asked.last_mut() {
        Some(last) if !told.is_empty() => {
            last.push(' ');
            last.push_str(&told);
        }
        _ => {}
    }
    asked
}

/// Words that begin a request instead of a question word.
const REQUESTS: [&str; 12] = [
    "explain",
    "describe",
    "list",
    "show",
    "name",
    "find",
    "give",
    "tell",
    "summarize",
    "summarise",
    "define",
    "outline",
];

/// Splits "What is … and how does …?" into clauses that each begin like a question.
fn by_clauses(question: &str) -> Vec<String> {
    let words = words_of(question);
    let Some(first) = words.first() else { return Vec::new() };
    let requests = REQUESTS.contains(&first.low.as_str());
    if !(is_question_word(&first.low) || is_auxiliary(&first.low) || is_preposition(&first.low) || requests) {
        return vec![question.to_owned()];
    }
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, word) in words.iter().enumerate().skip(1) {
        let Some(end) = clause_ends(&words, at, question) else { continue };
        let clause = question.within(from..end);
        // In "the man who sings and who dances", both clauses describe the man.
        let relative =
            words.iter().skip(1).filter(|other| other.at.start > from && other.at.start < end).any(|other| {
                other.low == word.low && is_question_word(&word.low) && !begins_clause(&words, other)
            });
        let rest = question.within(word.at.start..);
        if relative || content_words(clause).is_empty() || content_words(rest).is_empty() {
            continue;
        }
        parts.push(clause);
        from = word.at.start;
    }
    parts.extend(question.get(from..));
    if parts.len() < 2 {
        return vec![question.to_owned()];
    }
    let mark = if requests { "" } else { "?" };
    parts.iter().map(|part| capitalised(without_mark(part.trim())) + mark).collect()
}

/// Returns where the clause before the word at `at` ends, before its "and" or comma, if a new clause begins there.
fn clause_ends(words: &[Word<'_>], at: usize, question: &str) -> Option<usize> {
    let word = words.get(at)?;
    let before = words.get(at.checked_sub(1)?)?;
    let joins = matches!(before.low.as_str(), "and" | "also" | "but");
    if !joins || at < 2 {
        return None;
    }
    // "And by when", "and in which": the preposition belongs to the question word.
    let next = words.get(at + 1);
    let led = is_preposition(&word.low) && next.is_some_and(|next| is_question_word(&next.low));
    // An auxiliary begins a question only before its subject: "and does it …", not "and will be".
    let inverted = is_auxiliary(&word.low)
        && words.first().is_some_and(|first| is_auxiliary(&first.low) || is_question_word(&first.low))
        && next.is_some_and(|next| begins_subject(&next.low));
    if !(is_question_word(&word.low) || led || inverted) {
        return None;
    }
    let also = at >= 3 && before.low == "also" && words.get(at - 2).is_some_and(|word| word.low == "and");
    let joint = if also { words.get(at - 2)? } else { before };
    let left = question.get(..joint.at.start)?;
    Some(left.trim_end_matches([' ', ',', ';']).len())
}

fn begins_clause(words: &[Word<'_>], word: &Word<'_>) -> bool {
    let before = words.iter().rfind(|other| other.at.end <= word.at.start);
    before.is_none_or(|before| matches!(before.low.as_str(), "and" | "also" | "but"))
}

/// Maximum number of words of a list item.
const MAX_ITEM: usize = 4;

/// Splits "What is the price of A, B and C?", but not "What do A, B and C cost?".
fn by_list(question: &str) -> Vec<String> {
    let whole = || vec![question.to_owned()];
    let asked = without_mark(question);
    let words = words_of(asked);
    let asks = words.first().is_some_and(|first| {
        is_question_word(&first.low) || is_auxiliary(&first.low) || REQUESTS.contains(&first.low.as_str())
    });
    let joints = words.iter().filter(|word| matches!(word.low.as_str(), "and" | "or")).collect::<Vec<_>>();
    let ([joint], true) = (joints.as_slice(), asks) else { return whole() };
    let (Some(left), Some(last)) = (asked.get(..joint.at.start), asked.get(joint.at.end..)) else {
        return whole();
    };
    let mut items: Vec<&str> = left.split(',').map(str::trim).filter(|item| !item.is_empty()).collect();
    items.push(last.trim());
    let Some((head, others)) = items.split_first() else { return whole() };
    // The first item begins after the last preposition, including its article.
    let first = words_of(head);
    // "Between" several things is one question.
    let last = first.iter().rposition(|word| is_preposition(&word.low));
    let Some(at) = last.filter(|at| first.get(*at).is_some_and(|word| word.low != "between")) else {
        return whole();
    };
    let Some(begins) = first.get(at + 1).map(|word| word.at.start) else { return whole() };
    let (Some(stem), Some(item)) = (head.get(..begins), head.get(begins..)) else { return whole() };
    let size = |item: &str| words_of(item).len();
    // Items of different length may share a word: "red, green and blue paint".
    let alike = others.iter().all(|other| size(other) == size(item)) && (1..=MAX_ITEM).contains(&size(item));
    if others.len() < 2 || !alike {
        return whole();
    }
    let mark = if question.trim_end().ends_with('?') { "?" } else { "" };
    std::iter::once(&item).chain(others).map(|item| format!("{stem}{item}{mark}")).collect()
}
