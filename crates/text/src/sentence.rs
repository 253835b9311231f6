//! Sentence segmentation by Unicode Standard Annex #29, respecting line structure.

use super::annex;
use super::block::{lines, trim};
use super::full_stop::{FullStops, begins_with_amount};
use super::months::is_month;
use std::borrow::Cow;
use std::ops::Range;
use vademecum_util::within::Within;

/// Returns the trimmed byte ranges of the sentences of `text`, in order.
///
/// A single line break is a space, so hard-wrapped prose is joined. A blank line ends a sentence, and so does
/// the beginning of a list item, heading, quotation, table row or entry of a log, and the end of a line with dot leaders.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let full_stops = FullStops::of(text);
    for run in runs(text) {
        let mut first = true;
        // Line breaks become spaces of the same length, which keeps offsets valid.
        let lines = text.within(run.clone());
        let flat = match lines.bytes().any(|byte| matches!(byte, b'\n' | b'\r')) {
            true => Cow::Owned(lines.replace(['\n', '\r'], " ")),
            false => Cow::Borrowed(lines),
        };
        for part in annex::sentences(&flat) {
            let range = trim(text, run.start + part.start..run.start + part.end);
            match found.last_mut() {
                _ if range.is_empty() => continue,
                Some(last) if !first && continues(text, last, &range, &full_stops) => {
                    *last = last.start..range.end;
                }
                _ => found.push(range),
            }
            first = false;
        }
    }
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
            || begins_log_entry(content)
            || content.strip_prefix(['-', '*', '+']).is_some_and(|rest| rest.starts_with(' '));
        match runs.last_mut() {
            _ if content.is_empty() => fresh = true,
            Some(run) if !fresh && !begins => {
                run.end = ends;
                fresh = has_leaders(content);
            }
            _ => {
                runs.push(at..ends);
                fresh = content.starts_with('#') || has_leaders(content);
            }
        }
    }
    runs
}

/// Maximum number of bytes of the amount behind dot leaders.
const AMOUNT: usize = 12;

/// Returns whether a line ends with dot leaders and an amount or the number of a page: "Valves ........ 27.00". The next line is another entry.
fn has_leaders(line: &str) -> bool {
    let Some((_, amount)) = line.rsplit_once("....") else { return false };
    let amount = amount.trim_matches(['.', ' ']);
    amount.len() <= AMOUNT && begins_with_amount(amount)
}

/// Maximum number of words before the time of an entry of a log: a level, the name of a month, a day.
const BEFORE_TIME: usize = 4;

/// Returns whether a line begins as entries of logs do, with a day and a time or a time with seconds, perhaps behind a level: "2024-05-01 10:00",
/// "[2024-05-01T10:00", "10:00:07", "ERROR 2024-05-01 10:00:07", "May 01 10:00:07".
pub fn begins_log_entry(line: &str) -> bool {
    let is_time = |text: &str, least: usize| {
        let is_part = |part: &&str| part.bytes().take_while(u8::is_ascii_digit).count() == 2;
        text.split(':').take_while(is_part).count() >= least
    };
    let is_day = |text: &str| {
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        digits >= 6
            && text.matches(['-', '/', '.']).count() == 2
            && text.bytes().all(|one| one.is_ascii_digit() || b"-/.".contains(&one))
    };
    let mut has_day = false;
    for word in line.split_whitespace().take(BEFORE_TIME) {
        let bare = word.trim_matches(['[', ']', '|', ',']);
        if is_time(bare, if has_day { 2 } else { 3 }) {
            return true;
        }
        match bare.split_once('T') {
            Some((day, time)) if is_day(day) => return is_time(time, 2),
            _ => {}
        }
        let is_level = bare.len() > 2 && bare.bytes().all(|one| one.is_ascii_uppercase());
        let is_part =
            is_level || is_month(&bare.to_lowercase()) || bare.bytes().all(|one| one.is_ascii_digit());
        has_day |= is_day(bare);
        if !has_day && !is_part {
            return false;
        }
    }
    false
}

