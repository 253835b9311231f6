//! Analyses words: normalisation, stop words, stemming.

use super::cache::terms_of;
use super::language::Language;
use super::normal::{MAX_LENGTH, first, fold, normal, plain};
use super::stop::is_stop_word;
use super::words::words;
use rust_stemmers::Stemmer;
use std::ops::Range;

/// A term and the position of its word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The normalised form, which is compared.
    pub text: String,
    /// The byte range of the word in the text.
    pub at: Range<usize>,
}

/// Analyses the words of one language.
pub struct Analyzer {
    language: Language,
    stemmer: Option<Stemmer>,
}

impl std::fmt::Debug for Analyzer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Analyzer").field("language", &self.language).finish_non_exhaustive()
    }
}

impl Default for Analyzer {
    fn default() -> Self {
        Self::new(Language::default())
    }
}

impl Analyzer {
    /// Creates an analyser for texts in `language`.
    pub fn new(language: Language) -> Self {
        Self { language, stemmer: language.algorithm().map(Stemmer::create) }
    }

    /// Returns the language.
    pub const fn language(&self) -> Language {
        self.language
    }

    /// Calls `emit` with the terms of a raw word: none for a stop word, several for an identifier. They
    /// depend on the word and the language alone, so callers may cache them.
    pub fn word(&self, word: &str, emit: &mut dyn FnMut(&str)) {
        let terms = terms_of(self.language, word, || self.terms_of_word(first(word, MAX_LENGTH)).collect());
        terms.iter().for_each(|term| emit(term));
    }

    fn terms_of_word(&self, word: &str) -> impl Iterator<Item = Box<str>> {
        let whole = if is_acronym(word) { Some(plain(&word.replace('.', ""))) } else { self.term(word) };
        let parts = if is_acronym(word) { Vec::new() } else { identifier_parts(word) };
        let several = parts.len() > 1;
        let parts: Vec<String> =
            parts.into_iter().filter(|_| several).filter_map(|part| self.term(part)).collect();
        parts.into_iter().chain(whole).map(String::into_boxed_str)
    }

    /// Returns the term of a stop word, `None` for other words. For queries such as "the who", if an index
    /// contains the stop words of titles.
    pub fn stop_word(&self, word: &str) -> Option<String> {
        let bare = self.bare(first(word, MAX_LENGTH));
        is_stop_word(self.language, &bare).then(|| fold(bare))
    }

    /// Returns the terms of `text` in order, without stop words.
    pub fn terms(&self, text: &str) -> Vec<Term> {
        let mut found = Vec::new();
        for (start, word) in words(text) {
            let at = start..start + word.len();
            self.word(word, &mut |term| found.push(Term { text: term.to_owned(), at: at.clone() }));
        }
        found
    }

    fn term(&self, word: &str) -> Option<String> {
        let bare = self.bare(word);
        if is_stop_word(self.language, &bare) {
            return None;
        }
        // Stemmers are for words only, not for numbers, paths or names with dots.
        let stemmer = self.stemmer.as_ref().filter(|_| !bare.contains(is_non_letter));
        let stem = stemmer.map(|stemmer| stemmer.stem(&bare).into_owned());
        let term = fold(stem.filter(|stem| !stem.is_empty()).unwrap_or(bare));
        // Empty for a lone vowel point, for example.
        Some(term).filter(|term| !term.is_empty())
    }

    /// Returns the normal form without affixes that are attached by an apostrophe.
    fn bare(&self, word: &str) -> String {
        let normal = normal(word, self.language);
        match self.language {
            // The English stemmer does not handle accents.
            Language::English | Language::Other => fold(without_possessive(&normal).to_owned()),
            Language::French | Language::Italian => without_elision(&normal).to_owned(),
            // Turkish separates suffixes of proper names by an apostrophe.
            Language::Turkish => normal.split('\'').next().unwrap_or(&normal).to_owned(),
            _ => without_possessive(&normal).to_owned(),
        }
    }
}

fn without_possessive(word: &str) -> &str {
    word.strip_suffix("'s").unwrap_or(word)
}

/// Strips an elided article: `l'amour` → `amour`, `dell'arte` → `arte`.
fn without_elision(word: &str) -> &str {
    match word.split_once('\'') {
        Some((article, rest)) if ELIDED.binary_search(&article).is_ok() => rest,
        _ => word,
    }
}

/// Elided forms in French and Italian; sorted.
const ELIDED: &[&str] = &[
    "all", "bell", "c", "coll", "d", "dall", "dell", "j", "jusqu", "l", "lorsqu", "m", "n", "nell", "puisqu",
    "qu", "quell", "quest", "quoiqu", "s", "sant", "sull", "t", "un", "v",
];

const fn is_non_letter(letter: char) -> bool {
    letter.is_ascii_digit() || matches!(letter, '_' | '.' | ':' | ',' | ';')
}

/// Returns whether a word consists of single letters separated by dots, such as `U.S.A`.
fn is_acronym(word: &str) -> bool {
    word.contains('.') && word.split('.').all(|part| part.len() == 1 && !part.contains(is_non_letter))
}

