//! Detects text that addresses a model rather than a reader.
//!
//! Matches known patterns, each with a score for how rare it is in ordinary text. Detection is incomplete by nature: the
//! protection comes from how passages are shown (see [`crate::escape`]), not from here.

use super::encoded;
use super::instructions::instructions;
use super::invisible::{as_latin, is_alike};
use super::part;
use super::phrase_tokens::{Word, phrases, words};
use super::phrases::ENGLISH;
use super::rules;
use super::suspicion::{Found, Suspicion, SuspicionKind};
use std::ops::Range;
use vademecum_protocol::document::Span;
use vademecum_util::small_sort::sort_by;
use vademecum_util::within::Within;

/// Minimum number of words that mix scripts; one may be an accident.
const MIN_MIXED: usize = 2;

/// Returns the suspicious places of a text, in order. Linear in its length.
pub fn inspect(text: &str) -> Vec<Suspicion> {
    let mut found = all(text);
    sort_by(&mut found, |a, b| a.at.start.cmp(&b.at.start).then(b.score.total_cmp(&a.score)));
    let mut told: Vec<Found> = Vec::new();
    for one in found {
        let same =
            told.iter_mut().rev().take(4).find(|other| other.kind == one.kind && other.at.end > one.at.start);
        match same {
            Some(other) => {
                other.at.end = other.at.end.max(one.at.end);
                other.score = other.score.max(one.score);
            }
            None => told.push(one),
        }
    }
    in_units(text, told)
}

fn all(text: &str) -> Vec<Found> {
    let mut found = instructions(text);
    found.extend(rules::structures(text));
    let seen = words(text, as_latin);
    found.extend(disguised(text, &seen, &found));
    found.extend(encoded::encoded(text));
    found
}

/// Finds words in non-Latin look-alike characters.
fn disguised(text: &str, seen: &[Word], known: &[Found]) -> Vec<Found> {
    let is_known = |at: &Range<usize>| known.iter().any(|one| one.at.start < at.end && at.start < one.at.end);
    let homoglyphs = |score: f32, at: Range<usize>| Found { kind: SuspicionKind::Homoglyphs, score, at };
    if text.is_ascii() {
        return Vec::new();
    }
    let mut found: Vec<Found> = Vec::new();
    for one in phrases(seen, &ENGLISH) {
        if !text.get(one.at.clone()).is_some_and(str::is_ascii) && !is_known(&one.at) {
            found.push(homoglyphs(0.9, one.at));
        }
    }
    let mixed = |word: &&Word| {
        let written = part(text, word.at.clone());
        written.chars().count() >= 4
            && written.chars().any(|letter| letter.is_ascii_alphabetic())
            && written.chars().any(is_alike)
            && written
                .chars()
                .filter(|letter| letter.is_alphabetic())
                .all(|letter| letter.is_ascii() || is_alike(letter))
    };
    let all: Vec<&Word> = seen.iter().filter(mixed).collect();
    if let (Some(first), Some(last)) = (all.first(), all.get(MIN_MIXED - 1)) {
        found.push(homoglyphs(0.6, first.at.start..last.at.end));
    }
    found
}

/// Converts byte offsets into UTF-16 offsets, in one pass.
fn in_units(text: &str, found: Vec<Found>) -> Vec<Suspicion> {
    let mut places: Vec<usize> = found.iter().flat_map(|one| [one.at.start, one.at.end]).collect();
    places.sort_unstable();
    places.dedup();
    let (mut bytes, mut units) = (0, 0);
    let mut counted: Vec<(usize, usize)> = Vec::with_capacity(places.len());
    for place in places {
        let end = text.floor_char_boundary(place);
        units += text.within(bytes..end).encode_utf16().count();
        bytes = end;
        counted.push((place, units));
    }
    let unit = |place: usize| {
        let at = counted.binary_search_by_key(&place, |(place, _)| *place);
        at.ok().and_then(|at| counted.get(at)).map_or(0, |(_, units)| *units)
    };
    let told = |one: Found| Suspicion {
        kind: one.kind,
        score: one.score,
        span: Span { start: unit(one.at.start), end: unit(one.at.end) },
    };
    found.into_iter().map(told).collect()
}
