//! Languages supported by the analyser.

use rust_stemmers::Algorithm;
use serde::{Deserialize, Serialize};

/// The language of a text, which selects the stemmer and the stop words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "a language's name says what it is")]
pub enum Language {
    Arabic,
    Danish,
    Dutch,
    #[default]
    English,
    Finnish,
    French,
    German,
    Greek,
    Hungarian,
    Italian,
    Norwegian,
    Portuguese,
    Romanian,
    Russian,
    Spanish,
    Swedish,
    Tamil,
    Turkish,
    /// Any other language: no stop words, no stemming.
    Other,
}

impl Language {
    /// All languages by name, `Other` last.
    pub const ALL: [Self; 19] = [
        Self::Arabic,
        Self::Danish,
        Self::Dutch,
        Self::English,
        Self::Finnish,
        Self::French,
        Self::German,
        Self::Greek,
        Self::Hungarian,
        Self::Italian,
        Self::Norwegian,
        Self::Portuguese,
        Self::Romanian,
        Self::Russian,
        Self::Spanish,
        Self::Swedish,
        Self::Tamil,
        Self::Turkish,
        Self::Other,
    ];

    /// Returns the ISO 639-1 code; `und` (undetermined) for `Other`.
    pub const fn code(self) -> &'static str {
        self.code_and_name().0
    }

    /// Returns the English name in lower case.
    pub const fn name(self) -> &'static str {
        self.code_and_name().1
    }

    /// Parses a code or an English name, ignoring case: `de`, `de-AT`, `German`.
    pub fn parse(text: &str) -> Option<Self> {
        let primary = text.trim().split(['-', '_']).next()?.to_ascii_lowercase();
        if primary == "nb" || primary == "nn" {
            return Some(Self::Norwegian); // its two written standards have their own codes
        }
        Self::ALL.into_iter().find(|one| one.code() == primary || one.name() == primary)
    }

    /// Returns its Snowball stemmer.
    pub(super) const fn algorithm(self) -> Option<Algorithm> {
        if !self.is_compiled() {
            return None;
        }
        Some(match self {
            Self::Arabic => Algorithm::Arabic,
            Self::Danish => Algorithm::Danish,
            Self::Dutch => Algorithm::Dutch,
            Self::English => Algorithm::English,
            Self::Finnish => Algorithm::Finnish,
            Self::French => Algorithm::French,
            Self::German => Algorithm::German,
            Self::Greek => Algorithm::Greek,
            Self::Hungarian => Algorithm::Hungarian,
            Self::Italian => Algorithm::Italian,
            Self::Norwegian => Algorithm::Norwegian,
            Self::Portuguese => Algorithm::Portuguese,
            Self::Romanian => Algorithm::Romanian,
            Self::Russian => Algorithm::Russian,
            Self::Spanish => Algorithm::Spanish,
            Self::Swedish => Algorithm::Swedish,
            Self::Tamil => Algorithm::Tamil,
            Self::Turkish => Algorithm::Turkish,
            Self::Other => return None,
        })
    }

    /// Returns whether this build has its stemmer and its stop words: with the feature `english`, only those of English.
    pub const fn is_compiled(self) -> bool {
        !cfg!(feature = "english") || matches!(self, Self::English | Self::Other)
    }

    const fn code_and_name(self) -> (&'static str, &'static str) {
        match self {
            Self::Arabic => ("ar", "arabic"),
            Self::Danish => ("da", "danish"),
            Self::Dutch => ("nl", "dutch"),
            Self::English => ("en", "english"),
            Self::Finnish => ("fi", "finnish"),
            Self::French => ("fr", "french"),
            Self::German => ("de", "german"),
            Self::Greek => ("el", "greek"),
            Self::Hungarian => ("hu", "hungarian"),
            Self::Italian => ("it", "italian"),
            Self::Norwegian => ("no", "norwegian"),
            Self::Portuguese => ("pt", "portuguese"),
            Self::Romanian => ("ro", "romanian"),
            Self::Russian => ("ru", "russian"),
            Self::Spanish => ("es", "spanish"),
            Self::Swedish => ("sv", "swedish"),
            Self::Tamil => ("ta", "tamil"),
            Self::Turkish => ("tr", "turkish"),
            Self::Other => ("und", "other"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_parsed_from_its_code_its_name_and_json() {
        for language in Language::ALL {
            assert_eq!(Language::parse(language.code()), Some(language));
            assert_eq!(Language::parse(&language.name().to_uppercase()), Some(language));
            assert_eq!(serde_json::to_string(&language).unwrap(), format!("\"{}\"", language.name()));
        }
    }

    #[test]
    fn regions_are_ignored_and_unknown_languages_rejected() {
        assert_eq!(Language::parse("pt-BR"), Some(Language::Portuguese));
        assert_eq!(Language::parse("nb_NO"), Some(Language::Norwegian));
        assert_eq!(Language::parse("klingon"), None);
        assert_eq!(Language::parse(""), None);
    }
}
