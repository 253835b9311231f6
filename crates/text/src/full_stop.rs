//! Decides whether a full stop ends a sentence. Annex #29 ends one before every capital; abbreviations, initials
//! and ordinal numbers are followed by capitals too, in German by almost every noun.

use super::terms::Language;
use std::cell::OnceCell;
use vademecum_util::within::Within;

/// Abbreviations that do not end a sentence, whatever follows.
const WITHIN: &str = "Abb Abs Aufl Bd Dr Fig Hrsg Kap Mio Mr Mrd Mrs Ms Nr Prof Tsd \
                      approx bzw ca cf d.h e.g evtl geb ggf i.e inkl jur max med nat phil rer sog vgl vs z.B zzgl";
/// Abbreviations that may end a sentence; they do before a word that often begins one.
const SOMETIMES: &str = "Art Capt Co Col Corp Gen Gov Inc Rep Rev Sen";
/// Bytes of the longest abbreviation, or of its last word.
const LONGEST: usize = 6;
/// German words that precede an ordinal number: articles, prepositions, conjunctions.
const BEFORE_ORDINAL: &str =
    "ab am beim bis das dem den der des die im ins nach oder seit und vom vor zum zur";
/// Stems of the German words that are inflected like articles.
const DETERMINERS: [&str; 9] = ["dein", "dies", "ein", "ihr", "jed", "jen", "kein", "mein", "sein"];
/// Maximum number of bytes before a full stop that are examined.
const EXAMINED: usize = 64;
/// Maximum number of digits of an ordinal number; longer ones are years and amounts.
const ORDINAL_DIGITS: usize = 3;

/// The full stops of a text.
pub(super) struct FullStops<'a> {
    text: &'a str,
    /// Detected when it is first needed.
    language: OnceCell<Language>,
}

impl<'a> FullStops<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, language: OnceCell::new() }
    }

    /// Returns whether the sentence goes on after a full stop, between the texts `before` and `next`.
    pub(super) fn is_within_sentence(&self, before: &str, next: &str) -> bool {
        let start = before.floor_char_boundary(before.len().saturating_sub(EXAMINED));
        let before = before.within(start..);
        let (rest, word) = split_last(before);
        let previous = split_last(rest.trim_end()).1;
        if word.is_empty() {
            return false;
        }
        let spaced = [previous, word].concat(); // "z. B."
        let is_short = word.len() <= LONGEST;
        let listed = |list: &str| is_short && list.split(' ').any(|one| one == word || one == spaced);
        let is_item_number = start == 0 && rest.is_empty() && is_number(word);
        // "No. 5", "Valves ..... $ 27"
        let is_before_number = is_short_name(word) && next.starts_with(|first: char| first.is_ascii_digit())
            || word.ends_with("...") && begins_with_amount(next);
        if is_item_number || is_before_number || listed(WITHIN) {
            return true;
        }
        let counted = previous.ends_with(|letter: char| letter.is_ascii_digit());
        let may_continue = listed(SOMETIMES)
            || word.split('.').all(is_letter)
            || (is_without_vowel(word) && !counted)
            // Detecting the language takes longest, and a number before a full stop is rare.
            || (is_ordinal(rest, previous, word) && self.language() == Language::German);
        may_continue && !self.begins_sentence(next)
    }

    /// Returns whether the first word of `next` is one of those that are most frequent at the beginning of a sentence:
    /// articles, pronouns, prepositions.
    fn begins_sentence(&self, next: &str) -> bool {
        let word = next.trim_start_matches(|letter: char| !letter.is_alphanumeric());
        let end = word.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(word.len());
        let word = word.within(..end).to_lowercase();
        // Few words are little evidence of a language.
        [self.language(), Language::English].iter().any(|language| language.has_stop_word(&word))
    }

    fn language(&self) -> Language {
        *self.language.get_or_init(|| Language::detect(self.text))
    }
}

/// Returns whether a text begins with a number, perhaps behind the sign of a currency.
pub(super) fn begins_with_amount(text: &str) -> bool {
    text.trim_start_matches(['$', '€', '£', ' ']).starts_with(|first: char| first.is_ascii_digit())
}

/// Splits a text before its last word; dots belong to words.
fn split_last(text: &str) -> (&str, &str) {
    text.split_at(text.trim_end_matches(|letter: char| letter.is_alphanumeric() || letter == '.').len())
}

fn is_letter(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
}

/// Returns whether a word is abbreviated by its consonants, such as `Nr` or `bzw`.
fn is_without_vowel(word: &str) -> bool {
    let consonant = |letter: char| letter.is_ascii_lowercase() && !"aeiouy".contains(letter);
    let mut letters = word.chars();
    letters.next().is_some_and(|first| consonant(first.to_ascii_lowercase())) && letters.all(consonant)
}

/// Returns whether a word before a number may be an abbreviated noun.
fn is_short_name(word: &str) -> bool {
    word.len() <= 4 && word.starts_with(char::is_uppercase) && !is_number(word)
}

/// Returns whether a word is a number as ordinals are written: in Roman numerals, or with few digits.
fn is_number(word: &str) -> bool {
    let digits = word.len() <= ORDINAL_DIGITS && word.bytes().all(|byte| byte.is_ascii_digit());
    digits || word.chars().all(|letter| "IVXLCM".contains(letter))
}

/// Returns whether a word is a German ordinal number, judged by what precedes it.
fn is_ordinal(rest: &str, previous: &str, word: &str) -> bool {
    if !is_number(word) {
        return false;
    }
    let low = previous.to_lowercase();
    let determined = BEFORE_ORDINAL.split(' ').any(|one| one == low)
        || (Language::German.has_stop_word(&low) && DETERMINERS.iter().any(|stem| low.starts_with(stem)));
    // "am 3.–5. Oktober", "Montag, 3. Oktober", "am 3. 10. 1990"
    let attached = !rest.ends_with(char::is_alphanumeric) && !rest.ends_with(char::is_whitespace);
    let after_mark = rest.trim_end().ends_with([',', '(', '–', '-']);
    let chained = previous.strip_suffix('.').is_some_and(is_number);
    determined || attached || after_mark || chained
}
