//! Stop words per language: articles, pronouns, prepositions, conjunctions, auxiliaries, question words.
//! Sorted by bytes for binary search, in the form that [`normal`](super::normal::normal) returns.

mod agglutinative;
mod english;
mod germanic;
mod nordic;
mod romance;
mod scripts;

use super::language::Language;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

impl Language {
    /// Returns its stop words, sorted, in lower case.
    pub const fn stop_words(self) -> &'static [&'static str] {
        stop_words(self)
    }

    /// Returns whether any language has the stop word `word`, given in lower case.
    pub fn has_any_stop_word(word: &str) -> bool {
        languages_of(word) != 0
    }

    /// Returns whether it has the stop word `word`, given in lower case.
    pub(crate) fn has_stop_word(self, word: &str) -> bool {
        is_stop_word(self, word)
    }
}

/// Returns the stop words of `language`, sorted.
pub(super) const fn stop_words(language: Language) -> &'static [&'static str] {
    if !language.is_compiled() {
        return &[];
    }
    match language {
        Language::Arabic => scripts::ARABIC,
        Language::Danish => nordic::DANISH,
        Language::Dutch => germanic::DUTCH,
        Language::English => english::ENGLISH,
        Language::Finnish => agglutinative::FINNISH,
        Language::French => romance::FRENCH,
        Language::German => germanic::GERMAN,
        Language::Greek => scripts::GREEK,
        Language::Hungarian => agglutinative::HUNGARIAN,
        Language::Italian => romance::ITALIAN,
        Language::Norwegian => nordic::NORWEGIAN,
        Language::Portuguese => romance::PORTUGUESE,
        Language::Romanian => romance::ROMANIAN,
        Language::Russian => scripts::RUSSIAN,
        Language::Spanish => romance::SPANISH,
        Language::Swedish => nordic::SWEDISH,
        Language::Tamil => scripts::TAMIL,
        Language::Turkish => agglutinative::TURKISH,
        Language::Other => &[],
    }
}

/// The languages of every stop word, a bit each: detection looks up each word of a text once, instead of once per language.
static LANGUAGES: LazyLock<FxHashMap<&str, u32>> = LazyLock::new(|| {
    let mut languages = FxHashMap::default();
    for language in Language::ALL {
        for word in stop_words(language) {
            *languages.entry(*word).or_default() |= bit(language);
        }
    }
    languages
});

/// Returns the bit of a language in [`languages_of`].
pub(super) const fn bit(language: Language) -> u32 {
    1 << language as u32
}

/// Returns the languages that have the stop word `word`, given in its normal form, as a set of [`bit`]s.
pub(super) fn languages_of(word: &str) -> u32 {
    LANGUAGES.get(word).copied().unwrap_or_default()
}

/// Returns whether `word`, in its normal form, is a stop word.
pub(super) fn is_stop_word(language: Language, word: &str) -> bool {
    stop_words(language).binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::normal::normal;

    #[test]
    fn every_list_is_sorted_without_duplicates_and_in_normal_form() {
        for language in Language::ALL {
            let list = stop_words(language);
            assert!(list.is_sorted_by(|a, b| a < b), "{language:?}");
            for word in list {
                assert_eq!(normal(word, language), *word, "{language:?}");
            }
        }
    }

    #[test]
    fn every_language_but_the_unknown_one_has_a_list_of_a_useful_size() {
        for language in Language::ALL.into_iter().filter(|one| *one != Language::Other) {
            assert!((40..=220).contains(&stop_words(language).len()), "{language:?}");
        }
    }
}
