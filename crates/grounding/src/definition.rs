//! Recognises questions for what something is, and sentences that say so.

use super::claim::claimed_terms;
use std::collections::BTreeSet;
use vademecum_text::terms::{Language, words};

/// Beginnings of questions for what something is. Longer ones first.
const DEFINITIONS: [&[&str]; 15] = [
    &["what", "is", "meant", "by"],
    &["what", "is", "the", "definition", "of"],
    &["what", "is", "the", "meaning", "of"],
    &["what", "is"],
    &["what's"],
    &["what", "are"],
    &["what", "does"],
    &["what", "do"],
    &["was", "ist"],
    &["was", "sind"],
    &["was", "bedeutet"],
    &["qu'est", "ce", "que"],
    &["qu'est", "ce", "qu"],
    &["qué", "es"],
    &["qué", "son"],
];

/// Verbs at the end of questions that begin with "what does".
const VERBS: [&str; 4] = ["do", "mean", "stand", "for"];

/// Words before a noun.
pub(super) const ARTICLES: [&str; 20] = [
    "a", "an", "the", "der", "die", "das", "ein", "eine", "le", "la", "les", "l", "un", "une", "el", "los",
    "las", "una", "this", "each",
];

/// Maximum number of words of a term to define; a longer phrase asks for an attribute.
const MAX_DEFINED: usize = 3;

/// Words with which a sentence says what its subject is.
const COPULAS: [&str; 20] = [
    "is",
    "are",
    "was",
    "were",
    "means",
    "mean",
    "refers",
    "describes",
    "denotes",
    "stands",
    "steht",
    "lets",
    "allows",
    "ist",
    "sind",
    "bedeutet",
    "bezeichnet",
    "est",
    "sont",
    "es",
];

/// Words directly before the name that a sentence gives to something: "This is called borrowing."
const CALLED: [&str; 6] = ["called", "termed", "named", "genannt", "heißt", "as"];

/// The same, anywhere before the name: "We call the action of creating a reference borrowing."
const CALL: [&str; 4] = ["call", "calls", "nennt", "nennen"];

/// Subjects of these verbs, which otherwise say that somebody is telephoned or summoned.
const CALLERS: [&str; 6] = ["we", "one", "people", "man", "wir", "which"];

/// Returns the words that a question asks the meaning of, in lower case.
pub(super) fn defined(question: &[String]) -> Option<&[String]> {
    let opens = |opening: &&&[&str]| {
        question.len() > opening.len()
            && question.iter().zip(opening.iter()).all(|(word, opening)| word == opening)
    };
    let mut rest = question.get(DEFINITIONS.iter().find(opens)?.len()..)?;
    while let Some((_, before)) = rest.split_last().filter(|(last, _)| VERBS.contains(&last.as_str())) {
        rest = before;
    }
    while let Some((_, after)) = rest.split_first().filter(|(first, _)| ARTICLES.contains(&first.as_str())) {
        rest = after;
    }
    let is_noun = |word: &String| !Language::English.stop_words().contains(&word.as_str());
    ((1..=MAX_DEFINED).contains(&rest.len()) && rest.iter().all(is_noun)).then_some(rest)
}

/// Returns whether a sentence says what these terms are.
pub(super) fn defines(sentence: &str, asked: &BTreeSet<String>) -> bool {
    // A question that is quoted with its answer defines nothing.
    let sentence = sentence.trim_end().rsplit(['?', '？']).next().unwrap_or_default().trim_start();
    !sentence.is_empty()
        && (has_subject(sentence, asked) || names_last(sentence, asked) || names_inside(sentence, asked))
}

/// Returns whether a sentence calls something by these terms: "This is known as a cold snap, and …".
fn names_inside(sentence: &str, asked: &BTreeSet<String>) -> bool {
    let said: Vec<String> = words(sentence).map(|(_, word)| word.to_lowercase()).collect();
    let wanted: BTreeSet<&String> = asked.iter().filter(|term| !Language::has_any_stop_word(term)).collect();
    let calls = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| said.get(before));
        let is_known = before.is_some_and(|word| word == "known");
        said.get(at).is_some_and(|word| CALLED.contains(&word.as_str()) && (word != "as" || is_known))
    };
    let names = |at: usize| {
        let after = said.iter().skip(at + 1).skip_while(|word| ARTICLES.contains(&word.as_str()));
        let named: BTreeSet<String> = after.take(wanted.len()).flat_map(|word| claimed_terms(word)).collect();
        wanted.iter().all(|term| named.contains(*term))
    };
    !wanted.is_empty() && (0..said.len()).any(|at| calls(at) && names(at))
}

/// Returns whether a sentence ends with these terms as the name of what it describes.
fn names_last(sentence: &str, asked: &BTreeSet<String>) -> bool {
    let said: Vec<String> = words(sentence).map(|(_, word)| word.to_lowercase()).collect();
    let mut wanted: BTreeSet<&String> =
        asked.iter().filter(|term| !Language::has_any_stop_word(term)).collect();
    if wanted.is_empty() {
        return false;
    }
    let mut before = said.as_slice();
    while let Some((last, rest)) = before.split_last().filter(|_| !wanted.is_empty()) {
        let terms = claimed_terms(last);
        if !terms.iter().any(|term| wanted.remove(term)) {
            return false;
        }
        before = rest;
    }
    while let Some((_, rest)) = before.split_last().filter(|(last, _)| ARTICLES.contains(&last.as_str())) {
        before = rest;
    }
    let is = |word: Option<&String>, all: &[&str]| word.is_some_and(|word| all.contains(&word.as_str()));
    let called = is(before.last(), &CALLED)
        && (!is(before.last(), &["as"]) || before.iter().any(|word| word == "known"));
    let calls = before.windows(2).any(|pair| is(pair.first(), &CALLERS) && is(pair.last(), &CALL));
    wanted.is_empty() && (called || calls)
}

/// Returns whether a sentence has these terms as its subject, and says what that is.
fn has_subject(sentence: &str, asked: &BTreeSet<String>) -> bool {
    let (mut subject, mut has_copula) = (BTreeSet::new(), false);
    for (start, word) in
        words(sentence).skip_while(|(_, word)| ARTICLES.contains(&word.to_lowercase().as_str()))
    {
        has_copula = COPULAS.contains(&word.to_lowercase().as_str());
        if has_copula {
            break;
        }
        let terms = claimed_terms(word);
        subject.extend(terms.iter().cloned());
        // A noun may be added, as in "the panic! macro", and no preposition.
        if terms.is_empty() || subject.len() > asked.len() + 1 {
            return false;
        }
        // "**Weir**: a low wall", and "Weir – a low wall".
        let behind =
            sentence.get(start + word.len()..).unwrap_or_default().trim_start_matches(['*', '_', '`']);
        has_copula = behind.starts_with(": ") || behind.starts_with(" – ") || behind.starts_with(" — ");
        if has_copula {
            break;
        }
    }
    let mut asked = asked.iter().filter(|term| !Language::has_any_stop_word(term)).peekable();
    has_copula && asked.peek().is_some() && asked.all(|term| subject.contains(term))
}
