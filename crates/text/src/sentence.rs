//! Sentence boundaries, by Unicode Annex 29, with the line structure of a document respected.

use super::block::{lines, trim};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;
use vademecum_util::within::Within;

/// The byte ranges of the sentences of `text`, trimmed, in order.
///
/// A single line break is a space, so hard-wrapped prose stays whole; a blank line always ends a sentence, and so
/// does a line that begins a list item, a heading, a quotation or a row of a table.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for run in runs(text) {
        let mut first = true;
        // A line break becomes a space of the same length, so that offsets hold.
        let flat = text.within(run.clone()).replace(['\n', '\r'], " ");
        let parts = stretches(&flat).into_iter().flat_map(|(from, stretch)| {
            stretch.split_sentence_bound_indices().map(move |(at, sentence)| (from + at, sentence.len()))
        });
        for (at, length) in parts {
            let range = trim(text, run.start + at..run.start + at + length);
            match found.last_mut() {
                _ if range.is_empty() => continue,
                Some(last) if !first && continues(text, last, &range) => *last = last.start..range.end,
                _ => found.push(range),
            }
            first = false;
        }
    }
    found
}

/// `text` cut behind every so many characters without a letter. From a full stop Annex 29 looks ahead for the next
/// letter, again and again: a stop before a million brackets would take a million times a million steps.
fn stretches(text: &str) -> Vec<(usize, &str)> {
    const WITHOUT_LETTER: usize = 256;
    let mut found = Vec::new();
    let (mut start, mut without) = (0, 0);
    for (at, letter) in text.char_indices() {
        without = if letter.is_alphabetic() { 0 } else { without + 1 };
        if without >= WITHOUT_LETTER && !letter.is_alphanumeric() {
            let end = at + letter.len_utf8();
            found.push((start, text.within(start..end)));
            (start, without) = (end, 0);
        }
    }
    found.push((start, text.within(start..)));
    found
}

/// Stretches of lines that a sentence may run across.
fn runs(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut fresh = true;
    for (at, line) in lines(text) {
        let content = line.trim_start();
        let ends = at + line.len();
        let begins = content.starts_with(['#', '|', '>', '`'])
            || content.strip_prefix(['-', '*', '+']).is_some_and(|rest| rest.starts_with(' '));
        match runs.last_mut() {
            _ if content.is_empty() => fresh = true,
            Some(run) if !fresh && !begins => run.end = ends,
            _ => {
                runs.push(at..ends);
                fresh = content.starts_with('#');
            }
        }
    }
    runs
}

/// Annex 29 ends a sentence at every full stop before a capital; these abbreviations do not end one.
const ABBREVIATIONS: [&str; 14] = [
    "Mr.", "Mrs.", "Ms.", "Dr.", "Prof.", "St.", "vs.", "e.g.", "i.e.", "cf.", "No.", "Fig.", "approx.",
    "Inc.",
];

/// Whether `next` belongs to the sentence before it: after an abbreviation, or after a mark that is part of a name,
/// as in "the panic! macro".
fn continues(text: &str, last: &Range<usize>, next: &Range<usize>) -> bool {
    let sentence = text.get(last.clone()).unwrap_or_default();
    let goes_on_small = text.get(next.clone()).is_some_and(|next| next.starts_with(char::is_lowercase));
    let abbreviated = ABBREVIATIONS.iter().any(|abbreviation| {
        sentence.strip_suffix(abbreviation).is_some_and(|before| !before.ends_with(char::is_alphanumeric))
    });
    abbreviated || (goes_on_small && sentence.ends_with(['!', '?']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn a_sentence_ends_at_its_stop_and_a_paragraph_at_its_blank_line() {
        assert_eq!(split("One. Two?\n\nThree\n\nfour"), ["One.", "Two?", "Three", "four"]);
    }

    #[test]
    fn hard_wrapped_prose_stays_whole_and_a_list_does_not() {
        assert_eq!(split("One goes\non here. Two.\n- a\n- b"), ["One goes\non here.", "Two.", "- a", "- b"]);
    }

    #[test]
    fn an_abbreviation_does_not_end_a_sentence() {
        assert_eq!(split("Ask Dr. Watson. He knows."), ["Ask Dr. Watson.", "He knows."]);
        assert_eq!(
            split("The panic! macro ends it. Really? Yes!"),
            ["The panic! macro ends it.", "Really?", "Yes!"]
        );
    }

    #[test]
    fn scripts_without_spaces_are_split_too() {
        assert_eq!(split("犬が走る。猫が寝る。"), ["犬が走る。", "猫が寝る。"]);
    }
}
