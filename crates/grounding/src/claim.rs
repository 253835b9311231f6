//! Extracts what a sentence claims by rules: its terms, numbers, names and quotations.

use super::initial_names::{OPENING, is_within_sentence, normalised_number, openings};
use std::collections::{BTreeMap, BTreeSet};
use vademecum_text::terms::{Language, Term, terms, words};
use vademecum_util::within::Within;

/// The claims of a sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claim {
    /// Terms, with numbers normalised.
    pub terms: BTreeSet<String>,
    /// Terms that are numbers, with their spelling in the text.
    pub numbers: BTreeMap<String, String>,
    /// Terms that are names, with their spelling in the text.
    pub names: BTreeMap<String, String>,
    /// Terms that begin a sentence and may be names, with their spelling. They count as names if no passage contains them.
    pub openings: BTreeMap<String, String>,
    /// Quoted text of at least four words.
    pub quotes: Vec<String>,
}

/// Minimum number of words of a quotation; shorter quoted text is a term or a title.
const QUOTED_WORDS: usize = 4;

/// Extracts the claims of a sentence.
pub fn claim(text: &str) -> Claim {
    let openings = openings(text).into_iter().collect();
    let mut claim = Claim { quotes: quotes(text), openings, ..Claim::default() };
    for Term { text: term, at } in terms(text) {
        let written = text.within(at);
        let term = normalised_number(term, written);
        if term.starts_with(|first: char| first.is_ascii_digit()) {
            claim.numbers.insert(term.clone(), written.to_owned());
        }
        claim.terms.insert(term);
    }
    for (term, written) in names(text) {
        claim.names.entry(term).or_insert(written);
    }
    claim
}

/// Returns the terms of a text, with numbers normalised.
pub fn claimed_terms(text: &str) -> BTreeSet<String> {
    terms(text).into_iter().map(|Term { text: term, at }| normalised_number(term, text.within(at))).collect()
}

/// Returns the names in a text in order, each as its search term and its spelling: capitalised words within a sentence, acronyms
/// and identifiers. In German, where all nouns are capitalised, only acronyms and identifiers.
pub fn names(text: &str) -> Vec<(String, String)> {
    let nouns_have_capitals = Language::detect(text) == Language::German;
    let is_name = |(at, word): &(usize, &str)| {
        let letters = || word.chars().filter(|letter| letter.is_alphabetic());
        let inner = letters().skip(1).any(char::is_uppercase);
        let begins = letters().next().is_some_and(char::is_uppercase) && word.len() > 1;
        let before = text.within(..*at).trim_end_matches(OPENING);
        let is_first = before.chars().all(|letter| letter.is_ascii_digit() || ".()§ ".contains(letter));
        inner || (begins && !nouns_have_capitals && !is_first && before.ends_with(is_within_sentence))
    };
    let found = words(text).filter(is_name).filter_map(|(_, word)| {
        // The last term of an identifier is the whole.
        let term = terms(word).pop()?;
        Some((term.text, word.to_owned()))
    });
    found.collect()
}

fn quotes(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    // Closing marks that do not occur any more, so that the search stays linear.
    let mut gone: Vec<&[char]> = Vec::new();
    while let Some(at) = rest.find(['"', '“', '„', '«']) {
        let mut letters = rest.within(at..).chars();
        let closing: &[char] = match letters.next() {
            Some('“') => &['”'],
            Some('„') => &['“', '”'],
            Some('«') => &['»'],
            _ => &['"'],
        };
        let inside = letters.as_str();
        let end = if gone.contains(&closing) { None } else { inside.find(closing) };
        let Some(end) = end else {
            if !gone.contains(&closing) {
                gone.push(closing);
            }
            rest = inside;
            continue;
        };
        let quote = inside.within(..end).trim();
        if words(quote).count() >= QUOTED_WORDS {
            found.push(quote.to_owned());
        }
        rest = inside.within(end..);
        rest = rest.strip_prefix(closing).unwrap_or(rest);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    fn numbers(text: &str) -> Vec<String> {
        claim(text).numbers.into_keys().collect()
    }

    #[test]
    fn spellings_of_a_number_are_equal() {
        assert_eq!(numbers("12,000 euros"), numbers("12000 euros"));
        assert_eq!(numbers("Thirty days"), ["30"]);
        assert_eq!(numbers("the 30th day"), ["30"]);
        assert_eq!(numbers("2,5 and 3.75"), ["2.5", "3.75"]);
        assert!(numbers("one of them").is_empty());
    }

    #[test]
    fn names_are_capitals_within_a_sentence_acronyms_and_identifiers() {
        let found = |text: &str| names(text).into_iter().map(|(_, written)| written).collect::<Vec<_>>();
        assert_eq!(found("Does the Globex licence bind ACME?"), ["Globex", "ACME"]);
        assert_eq!(found("ACME pays. The rest is said by (Jane) HashMap."), ["ACME", "Jane", "HashMap"]);
        assert_eq!(found("\"The end,\" he said. Nothing more."), Vec::<String>::new());
        assert!(found("Wie lang ist die Frist für die Kündigung des Vertrags?").is_empty());
    }

    #[test]
    fn a_quotation_has_several_words() {
        assert_eq!(claim("It says “with a notice of 30 days” there.").quotes, ["with a notice of 30 days"]);
        assert!(claim("The \"notice period\" and an open \" mark").quotes.is_empty());
    }
}
