//! What an answer may be to.

use super::claim::claimed_terms;
use super::sufficiency::is_instruction;
use std::collections::BTreeSet;
use vademecum_text::terms::words;

/// The questions that an answer may be to. Default: none, for a text that is complete by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Questions<'q> {
    /// The whole question first, then its parts.
    pub asked: Vec<&'q str>,
    /// What a model searched for last: a short answer may be to it, but nobody asked it.
    pub searched: Option<&'q str>,
}

impl<'q, const N: usize> From<[&'q str; N]> for Questions<'q> {
    fn from(asked: [&'q str; N]) -> Self {
        Self { asked: asked.to_vec(), searched: None }
    }
}

/// A question that a short answer may be to.
pub(super) struct Question {
    pub(super) text: String,
    pub(super) terms: BTreeSet<String>,
    /// The terms of a search besides capitalised words, of which the support must contain one; `None` for what the user asked.
    pub(super) ordinary: Option<BTreeSet<String>>,
}

impl Question {
    pub(super) fn new(text: &str, terms: BTreeSet<String>) -> Self {
        let terms = terms.into_iter().filter(|term| !is_instruction(term)).collect();
        Self { text: text.to_owned(), terms, ordinary: None }
    }

    /// Returns a search as a question. `None` for one that consists of names, to which anything about them would be an answer, or of
    /// words of the whole question, which would demand less than the question does.
    pub(super) fn searched(text: &str, whole: &BTreeSet<String>) -> Option<Self> {
        let question = Self::new(text, claimed_terms(text));
        let small = words(text).filter(|(_, word)| !word.starts_with(char::is_uppercase));
        let ordinary: BTreeSet<String> = small.flat_map(|(_, word)| claimed_terms(word)).collect();
        let asks = !ordinary.is_empty() && question.terms.len() > 1 && !question.terms.is_subset(whole);
        asks.then_some(Self { ordinary: Some(ordinary), ..question })
    }
}
