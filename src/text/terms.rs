//! Keyword terms: what BM25 counts and what a question is matched by.
//!
//! Words by Unicode Annex 29, lower-cased, English stop words dropped, plurals stripped by the rules of
//! Harman's S-stemmer ("How effective is suffixing?", JASIS 42(1), 1991). An identifier such as `HashMap` or
//! `read_line` counts as itself and as its parts.

use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// A term and the bytes of the word it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// Normalised: what is compared.
    pub text: String,
    /// Where the word stands in the text.
    pub at: Range<usize>,
}

/// The terms of `text` in order, stop words left out.
pub fn terms(text: &str) -> Vec<Term> {
    let mut found = Vec::new();
    for (start, word) in text.unicode_word_indices() {
        let at = start..start + word.len();
        let parts = identifier_parts(word);
        if parts.len() > 1 {
            found.extend(
                parts.iter().filter_map(|part| normalise(part)).map(|text| Term { text, at: at.clone() }),
            );
        }
        if let Some(text) = normalise(word) {
            found.push(Term { text, at });
        }
    }
    found
}

/// The word still being typed at the end of `query`, if it ends in one: where it begins, and the word, lower-cased
/// and unstemmed.
pub fn unfinished_word(query: &str) -> Option<(usize, String)> {
    let (start, word) = query.unicode_word_indices().next_back()?;
    (start + word.len() == query.len()).then(|| (start, word.to_lowercase()))
}

/// Whether `text` has anything that can be asked or found.
pub fn is_blank(text: &str) -> bool {
    !text.contains(char::is_alphanumeric)
}

fn normalise(word: &str) -> Option<String> {
    let lower = word.to_lowercase().replace('\u{2019}', "'");
    let bare = lower.strip_suffix("'s").unwrap_or(&lower);
    if bare.is_empty() || STOP_WORDS.binary_search(&bare).is_ok() {
        return None;
    }
    Some(strip_plural(bare))
}

fn strip_plural(word: &str) -> String {
    let ends = |suffix: &str| word.ends_with(suffix);
    let without = |count: usize| word.get(..word.len() - count).unwrap_or(word);
    if word.len() <= 3 || !word.is_ascii() {
        word.to_owned()
    } else if ends("ies") && !ends("eies") && !ends("aies") {
        format!("{}y", without(3))
    } else if (ends("es") && !ends("aes") && !ends("ees") && !ends("oes"))
        || (ends("s") && !ends("es") && !ends("us") && !ends("ss"))
    {
        without(1).to_owned()
    } else {
        word.to_owned()
    }
}

/// `HashMap` → `Hash`, `Map`; `read_line` → `read`, `line`; an ordinary word → itself.
fn identifier_parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut previous = '_';
    for (at, letter) in word.char_indices() {
        let hump = previous.is_lowercase() && letter.is_uppercase();
        if letter == '_' || hump {
            parts.extend(word.get(start..at).filter(|part| !part.is_empty()));
            start = at + usize::from(letter == '_');
        }
        previous = letter;
    }
    parts.extend(word.get(start..).filter(|part| !part.is_empty()));
    parts
}

/// Sorted, for binary search. Words that say nothing of a text's subject.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "being", "between", "both", "but", "by", "can", "could", "did", "do",
    "does", "doing", "down", "during", "each", "few", "for", "from", "further", "had", "has", "have",
    "having", "he", "her", "here", "hers", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its",
    "just", "me", "more", "most", "my", "no", "nor", "not", "now", "of", "off", "on", "once", "only", "or",
    "other", "our", "ours", "out", "over", "own", "same", "she", "should", "so", "some", "such", "than",
    "that", "the", "their", "theirs", "them", "then", "there", "these", "they", "this", "those", "through",
    "to", "too", "under", "until", "up", "very", "was", "we", "were", "what", "when", "where", "which",
    "while", "who", "whom", "why", "will", "with", "would", "you", "your", "yours",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        terms(text).into_iter().map(|term| term.text).collect()
    }

    #[test]
    fn stop_words_are_dropped_and_plurals_are_stripped() {
        assert_eq!(words("What are the policies of libraries and glasses?"), ["policy", "library", "glasse"]);
    }

    #[test]
    fn an_identifier_counts_as_itself_and_as_its_parts() {
        assert_eq!(words("HashMap read_line"), ["hash", "map", "hashmap", "read", "line", "read_line"]);
    }

    #[test]
    fn the_stop_words_are_sorted_or_binary_search_would_miss_some() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn a_query_that_ends_in_a_space_has_no_unfinished_word() {
        assert_eq!(unfinished_word("borrow che"), Some((7, "che".into())));
        assert_eq!(unfinished_word("borrow "), None);
    }

    #[test]
    fn a_possessive_is_its_noun() {
        assert_eq!(words("Rust’s compiler's"), ["rust", "compiler"]);
    }
}