/// Returns whether `next` continues the previous sentence: after a full stop that does not end it, or after a
/// mark that is part of a name, as in "the panic! macro".
fn continues(text: &str, last: &Range<usize>, next: &Range<usize>, full_stops: &FullStops<'_>) -> bool {
    let (sentence, next) = (text.within(last.clone()), text.within(next.clone()));
    match sentence.strip_suffix('.') {
        Some(before) => full_stops.is_within_sentence(before, next),
        None => sentence.ends_with(['!', '?']) && next.starts_with(char::is_lowercase),
    }
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
    fn each_entry_of_a_log_is_a_sentence() {
        let log = [
            "2024-05-01 10:00:07 ERROR smtp: refused",
            "2024-05-01T10:00 WARN disk",
            "[2024-05-01 11:02] up",
            "10:00:07 down",
        ];
        assert_eq!(split(&log.join("\n")), log);
        for prose in [
            "It began on\n2024-05-01 and went on.",
            "It began at\n10:00 in town.",
            "It took\n3:2:1 as a mix.",
        ] {
            assert_eq!(split(prose).len(), 1, "{prose}");
        }
    }

    #[test]
    fn an_entry_with_dot_leaders_is_a_sentence_with_its_number() {
        for prices in [
            ["Puncture repair, rear, hub gear ....... 27.00", "New chain, fitted .......... 31.50"],
            ["Rear wheel......$ 27.00", "New chain ........ 31,50 €"],
            ["Preface ..... 7", "The sea ..... 19"],
        ] {
            assert_eq!(split(&prices.join("\n")), prices);
        }
        assert_eq!(
            split("It took ages.... and it ended in 1999\nwhen peace came."),
            ["It took ages.... and it ended in 1999\nwhen peace came."]
        );
    }

    #[test]
    fn a_mark_within_a_name_does_not_end_a_sentence() {
        assert_eq!(
            split("The panic! macro ends it. Really? Yes!"),
            ["The panic! macro ends it.", "Really?", "Yes!"]
        );
    }

    /// Asserts that the sentences, joined by spaces, are split where they were joined.
    fn are_sentences(sentences: &[&str]) {
        assert_eq!(split(&sentences.join(" ")), sentences);
    }

    #[test]
    fn an_abbreviation_does_not_end_a_sentence() {
        are_sentences(&["Ask Dr. Watson.", "He knows."]);
        are_sentences(&["Use a tool, e.g. Rust or (cf. Fig. 2) C.", "The rest follows."]);
        are_sentences(&["See No. 5 and Vol. 12.", "They differ."]);
        are_sentences(&["Das gilt z. B. Für alle.", "Es regnet."]);
        are_sentences(&["Das ist, d. h. Regen, ca. Hundert bzw. Mehr.", "Er ging."]);
        are_sentences(&["Vgl. Abb. 3 und Nr. 5.", "Der Rest folgt."]);
        are_sentences(&["Das kostet 5 Mio. Euro, sagt Prof. Dr. med. Maier.", "Sie irrt."]);
        are_sentences(&["Er trank Bier, Wein usw.", "Danach schlief er um 20.30 Uhr."]);
        are_sentences(&["Mt. Everest is high.", "St. Petersburg is north."]);
        are_sentences(&["He arrived at 5 p.m.", "The train left at 6 a.m. Monday."]);
    }

    #[test]
    fn an_initial_does_not_end_a_sentence() {
        are_sentences(&["It was written by J. R. R. Tolkien.", "He taught."]);
        are_sentences(&["George W. Bush served in the U.S. Army.", "The war ended."]);
        are_sentences(&["He left the U.S. in May.", "They met J. Smith."]);
    }

    #[test]
    fn a_german_ordinal_does_not_end_a_sentence() {
        are_sentences(&["Am 3. Oktober 1990 war die Feier.", "Es regnete."]);
        are_sentences(&["Das war im 19. Jahrhundert und nach dem 2. Weltkrieg.", "Dann kam der Friede."]);
        are_sentences(&["Ludwig XIV. war König von Frankreich.", "Danach kam Ludwig XV. an die Macht."]);
        are_sentences(&[
            "Sie feierte ihren 50. Geburtstag am Montag, 3. Mai, und vom 4.–6. Juni.",
            "Er kam nicht.",
        ]);
        are_sentences(&["Geboren am 3. 10. 1990 in Bonn.", "Der Vater war Arzt."]);
    }

    #[test]
    fn a_decimal_point_does_not_end_a_sentence() {
        are_sentences(&["Der Preis ist 1.000,50 Euro.", "Version 3.5 ist neu."]);
        are_sentences(&["It costs 3.5 Dollars.", "Pi is 3.14."]);
    }

    #[test]
    fn a_sentence_ends_after_a_number_a_unit_and_an_abbreviation() {
        are_sentences(&["Die Mauer fiel 1989.", "Berlin wurde Hauptstadt."]);
        are_sentences(&["Er wohnt in Zimmer 5.", "Danach zog er um."]);
        are_sentences(&["Das Paket wiegt 5 kg.", "Versand ist frei."]);
        are_sentences(&["It was over after World War II.", "The people were glad."]);
        are_sentences(&["Is it there?", "No.", "The box is empty."]);
        are_sentences(&["He lives in the U.S.", "The rest is known."]);
        are_sentences(&["They eat apples, pears, etc.", "Bread is rare."]);
        are_sentences(&["It was option C.", "The others failed."]);
        are_sentences(&["So war es vor 1990.", "Heute ist es anders."]);
    }

    #[test]
    fn the_number_of_an_item_belongs_to_it() {
        are_sentences(&["1. Open the lid.", "2. Close it."]);
    }

    #[test]
    fn scripts_without_spaces_are_split_too() {
        assert_eq!(split("犬が走る。猫が寝る。"), ["犬が走る。", "猫が寝る。"]);
    }
}
