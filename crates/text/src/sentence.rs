//! Sentence segmentation by Unicode Standard Annex #29, respecting line structure.

use super::block::{lines, trim};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;
use vademecum_util::within::Within;

/// Returns the trimmed byte ranges of the sentences of `text`, in order.
///
/// A single line break is a space, so hard-wrapped prose is joined. A blank line ends a sentence, and so does
/// the beginning of a list item, heading, quotation or table row.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for run in runs(text) {
        let mut first = true;
        // Line breaks become spaces of the same length, which keeps offsets valid.
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

/// Splits `text` after long sequences without a letter. At a full stop, Annex #29 looks ahead for the next
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

/// Groups lines that a sentence may span.
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

/// Abbreviations before a capital, after which Annex #29 would end a sentence.
const ABBREVIATIONS: [&str; 14] = [
    "Mr.", "Mrs.", "Ms.", "Dr.", "Prof.", "St.", "vs.", "e.g.", "i.e.", "cf.", "No.", "Fig.", "approx.",
    "Inc.",
];

/// Returns whether `next` continues the previous sentence: after an abbreviation, or after a mark that is
/// part of a name, as in "the panic! macro".
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
    fn hard_wrapped_prose_is_joined_and_a_list_is_not() {
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
