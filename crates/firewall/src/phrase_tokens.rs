//! Tokenises text for phrase matching: lowercase words without accents, each with its position.

use super::invisible::is_invisible;
use super::part;
use super::suspicion::{Found, SuspicionKind};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use vademecum_text::normal_forms::{Form, normalised};

/// A word and its position in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) at: Range<usize>,
}

/// Maximum length in bytes of a word.
const MAX_WORD: usize = 60;
/// Maximum distance in bytes between the two pieces of a pair.
const MAX_DISTANCE: usize = 60;

/// Splits a text into words, mapping each character with `read`.
pub(super) fn words(text: &str, read: impl Fn(char) -> char) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut word = Word { text: String::new(), at: 0..0 };
    for (at, letter) in text.char_indices() {
        let read = read(letter);
        let end = at + letter.len_utf8();
        if read.is_alphanumeric() || read == '_' {
            if word.text.is_empty() {
                word.at.start = at;
            }
            word.at.end = end;
            if read.is_ascii() && word.text.len() < MAX_WORD {
                word.text.push(read.to_ascii_lowercase());
            } else if word.text.len() < MAX_WORD {
                let parts = normalised(read.encode_utf8(&mut [0; 4]), Form::Nfd);
                word.text
                    .extend(parts.chars().filter(|letter| !is_accent(*letter)).flat_map(char::to_lowercase));
            }
        } else if !is_invisible(letter) && !is_accent(letter) && !word.text.is_empty() {
            found.push(std::mem::replace(&mut word, Word { text: String::new(), at: 0..0 }));
        }
    }
    if !word.text.is_empty() {
        found.push(word);
    }
    found
}

fn is_accent(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36F}' | '\u{653}'..='\u{655}' | '\u{64B}'..='\u{652}')
}

/// A sequence of words, each given by alternative stems; a stem with a leading `=` matches only the whole word.
pub(super) struct Phrase {
    pub(super) slots: &'static [&'static [&'static str]],
    /// Maximum number of words between two slots.
    pub(super) gap: usize,
    /// Whether the reverse order matches too.
    pub(super) reversible: bool,
    pub(super) kind: SuspicionKind,
    pub(super) score: f32,
}

/// Phrases by their first letter, so that most words are skipped with one lookup.
pub(super) struct Phrasebook(HashMap<char, Vec<&'static Phrase>>);

impl Phrasebook {
    pub(super) fn of(phrases: &'static [Phrase]) -> Self {
        let mut by_first: HashMap<char, Vec<&'static Phrase>> = HashMap::new();
        for phrase in phrases {
            let last = phrase.slots.last().filter(|_| phrase.reversible);
            let stems = phrase.slots.first().into_iter().chain(last).flat_map(|slot| slot.iter());
            let firsts: HashSet<char> =
                stems.filter_map(|stem| stem.trim_start_matches('=').chars().next()).collect();
            firsts.into_iter().for_each(|first| by_first.entry(first).or_default().push(phrase));
        }
        Self(by_first)
    }
}

/// Returns the places where one of the phrases matches.
pub(super) fn phrases(words: &[Word], wanted: &Phrasebook) -> Vec<Found> {
    let mut found = Vec::new();
    for (from, word) in words.iter().enumerate() {
        let first = word.text.chars().next();
        for phrase in first.and_then(|first| wanted.0.get(&first)).into_iter().flatten() {
            let ends = match_from(words, from, phrase.slots.iter(), phrase.gap).or_else(|| {
                phrase
                    .reversible
                    .then(|| match_from(words, from, phrase.slots.iter().rev(), phrase.gap))
                    .flatten()
            });
            if let (Some(end), Some(first)) = (ends, words.get(from)) {
                let (one, other) =
                    (first.at.clone(), words.get(end).map_or(first.at.clone(), |word| word.at.clone()));
                let at = one.start.min(other.start)..one.end.max(other.end);
                found.push(Found { kind: phrase.kind, score: phrase.score, at });
            }
        }
    }
    found
}

/// Returns the index of the last word of a phrase that begins at `from`.
fn match_from<'a>(
    words: &[Word],
    from: usize,
    mut slots: impl Iterator<Item = &'a &'static [&'static str]>,
    gap: usize,
) -> Option<usize> {
    let is = |word: &Word, slot: &[&str]| {
        slot.iter().any(|stem| match stem.strip_prefix('=') {
            Some(whole) => word.text == whole,
            None => word.text.starts_with(stem),
        })
    };
    let first = slots.next()?;
    if !words.get(from).is_some_and(|word| is(word, first)) {
        return None;
    }
    let mut at = from;
    for slot in slots {
        let near = words.get(at + 1..)?.iter().take(gap + 1);
        at += 1 + near.into_iter().position(|word| is(word, slot))?;
    }
    Some(at)
}

/// Finds pairs of pieces near each other, for scripts without spaces.
pub(super) fn pieces(text: &str, pairs: &[(&[&str], &[&str])]) -> Vec<Found> {
    let mut found = Vec::new();
    if text.is_ascii() {
        return found;
    }
    for (firsts, seconds) in pairs {
        for (at, piece) in firsts.iter().flat_map(|first| text.match_indices(first)) {
            let from = text.floor_char_boundary(at.saturating_sub(MAX_DISTANCE));
            let to = text.ceil_char_boundary((at + piece.len() + MAX_DISTANCE).min(text.len()));
            let near = part(text, from..to);
            if let Some(other) = seconds.iter().find_map(|second| near.find(second)) {
                let start = at.min(from + other);
                let at = start..(at + piece.len()).max(start + piece.len());
                found.push(Found { kind: SuspicionKind::Instruction, score: 0.9, at });
            }
        }
    }
    found
}
