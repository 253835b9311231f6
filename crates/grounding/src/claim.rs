//! What a sentence claims, as far as rules can tell: its terms, its numbers, its names, and what it quotes.

use super::initial_names::{OPENING, is_within_sentence, one_form, openings};
use std::collections::{BTreeMap, BTreeSet};
use vademecum_text::terms::{Language, Term, terms, words};

/// What a sentence claims.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claim {
    /// Its terms, numbers in one form.
    pub terms: BTreeSet<String>,
    /// Those that are numbers, each with how it is written.
    pub numbers: BTreeMap<String, String>,
    /// Those that are names, each with how it is written.
    pub names: BTreeMap<String, String>,
    /// Those that begin a sentence, each with how it is written: names where no passage holds them.
    pub openings: BTreeMap<String, String>,
    /// What stands in quotation marks and is long enough to be somebody's words.
    pub quotes: Vec<String>,
}

/// Words from which on what stands in quotation marks is a quotation, and not a term or a title.
const QUOTED_WORDS: usize = 4;

/// Reads a sentence.
pub fn claim(text: &str) -> Claim {
    let openings = openings(text).into_iter().collect();
    let mut claim = Claim { quotes: quotes(text), openings, ..Claim::default() };
    for Term { text: term, at } in terms(text) {
        let written = text.get(at).unwrap_or_default();
        let term = one_form(term, written);
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

/// The terms of a text, numbers in one form.
pub fn claimed_terms(text: &str) -> BTreeSet<String> {
    terms(text)
        .into_iter()
        .map(|Term { text: term, at }| one_form(term, text.get(at).unwrap_or_default()))
        .collect()
}

/// The names in a text by the terms they are found by, in order: words with a capital that does not begin a sentence,
/// acronyms, and identifiers. German writes every noun with a capital, so there only the latter two are names.
pub fn names(text: &str) -> Vec<(String, String)> {
    let nouns_have_capitals = Language::detect(text) == Language::German;
    let is_name = |(at, word): &(usize, &str)| {
        let letters = || word.chars().filter(|letter| letter.is_alphabetic());
        let inner = letters().skip(1).any(char::is_uppercase);
        let begins = letters().next().is_some_and(char::is_uppercase) && word.len() > 1;
        let before = text.get(..*at).unwrap_or_default().trim_end_matches(OPENING);
        inner || (begins && !nouns_have_capitals && before.ends_with(is_within_sentence))
    };
    let found = words(text).filter(is_name).filter_map(|(_, word)| {
        // Of an identifier's terms the last is the whole.
        let term = terms(word).pop()?;
        Some((term.text, word.to_owned()))
    });
    found.collect()
}

fn quotes(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    // A mark that is not there any more is not looked for again, however many quotations it would close.
    let mut gone: Vec<&[char]> = Vec::new();
    while let Some(at) = rest.find(['"', '“', '„', '«']) {
        let mut letters = rest.get(at..).unwrap_or_default().chars();
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
        let quote = inside.get(..end).unwrap_or_default().trim();
        if words(quote).count() >= QUOTED_WORDS {
            found.push(quote.to_owned());
        }
        rest = inside.get(end..).unwrap_or_default();
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
    fn a_number_is_the_same_however_it_is_written() {
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
    fn words_in_quotation_marks_are_a_quotation_once_there_are_some() {
        assert_eq!(claim("It says “with a notice of 30 days” there.").quotes, ["with a notice of 30 days"]);
        assert!(claim("The \"notice period\" and an open \" mark").quotes.is_empty());
    }
}
