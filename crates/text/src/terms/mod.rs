//! Keyword terms: what BM25 counts and what a question is matched by.
//!
//! Text becomes [`words`] by Unicode Annex 29; an [`Analyzer`] makes terms of a word: normalised, stop words
//! dropped, stemmed as its [`Language`] asks, accents folded. An identifier such as `HashMap` or `read_line` counts
//! as itself and as its parts. A [`Query`] is what a search box's text asks for.

mod analyzer;
mod cache;
mod detect;
mod language;
mod normal;
mod phrase;
mod query;
mod stop;
mod typo;
mod words;

pub use analyzer::{Analyzer, Term};
pub use language::Language;
pub use phrase::phrase_in;
pub use query::{Query, QueryWord};
pub use typo::{edits, typo_limit};
pub use words::{Words, words};

/// The terms of English `text` in order, stop words left out.
pub fn terms(text: &str) -> Vec<Term> {
    Analyzer::new(Language::English).terms(text)
}

/// The word still being typed at the end of `query`, if it ends in one: where it begins, and the word, lower-cased
/// and unstemmed.
pub fn unfinished_word(query: &str) -> Option<(usize, String)> {
    let (start, word) = words(query).last()?;
    (start + word.len() == query.len()).then(|| (start, normal::plain(word)))
}

/// Whether `text` has anything that can be asked or found.
pub fn is_blank(text: &str) -> bool {
    !text.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_that_ends_in_a_space_has_no_unfinished_word() {
        assert_eq!(unfinished_word("borrow che"), Some((7, "che".into())));
        assert_eq!(unfinished_word("borrow "), None);
    }

    #[test]
    fn a_text_of_signs_is_blank() {
        assert!(is_blank(" — ?! "));
        assert!(!is_blank("— 1"));
    }
}
