//! Taking a question apart at the places where it plainly asks several things.

use super::compare;
use super::follow_up::follow;
use super::words::{
    Word, capitalised, content_words, is_auxiliary, is_preposition, is_question_word, without_mark, words_of,
};
use crate::context::Turn;
use vademecum_text::sentence::sentences;
use vademecum_util::within::Within;

/// The questions that `question` asks, at most `most`, each standing by itself; one where it is to stay whole.
pub(in super::super) fn split(question: &str, most: usize) -> Vec<String> {
    let whole = || vec![question.trim().to_owned()];
    let asked = by_sentences(question);
    let parts: Vec<String> = if asked.len() > 1 {
        asked.iter().flat_map(|one| by_clauses(one)).collect()
    } else {
        [compare::sides, by_clauses, by_list]
            .into_iter()
            .map(|rule| rule(question.trim()))
            .find(|parts| parts.len() > 1)
            .unwrap_or_default()
    };
    if parts.len() < 2 || most < 2 {
        return whole();
    }
    let mut standing: Vec<String> = Vec::new();
    for part in parts {
        // "Who wrote it?" after a question that says what.
        let before = standing.last().map(|one| Turn { question: one.clone(), ..Turn::default() });
        standing.push(before.and_then(|before| follow(&part, &before)).unwrap_or(part));
    }
    // No part may be lost: what is too many stays together.
    let rest = standing.split_off(standing.len().min(most - 1));
    if !rest.is_empty() {
        standing.push(rest.join(" "));
    }
    standing
}

/// Sentences that ask, each with those before it that only tell something.
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

/// Words that a request may begin with in the place of a question word.
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

/// "What is … and how does …?": clauses that each begin as a question does.
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
        // Of "the man who sings and who dances", both are about the man.
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

/// Where the clause before the word at `at` ends, if a new one begins there: before its "and" or its comma.
fn clause_ends(words: &[Word<'_>], at: usize, question: &str) -> Option<usize> {
    let word = words.get(at)?;
    let before = words.get(at.checked_sub(1)?)?;
    let joins = matches!(before.low.as_str(), "and" | "also" | "but");
    if !joins || at < 2 {
        return None;
    }
    // "and by when", "and in which": the preposition belongs to the question word.
    let next = words.get(at + 1);
    let led = is_preposition(&word.low) && next.is_some_and(|next| is_question_word(&next.low));
    // An auxiliary begins a question only before its subject: "and does it …", not "and will be".
    let inverted = is_auxiliary(&word.low)
        && words.first().is_some_and(|first| is_auxiliary(&first.low) || is_question_word(&first.low))
        && next.is_some_and(|next| {
            matches!(
                next.low.as_str(),
                "it" | "they"
                    | "he"
                    | "she"
                    | "we"
                    | "i"
                    | "you"
                    | "the"
                    | "a"
                    | "an"
                    | "there"
                    | "my"
                    | "our"
            )
        });
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

/// Words an item of a list may have.
const ITEM: usize = 4;

/// "What do A, B and C cost?" stays whole; "What is the price of A, B and C?" asks three things.
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
    // The first item begins behind the last preposition, and its article.
    let first = words_of(head);
    // What is between several things is one thing.
    let last = first.iter().rposition(|word| is_preposition(&word.low));
    let Some(at) = last.filter(|at| first.get(*at).is_some_and(|word| word.low != "between")) else {
        return whole();
    };
    let Some(begins) = first.get(at + 1).map(|word| word.at.start) else { return whole() };
    let (Some(stem), Some(item)) = (head.get(..begins), head.get(begins..)) else { return whole() };
    let size = |item: &str| words_of(item).len();
    // Items of unlike length may share a word: "red, green and blue paint".
    let alike = others.iter().all(|other| size(other) == size(item)) && (1..=ITEM).contains(&size(item));
    if others.len() < 2 || !alike {
        return whole();
    }
    let mark = if question.trim_end().ends_with('?') { "?" } else { "" };
    std::iter::once(&item).chain(others).map(|item| format!("{stem}{item}{mark}")).collect()
}
