//! Splits questions into words and classifies them.

use std::collections::BTreeSet;
use std::ops::Range;
use vademecum_text::terms::{terms, words};
use vademecum_util::within::Within;

/// A word as written and in lowercase, with its position.
#[derive(Debug, Clone)]
pub(in super::super) struct Word<'a> {
    pub(in super::super) text: &'a str,
    pub(in super::super) low: String,
    pub(in super::super) at: Range<usize>,
}

/// Returns the words of a text, in order.
pub(in super::super) fn words_of(text: &str) -> Vec<Word<'_>> {
    words(text)
        .map(|(start, word)| Word {
            text: word,
            low: word.to_lowercase().replace('’', "'"),
            at: start..start + word.len(),
        })
        .collect()
}

/// Returns the words of a text without stop words, each once, in order.
pub(in super::super) fn content_words(text: &str) -> Vec<&str> {
    content_places(text).into_iter().map(|place| text.within(place)).collect()
}

/// Returns where the words of a text are that are no stop words, each once, in order.
pub(in super::super) fn content_places(text: &str) -> Vec<Range<usize>> {
    let mut seen = BTreeSet::new();
    let mut last = 0..0;
    let mut found = Vec::new();
    for term in terms(text) {
        // The parts of an identifier have the same position.
        let fresh = seen.insert(term.text) && term.at != last;
        last = term.at.clone();
        if fresh {
            found.push(term.at);
        }
    }
    found
}

/// Returns the stems of a text.
pub(in super::super) fn stems(text: &str) -> BTreeSet<String> {
    terms(text).into_iter().map(|term| term.text).collect()
}

/// Returns the names in a text: runs of capitalised words. The first word of a text is always capitalised, so it counts only in a
/// longer run, or with a second capital or a digit.
pub(in super::super) fn names(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut first_stands_alone = None;
    for (at, word) in words_of(text).into_iter().enumerate() {
        let capital =
            word.text.starts_with(char::is_uppercase) && word.low != "i" && !is_function_word(word.text);
        if !capital {
            continue;
        }
        match found.last_mut() {
            Some(last) if text.get(last.end..word.at.start).is_some_and(|between| between == " ") => {
                last.end = word.at.end;
                first_stands_alone = None;
            }
            _ => {
                let marked =
                    word.text.chars().skip(1).any(|letter| letter.is_uppercase() || letter.is_numeric());
                if at == 0 && !marked {
                    first_stands_alone = Some(());
                }
                found.push(word.at);
            }
        }
        if first_stands_alone.is_some() && found.len() > 1 {
            found.remove(0);
            first_stands_alone = None;
        }
    }
    if first_stands_alone.is_some() { Vec::new() } else { found }
}

fn is_function_word(word: &str) -> bool {
    terms(word).is_empty()
}

const QUESTION_WORDS: [&str; 14] = [
    "what", "what's", "who", "who's", "whom", "whose", "when", "when's", "where", "where's", "why", "how",
    "how's", "which",
];

const AUXILIARIES: [&str; 26] = [
    "is", "are", "was", "were", "do", "does", "did", "can", "could", "will", "would", "should", "may",
    "might", "must", "has", "have", "had", "shall", "isn't", "aren't", "doesn't", "don't", "didn't", "can't",
    "won't",
];

const PREPOSITIONS: [&str; 17] = [
    "for", "in", "with", "on", "at", "from", "to", "of", "by", "under", "during", "about", "within",
    "without", "against", "between", "into",
];

/// Returns whether a lowercase word is a question word.
pub(in super::super) fn is_question_word(low: &str) -> bool {
    QUESTION_WORDS.contains(&low)
}

/// Returns whether a lowercase word is an auxiliary, with which a question may begin.
pub(in super::super) fn is_auxiliary(low: &str) -> bool {
    AUXILIARIES.contains(&low)
}

/// Returns whether a word behind an auxiliary is probably the subject of a question, or begins it.
pub(in super::super) fn begins_subject(low: &str) -> bool {
    const WORDS: &str = "it they he she we i you the a an there my our";
    WORDS.split(' ').any(|word| word == low)
}

/// Returns whether a lowercase word is a preposition.
pub(in super::super) fn is_preposition(low: &str) -> bool {
    PREPOSITIONS.contains(&low)
}

/// Returns the text after `phrase` at the beginning, ignoring case, if a word ends there.
pub(in super::super) fn after<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let begins = text.get(..phrase.len())?.eq_ignore_ascii_case(phrase);
    let rest = text.get(phrase.len()..)?;
    (begins && !rest.starts_with(|letter: char| letter.is_alphanumeric() || "'’-_".contains(letter)))
        .then_some(rest)
}

/// Returns the text before `phrase` at the end.
pub(in super::super) fn before<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let start = text.len().checked_sub(phrase.len())?;
    let ends = text.get(start..)?.eq_ignore_ascii_case(phrase);
    let rest = text.get(..start)?;
    (ends && !rest.ends_with(|letter: char| letter.is_alphanumeric() || "'’-_".contains(letter)))
        .then_some(rest)
}

/// Removes final punctuation.
pub(in super::super) fn without_mark(text: &str) -> &str {
    text.trim_end_matches(|letter: char| letter.is_whitespace() || "?.!,;:".contains(letter))
}

/// Capitalises the first letter.
pub(in super::super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        // A word like iPhone has its capital elsewhere.
        Some(first) if !letters.as_str().starts_with(char::is_uppercase) => {
            first.to_uppercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}
