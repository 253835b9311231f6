//! Keyword terms, as indexed and queried by BM25.
//!
//! [`words`] segments text by Unicode Standard Annex #29. An [`Analyzer`] derives terms from a word: it
//! normalises, drops stop words, stems in its [`Language`] and folds accents. An identifier such as `HashMap`
//! or `read_line` is indexed as itself and as its parts. [`Bigrams`] derives pairs of characters where spaces do
//! not separate words. [`Query`] parses the text of a search box.

mod analyzer;
mod bigrams;
mod cache;
mod detect;
mod language;
mod normal;
mod phrase;
mod query;
mod slip;
mod stop;
mod typo;
mod words;

pub use analyzer::{Analyzer, Term};
pub use bigrams::{Bigrams, Rule, is_unspaced};
pub use language::Language;
pub use normal::plain;
pub use phrase::phrase_in;
pub use query::{Query, QueryWord};
pub use slip::slip;
pub use typo::{edits, typo_limit};
pub use words::{Words, words};

/// Returns the terms of English `text` in order, without stop words.
pub fn terms(text: &str) -> Vec<Term> {
    Analyzer::new(Language::English).terms(text)
}

/// Returns the offset and the lower-cased, unstemmed form of the word at the very end of `query`, which is
/// still being typed.
pub fn unfinished_word(query: &str) -> Option<(usize, String)> {
    let (start, word) = words(query).last()?;
    (start + word.len() == query.len()).then(|| (start, normal::plain(word)))
}

/// Returns whether `text` contains no letter or digit.
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
    fn a_text_of_punctuation_is_blank() {
        assert!(is_blank(" — ?! "));
        assert!(!is_blank("— 1"));
    }
}