/// Splits an identifier: `HashMap` → `Hash`, `Map`; `read_line` → `read`, `line`; `node.js` → `node`, `js`.
fn identifier_parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut previous = '_';
    for (at, letter) in word.char_indices() {
        let hump = previous.is_lowercase() && letter.is_uppercase();
        // A dot or colon after a digit belongs to a number.
        let joint = letter == '_' || (matches!(letter, '.' | ':') && !previous.is_ascii_digit());
        if joint || hump {
            parts.extend(word.get(start..at).filter(|part| !part.is_empty()));
            start = at + usize::from(joint);
        }
        previous = letter;
    }
    parts.extend(word.get(start..).filter(|part| !part.is_empty()));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(language: Language, text: &str) -> Vec<String> {
        Analyzer::new(language).terms(text).into_iter().map(|term| term.text).collect()
    }

    fn english(text: &str) -> Vec<String> {
        found(Language::English, text)
    }

    #[test]
    fn stop_words_are_dropped_and_words_are_stemmed() {
        assert_eq!(
            english("What are the policies of libraries and glasses?"),
            ["polici", "librari", "glass"]
        );
        assert_eq!(english("relation related relating"), ["relat", "relat", "relat"]);
    }

    #[test]
    fn an_identifier_is_indexed_as_itself_and_as_its_parts() {
        assert_eq!(english("HashMap read_line"), ["hash", "map", "hashmap", "read", "line", "read_line"]);
        assert_eq!(english("node.js"), ["node", "js", "node.js"]);
    }

    #[test]
    fn an_acronym_is_found_with_and_without_its_dots() {
        assert_eq!(english("U.S.A. USA"), ["usa", "usa"]);
    }

    #[test]
    fn numbers_stay_whole() {
        assert_eq!(english("3.14 1,000 1990s"), ["3.14", "1,000", "1990s"]);
    }

    #[test]
    fn a_possessive_is_reduced_to_its_noun() {
        assert_eq!(english("Rust’s compiler's"), english("Rust compiler"));
    }

    #[test]
    fn a_term_has_the_position_of_its_word() {
        let terms = Analyzer::default().terms("the HashMaps");
        assert!(terms.iter().all(|term| term.at == (4..12)));
        assert_eq!(terms.len(), 3);
    }

    #[test]
    fn accents_do_not_matter() {
        assert_eq!(english("café résumé"), english("cafe resume"));
        assert_eq!(found(Language::French, "étudiants"), found(Language::French, "etudiant"));
        assert_eq!(found(Language::German, "Straße"), found(Language::German, "STRASSEN"));
        assert_eq!(found(Language::Romanian, "informației"), found(Language::Romanian, "informaţie"));
        assert_eq!(found(Language::Russian, "зелёный"), found(Language::Russian, "зеленый"));
    }

    #[test]
    fn affixes_with_an_apostrophe_do_not_matter() {
        assert_eq!(found(Language::French, "l’économie qu'elle"), found(Language::French, "économie"));
        assert_eq!(found(Language::Italian, "dell'università"), found(Language::Italian, "università"));
        assert_eq!(found(Language::Turkish, "Ankara'nın"), found(Language::Turkish, "Ankara"));
    }

    #[test]
    fn every_language_matches_inflected_forms() {
        for (language, one, another) in [
            (Language::Arabic, "الكتاب", "كتاب"),
            (Language::Danish, "bibliotekerne", "biblioteker"),
            (Language::Dutch, "boeken", "boek"),
            (Language::English, "libraries", "library"),
            (Language::Finnish, "kirjastossa", "kirjasto"),
            (Language::French, "bibliothèques", "bibliothèque"),
            (Language::German, "Büchern", "Bücher"),
            (Language::Greek, "βιβλιοθήκες", "βιβλιοθήκη"),
            (Language::Hungarian, "könyvtárban", "könyvtár"),
            (Language::Italian, "biblioteche", "biblioteca"),
            (Language::Norwegian, "bibliotekene", "biblioteker"),
            (Language::Portuguese, "bibliotecas", "biblioteca"),
            (Language::Romanian, "bibliotecilor", "biblioteci"),
            (Language::Russian, "библиотеки", "библиотека"),
            (Language::Spanish, "bibliotecas", "biblioteca"),
            (Language::Swedish, "biblioteken", "bibliotek"),
            (Language::Tamil, "புத்தகங்கள்", "புத்தகம்"),
            (Language::Turkish, "kitaplar", "kitap"),
        ] {
            assert_eq!(found(language, one), found(language, another), "{language:?}");
        }
    }

    #[test]
    fn the_unknown_language_does_not_stem() {
        assert_eq!(found(Language::Other, "The Libraries"), ["the", "libraries"]);
    }

    #[test]
    fn a_stop_word_has_a_term_on_request() {
        let analyzer = Analyzer::default();
        assert_eq!(analyzer.stop_word("The"), Some("the".into()));
        assert_eq!(analyzer.stop_word("Rust"), None);
    }

    #[test]
    fn elided_articles_are_sorted_for_binary_search() {
        assert!(ELIDED.is_sorted());
    }

    #[test]
    fn a_very_long_word_is_truncated() {
        let terms = english(&"x".repeat(65_536));
        assert_eq!(terms, ["x".repeat(MAX_LENGTH)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 4))]

        #[test]
        fn no_word_breaks_a_stemmer(
            word in "[a-zäöüßéèçñøåşığăţα-ωάέήίόύώа-яёء-يً-ْ\u{b85}-\u{bb9}\u{bbe}-\u{bcd}']{1,20}|\\PC{1,80}"
        ) {
            for language in Language::ALL {
                Analyzer::new(language).word(&word, &mut |term| {
                    assert!(!term.is_empty());
                    assert!(term.chars().count() <= 2 * MAX_LENGTH);
                });
            }
        }
    }
}
