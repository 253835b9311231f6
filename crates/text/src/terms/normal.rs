//! Normalises words for comparison.

use super::language::Language;
use crate::normal_forms::{Form, normalised};

/// Maximum length of a word, in characters. Longer strings are keys, hashes or attacks, and are truncated.
pub(super) const MAX_LENGTH: usize = 64;
/// Maximum length before normalisation: a decomposed character may be several code points.
const MAX_RAW_LENGTH: usize = 4 * MAX_LENGTH;

/// Returns a word in lower case and NFKC, without invisible characters, truncated to [`MAX_LENGTH`] characters.
/// Accents are kept, because stemmers need them.
pub(super) fn normal(word: &str, language: Language) -> String {
    if word.is_ascii() && language != Language::Turkish {
        return word.get(..MAX_LENGTH).unwrap_or(word).to_ascii_lowercase();
    }
    let composed = normalised(first(word, MAX_RAW_LENGTH), Form::Nfkc);
    let lower = match language {
        // In Turkish, I is the capital of the dotless ı.
        Language::Turkish => composed.replace('I', "ı").replace('İ', "i").to_lowercase(),
        _ => composed.to_lowercase(),
    };
    let shown = lower.chars().filter(|letter| !is_invisible(*letter));
    shown.map(one_form).take(MAX_LENGTH).collect()
}

/// Removes accents from a normalised word: `café` → `cafe`, `straße` → `strasse`.
pub(super) fn fold(word: String) -> String {
    if word.is_ascii() {
        return word;
    }
    let mut letters = String::with_capacity(word.len());
    let mut base = ' ';
    for letter in normalised(&word, Form::Nfd).chars() {
        if !is_accent(base, letter) {
            push_plain(letter, &mut letters);
            base = letter;
        }
    }
    let mut folded = normalised(&letters, Form::Nfc);
    let end = first(&folded, MAX_LENGTH).len();
    folded.truncate(end);
    folded
}

/// Normalises and folds a word without stemming, for exact comparison.
pub fn plain(word: &str) -> String {
    fold(normal(word, Language::Other))
}

/// Returns the first `count` characters of `text`.
pub(super) fn first(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// Soft hyphens, joiners, direction marks, variation selectors and the Arabic tatweel.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{640}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// Unifies letters and signs with two code points. The Romanian stemmer expects the older forms, with
/// cedillas.
const fn one_form(letter: char) -> char {
    match letter {
        '\u{2019}' | '\u{2bc}' => '\'',
        'ș' => 'ş',
        'ț' => 'ţ',
        other => other,
    }
}

/// Returns whether a mark is an accent or a Hebrew or Arabic vowel point. The combining marks of other
/// scripts, and the breve of Cyrillic й and ў, distinguish letters.
const fn is_accent(base: char, mark: char) -> bool {
    match mark {
        '\u{306}' => !matches!(base, 'и' | 'у'),
        '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{670}' => true,
        _ => false,
    }
}

/// Folds letters that Unicode does not decompose.
fn push_plain(letter: char, text: &mut String) {
    match letter {
        'ß' => text.push_str("ss"),
        'æ' => text.push_str("ae"),
        'œ' => text.push_str("oe"),
        'þ' => text.push_str("th"),
        'ø' => text.push('o'),
        'ł' => text.push('l'),
        'đ' | 'ð' => text.push('d'),
        'ı' => text.push('i'),
        'ς' => text.push('σ'),
        other => text.push(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn accents_ligatures_and_widths_are_folded() {
        for (written, compared) in [
            ("Café", "cafe"),
            ("CAFE\u{301}", "cafe"),
            ("Ｒｕｓｔ", "rust"),
            ("Straße", "strasse"),
            ("STRASSE", "strasse"),
            ("Ærø", "aero"),
            ("Łódź", "lodz"),
            ("co\u{ad}operate", "cooperate"),
            ("don’t", "don't"),
            ("ΑΘΉΝΑΣ", "αθηνασ"),
            ("ёлка", "елка"),
        ] {
            assert_eq!(plain(written), compared);
        }
    }

    #[test]
    fn letters_that_resemble_accents_are_kept() {
        assert_eq!(plain("мой"), "мой");
        assert_eq!(plain("தமிழ்"), "தமிழ்");
        assert_eq!(plain("ガ"), "ガ");
        assert_eq!(plain("한국"), "한국");
    }

    #[test]
    fn turkish_distinguishes_dotted_and_dotless_i_until_folding() {
        assert_eq!(normal("IŞIK", Language::Turkish), "ışık");
        assert_eq!(normal("İyi", Language::Turkish), "iyi");
        assert_eq!(fold("ışık".into()), "isik");
    }

    proptest! {
        #[test]
        fn composed_and_decomposed_are_the_same_word(word in "[a-zA-ZÀ-ſΑ-ωа-яЁё가-힣]{1,40}") {
            let (composed, decomposed) = (normalised(&word, Form::Nfc), normalised(&word, Form::Nfd));
            for language in Language::ALL {
                prop_assert_eq!(normal(&composed, language), normal(&decomposed, language));
            }
        }

        #[test]
        fn normal_forms_are_short_and_folding_is_idempotent(word in "\\PC{0,300}") {
            let once = plain(&word);
            prop_assert!(once.chars().count() <= MAX_LENGTH);
            prop_assert_eq!(fold(once.clone()), once);
        }
    }
}
