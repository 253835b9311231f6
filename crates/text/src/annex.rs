//! Sentence boundaries by Unicode Standard Annex #29. In text of the usual Latin letters and marks, only `.`, `!` and `?` can
//! end a sentence, and characters are looked at around these alone. `unicode-segmentation`, which classifies every character by
//! a table, does the rest. The results are the same.

use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;
use vademecum_util::within::Within;

/// Returns the byte ranges of the sentences of a text without line breaks, in order and without gaps.
pub(super) fn sentences(text: &str) -> Vec<Range<usize>> {
    if text.is_ascii() || text.chars().all(is_usual) {
        return usual(text);
    }
    let parts = stretches(text).into_iter().flat_map(|(from, stretch)| {
        stretch.split_sentence_bound_indices().map(move |(at, part)| from + at..from + at + part.len())
    });
    parts.collect()
}

/// Returns whether [`usual`] knows a character: ASCII and the Latin letters of Europe, with typographic quotes, dashes and bullets.
const fn is_usual(letter: char) -> bool {
    matches!(letter, ' '..='~' | '\t' | '\u{a0}'..='\u{ac}' | '\u{ae}'..='\u{17f}' | '–' | '—' | '‘'..='‟' | '•' | '…' | '€' | '→')
}

fn usual(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut start, mut at) = (0, 0);
    let next = |at: usize| Some(at + text.get(at..)?.bytes().position(|byte| is_terminator(byte.into()))?);
    while let Some(stop) = next(at) {
        let closed = skip(text, stop + 1, is_closing);
        let end = skip(text, closed, is_space);
        at = stop + 1;
        if ends_sentence(text, stop, end) {
            found.push(start..end);
            (start, at) = (end, end);
        }
    }
    if start < text.len() {
        found.push(start..text.len());
    }
    found
}

/// Returns whether the terminator at `stop`, whose closing marks and spaces reach to `end`, ends a sentence: rules SB6 to SB11.
fn ends_sentence(text: &str, stop: usize, end: usize) -> bool {
    let rest = text.within(end..);
    let Some(next) = rest.chars().next() else { return true };
    if is_terminator(next) || matches!(next, ',' | '-' | ':' | ';' | '–' | '—') {
        return false; // SB8a
    }
    let before = text.within(..stop).chars().next_back();
    if !text.within(stop..).starts_with('.') {
        return true;
    }
    let is_attached = end == stop + 1;
    let is_number = is_attached && next.is_ascii_digit(); // SB6
    let is_initial = is_attached && next.is_uppercase() && before.is_some_and(char::is_alphabetic); // SB7
    let deciding = rest.chars().find(|letter| letter.is_alphabetic() || is_terminator(*letter));
    let is_continued = deciding.is_some_and(char::is_lowercase); // SB8
    !is_number && !is_initial && !is_continued
}

/// Returns the offset of the first character from `from` on that is none of those that `is_skipped` accepts.
fn skip(text: &str, from: usize, is_skipped: fn(char) -> bool) -> usize {
    text.len() - text.within(from..).trim_start_matches(is_skipped).len()
}

const fn is_terminator(letter: char) -> bool {
    matches!(letter, '.' | '!' | '?')
}

const fn is_closing(letter: char) -> bool {
    matches!(letter, '"' | '\'' | '(' | ')' | '[' | ']' | '{' | '}' | '«' | '»' | '‘'..='‟')
}

const fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\u{b}' | '\u{c}' | '\u{a0}')
}

/// Splits `text` after long sequences without a letter. At a full stop, the annex looks ahead for the next
/// letter: a full stop in every place of a million brackets would take quadratic time.
fn stretches(text: &str) -> Vec<(usize, &str)> {
    const MAX_WITHOUT_LETTER: usize = 256;
    let mut found = Vec::new();
    let (mut start, mut without) = (0, 0);
    for (at, letter) in text.char_indices() {
        without = if letter.is_alphabetic() { 0 } else { without + 1 };
        if without >= MAX_WITHOUT_LETTER && !letter.is_alphanumeric() {
            let end = at + letter.len_utf8();
            found.push((start, text.within(start..end)));
            (start, without) = (end, 0);
        }
    }
    found.push((start, text.within(start..)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 8))]

        #[test]
        fn sentences_of_usual_text_are_those_of_the_annex(
            text in r#"([aB1 .!?,;:"')(\t-]|[ -~]|\. |[\u{a0}-\u{ac}\u{ae}-\u{17f}]|[\u{2018}-\u{201f}–—•…€→]|[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]){0,40}"#
        ) {
            let ours: Vec<_> = usual(&text).into_iter().map(|at| &text[at]).collect();
            prop_assert_eq!(ours, text.split_sentence_bounds().collect::<Vec<_>>());
        }
    }
}
