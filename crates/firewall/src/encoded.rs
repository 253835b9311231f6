//! Detects encoded instructions: decodes base64, hex, escapes, ROT13, leetspeak, reversed and spaced text, and looks for
//! instructions in the result.

use super::address::unescaped;
use super::instructions::instructions;
use super::part;
use super::phrase_tokens::{Word, phrases, words};
use super::phrases::ENGLISH;
use super::suspicion::{Found, SuspicionKind};
use std::ops::Range;

/// Maximum number of nested encodings.
const MAX_DEPTH: usize = 3;
/// Minimum length in bytes of a run that is decoded.
const MIN_RUN: usize = 20;
/// Minimum number of single letters in a row that count as spaced-out words.
const MIN_SPACED: usize = 10;

/// Returns the places of encoded instructions.
pub(super) fn encoded(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut report = |at: Range<usize>| found.push(Found { kind: SuspicionKind::Encoded, score: 0.9, at });
    for (at, run) in runs(text) {
        if decodes_to_instructions(run) {
            report(at..at + run.len());
        }
    }
    // Percent-encoding, entities and escapes are mixed with ordinary letters, so the whole line is decoded.
    let mut from = 0;
    for line in text.split_inclusive('\n') {
        let count = |sign: &str| line.matches(sign).take(6).count();
        if count("%") + count("&#") + count("\\u") + count("\\x") >= 6 {
            let decoded = escapes(&unescaped(line));
            if decoded != line && has_instructions(&decoded) && !has_instructions(line) {
                report(from..from + line.trim_end().len());
            }
        }
        from += line.len();
    }
    let plain = words(text, |letter| letter);
    for one in phrases(&mapped(&plain, rot13), &ENGLISH) {
        report(one.at);
    }
    let reversed: Vec<Word> = plain
        .iter()
        .rev()
        .map(|word| Word { text: word.text.chars().rev().collect(), at: word.at.clone() })
        .collect();
    for one in phrases(&reversed, &ENGLISH) {
        report(one.at);
    }
    for one in phrases(&words(text, leet), &ENGLISH) {
        let written = part(text, one.at.clone());
        if written.contains(|sign: char| sign.is_ascii_digit() || "@$!|".contains(sign))
            && !has_instructions(written)
        {
            report(one.at);
        }
    }
    spaced(&plain).into_iter().for_each(&mut report);
    found
}

/// Iterates over runs of base64 or hex characters of at least [`MIN_RUN`] bytes, with their positions.
fn runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "+/=-_".contains(letter);
    let mut from = 0;
    text.split_inclusive(move |letter| !is_part(letter)).filter_map(move |piece| {
        let at = from;
        from += piece.len();
        let run = piece.trim_end_matches(|letter| !is_part(letter));
        (run.len() >= MIN_RUN).then_some((at, run))
    })
}

/// Returns whether a run contains an instruction once decoded.
fn decodes_to_instructions(run: &str) -> bool {
    let mut current = run.to_owned();
    for _ in 0..MAX_DEPTH {
        let bare = current.trim().to_owned();
        let Some(decoded) = hex(&bare).or_else(|| base64(&bare)) else { return false };
        if has_instructions(&decoded) {
            return true;
        }
        current = decoded;
    }
    false
}

fn has_instructions(text: &str) -> bool {
    !instructions(text).is_empty()
}

fn readable(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes)
        .ok()
        .filter(|text| !text.contains(|letter: char| letter.is_control() && !letter.is_whitespace()))
}

fn base64(run: &str) -> Option<String> {
    let (mut bits, mut count) = (0u32, 0);
    let mut bytes = Vec::with_capacity(run.len());
    for letter in run.trim_end_matches('=').bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xFFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xFF) as u8);
        }
    }
    readable(bytes)
}

fn hex(run: &str) -> Option<String> {
    let digits: Vec<u8> =
        run.chars().map(|letter| letter.to_digit(16).map(|digit| digit as u8)).collect::<Option<_>>()?;
    let bytes =
        digits.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect();
    readable(bytes)
}

/// Resolves `\u0069` and `\x69`.
fn escapes(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        let (before, from) = rest.split_at(at);
        plain.push_str(before);
        let length = if from.starts_with("\\u") { 6 } else { 4 };
        let escape =
            from.split_at_checked(length).filter(|_| from.starts_with("\\u") || from.starts_with("\\x"));
        let letter = escape.and_then(|(escape, after)| {
            let digits = u32::from_str_radix(escape.get(2..)?, 16).ok()?;
            Some((char::from_u32(digits)?, after))
        });
        match letter {
            Some((letter, after)) => {
                plain.push(letter);
                rest = after;
            }
            None => {
                plain.push('\\');
                rest = from.split_at(1).1;
            }
        }
    }
    plain + rest
}

fn mapped(words: &[Word], letter: fn(char) -> char) -> Vec<Word> {
    words
        .iter()
        .map(|word| Word { text: word.text.chars().map(letter).collect(), at: word.at.clone() })
        .collect()
}

fn rot13(letter: char) -> char {
    match letter {
        'a'..='m' => char::from(letter as u8 + 13),
        'n'..='z' => char::from(letter as u8 - 13),
        _ => letter,
    }
}

/// Maps a leetspeak character to its letter.
fn leet(letter: char) -> char {
    match letter {
        '0' => 'o',
        '1' | '!' | '|' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        _ => letter,
    }
}

/// Returns the places of instructions spelled with a space between all letters.
fn spaced(words: &[Word]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut run: Vec<&Word> = Vec::new();
    let end = Word { text: "end".into(), at: 0..0 };
    for word in words.iter().chain([&end]) {
        if word.text.chars().count() == 1 {
            run.push(word);
            continue;
        }
        if run.len() >= MIN_SPACED {
            let said: String = run.iter().map(|word| word.text.as_str()).collect();
            let of_rules = ["instruction", "systemprompt", "theuser", "thetool", "everything"]
                .iter()
                .any(|one| said.contains(one));
            let of_calls =
                ["ignore", "disregard", "forget", "reveal", "print", "override", "donottell", "call"]
                    .iter()
                    .any(|one| said.contains(one));
            if let (true, Some(first), Some(last)) = (of_rules && of_calls, run.first(), run.last()) {
                found.push(first.at.start..last.at.end);
            }
        }
        run.clear();
    }
    found
}
