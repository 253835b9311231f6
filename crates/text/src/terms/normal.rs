//! One form for all the ways to write the same word.

use super::language::Language;
use crate::normal_forms::{Form, normalised};

/// Characters of a word that count. What is longer is no word, but a key, a hash or an attack.
pub(super) const LONGEST: usize = 64;
/// Decomposed, a character may be several; so many are read to find [`LONGEST`].
const LONGEST_RAW: usize = 4 * LONGEST;

/// Lower-case and composed, full-width and other presentation forms made ordinary ones (NFKC), what cannot be
/// seen left out, at most [`LONGEST`] characters. Accents stay: stemmers need them.
pub(super) fn normal(word: &str, language: Language) -> String {
    if word.is_ascii() && language != Language::Turkish {
        return word.get(..LONGEST).unwrap_or(word).to_ascii_lowercase();
    }
    let composed = normalised(first(word, LONGEST_RAW), Form::Nfkc);
    let lower = match language {
        // Turkish has an i without a dot, whose capital is I.
        Language::Turkish => composed.replace('I', "ı").replace('İ', "i").to_lowercase(),
        _ => composed.to_lowercase(),
    };
    let shown = lower.chars().filter(|letter| !is_invisible(*letter));
    shown.map(one_form).take(LONGEST).collect()
}

/// A normal form without its accents, for comparing: `café` is `cafe`, `straße` is `strasse`.
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
    let end = first(&folded, LONGEST).len();
    folded.truncate(end);
    folded
}

/// How a word is compared where it must stand as it is: normal and folded, but neither stemmed nor left out.
pub(super) fn plain(word: &str) -> String {
    fold(normal(word, Language::Other))
}

/// The first `count` characters of `text`.
pub(super) fn first(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// Soft hyphens, joiners, marks of direction, variation selectors, and the stroke that stretches Arabic words.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{640}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// Letters and signs with two code points for one meaning. Romanian's stemmer knows the older, with cedillas.
const fn one_form(letter: char) -> char {
    match letter {
        '\u{2019}' | '\u{2bc}' => '\'',
        'ș' => 'ş',
        'ț' => 'ţ',
        other => other,
    }
}

/// Accents, and the vowel points of Hebrew and Arabic. The marks of other scripts are letters in all but name, and
/// so is the breve of Cyrillic й and ў.
const fn is_accent(base: char, mark: char) -> bool {
    match mark {
        '\u{306}' => !matches!(base, 'и' | 'у'),
        '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{670}' => true,
        _ => false,
    }
}

/// Letters that Unicode does not take apart, but readers do.
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
    fn accents_ligatures_and_widths_do_not_tell_words_apart() {
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
    fn letters_that_only_look_like_accents_stay() {
        assert_eq!(plain("мой"), "мой");
        assert_eq!(plain("தமிழ்"), "தமிழ்");
        assert_eq!(plain("ガ"), "ガ");
        assert_eq!(plain("한국"), "한국");
    }

    #[test]
    fn turkish_keeps_its_two_letters_i_apart_until_they_are_compared() {
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
        fn a_word_is_short_and_folding_again_changes_nothing(word in "\\PC{0,300}") {
            let once = plain(&word);
            prop_assert!(once.chars().count() <= LONGEST);
            prop_assert_eq!(fold(once.clone()), once);
        }
    }
}
