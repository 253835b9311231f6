//! Recognises questions for an attribute of somebody or something that is named, as in "What is the discount of Priya Nair?".

use super::attributes::told_terms;
use super::claim::{claimed_terms, names};
use super::definition::ARTICLES;
use super::expected::DECISIONS;
use std::collections::BTreeSet;
use vademecum_text::terms::{Language, words};

/// Prepositions between an attribute and its owner.
const OF: [&str; 4] = ["of", "for", "von", "des"];
/// Articles of a thing that is known.
const DEFINITE: [&str; 4] = ["the", "der", "die", "das"];
/// Maximum number of words of an attribute.
const MOST_WORDS: usize = 3;
/// Maximum number of words before the verb of a question: "How high is".
const BEFORE_VERB: usize = 2;

/// An attribute that is asked for, and the terms of the name whose attribute it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Possession {
    attribute: BTreeSet<String>,
    owner: BTreeSet<String>,
}

impl Possession {
    /// Reads a question; `None` if it asks for no attribute of a name.
    pub fn of(question: &str) -> Option<Self> {
        let said: Vec<&str> = words(question).map(|(_, word)| word).collect();
        let (attribute, owner) = with_genitive(&said).or_else(|| with_preposition(&said))?;
        let terms =
            |all: &[&str]| -> BTreeSet<String> { all.iter().copied().flat_map(claimed_terms).collect() };
        let (attribute, owner) = (terms(attribute), terms(&owner));
        (!attribute.is_empty() && !owner.is_empty()).then_some(Self { attribute, owner })
    }

    /// Returns the terms of the attribute.
    pub fn attribute(&self) -> &BTreeSet<String> {
        &self.attribute
    }

    /// Returns whether a sentence tells the attribute of another owner, or is from a passage that names others only. `above` has the
    /// terms of the headings above it, `passage` those of its passage.
    pub fn is_of_other(&self, sentence: &str, above: &BTreeSet<String>, passage: &BTreeSet<String>) -> bool {
        let told = claimed_terms(sentence);
        let has_owner = |terms: &BTreeSet<String>| !terms.is_disjoint(&self.owner);
        if has_owner(&told) || has_owner(above) {
            return false;
        }
        if !has_owner(passage) && names(sentence).iter().any(|(term, _)| !self.attribute.contains(term)) {
            return true;
        }
        self.is_owned_in(sentence)
    }

    /// Returns whether a sentence names an owner of the attribute, as in "Tom's discount" and "the discount of Tom".
    pub fn is_owned_in(&self, sentence: &str) -> bool {
        let said: Vec<&str> = words(sentence).map(|(_, word)| word).collect();
        let is_attribute = |word: &&str| !claimed_terms(word).is_disjoint(&self.attribute);
        said.iter().enumerate().any(|(at, word)| {
            let mut after = said.iter().skip(at + 1);
            let is_genitive = is_name(word) && (word.ends_with("'s") || word.ends_with("’s"));
            let is_of = || {
                OF.contains(word) && at.checked_sub(1).and_then(|at| said.get(at)).is_some_and(is_attribute)
            };
            is_genitive && after.clone().take(MOST_WORDS).any(is_attribute)
                || is_of() && after.find(|word| !ARTICLES.contains(word)).is_some_and(is_name)
        })
    }

    /// Returns whether the fields of a record are about the owner and have the attribute; `is_for` tells whether one noun may stand for
    /// another.
    pub fn is_in_record(&self, fields: &str, is_for: impl Fn(&str, &str) -> bool) -> bool {
        let told = told_terms(fields);
        let has = |term: &String| told.contains(term) || told.iter().any(|own| is_for(term, own));
        self.owner.iter().any(|term| told.contains(term)) && self.attribute.iter().any(has)
    }
}

/// Returns the terms of the attribute that a question asks for, as "timeout" in "What is the timeout of the server?"; empty if it asks
/// otherwise.
pub fn asked_attribute(question: &str) -> BTreeSet<String> {
    let said: Vec<String> = words(question).map(|(_, word)| word.to_lowercase()).collect();
    let is = |at: usize, all: &[&str]| said.get(at).is_some_and(|word| all.contains(&word.as_str()));
    let length = said.iter().skip(3).take_while(|word| !OF.contains(&word.as_str())).count();
    let asks =
        is(0, &["what", "which", "wie", "was"]) && is(1, &["is", "was", "ist", "lautet"]) && is(2, &DEFINITE);
    if !asks || !(1..=MOST_WORDS).contains(&length) || 3 + length == said.len() {
        return BTreeSet::new();
    }
    said.iter().skip(3).take(length).flat_map(|word| claimed_terms(word)).collect()
}

/// Returns the terms of the noun that a question about something asks for: "language" in "Which language was it written in?" and "publisher"
/// in "Who is the publisher of it?", or as [`asked_attribute`]. Of the thing itself, it may be the kind: "Which book is signed?"
pub fn asked_noun(question: &str) -> BTreeSet<String> {
    let said: Vec<String> = words(question).take(5).map(|(_, word)| word.to_lowercase()).collect();
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    match said.as_slice() {
        ["what" | "which" | "welche" | "welcher" | "welches", noun, verb, ..]
            if !DECISIONS.contains(noun) && DECISIONS.contains(verb) =>
        {
            claimed_terms(noun)
        }
        ["who" | "wer", "is" | "was" | "ist" | "war", article, noun, of]
            if DEFINITE.contains(article) && OF.contains(of) =>
        {
            claimed_terms(noun)
        }
        _ => asked_attribute(question),
    }
}

type Read<'a, 'w> = (&'a [&'w str], Vec<&'w str>);

/// Reads "What is Priya Nair's discount?". The owner directly follows the verb: "the idea of Tom's letter" is no attribute of Tom.
fn with_genitive<'a, 'w>(said: &'a [&'w str]) -> Option<Read<'a, 'w>> {
    let bare = |word: &'w str| word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
    let at = said.iter().enumerate().skip(1).position(|(_, word)| is_name(word) && bare(word).is_some())? + 1;
    let before: Vec<&str> = said.get(1..at)?.iter().rev().take_while(|word| is_name(word)).copied().collect();
    let mut rest = said.get(..at - before.len())?.iter().rev().skip_while(|word| ARTICLES.contains(word));
    let is_asked = rest.next().is_some_and(|word| DECISIONS.contains(word)) && rest.count() <= BEFORE_VERB;
    let owner = bare(said.get(at)?).filter(|_| is_asked)?;
    let owner = [owner].into_iter().chain(before).collect();
    let rest = said.get(at + 1..)?;
    Some((attribute(rest), owner))
}

/// Reads "What is the discount of Priya Nair?".
fn with_preposition<'a, 'w>(said: &'a [&'w str]) -> Option<Read<'a, 'w>> {
    let names = said.iter().rev().take_while(|word| is_name(word)).count();
    let mut end = said.len().checked_sub(names).filter(|_| names > 0)?;
    let owner = said.get(end..)?.to_vec();
    while end
        .checked_sub(1)
        .and_then(|at| said.get(at))
        .is_some_and(|word| ARTICLES.contains(&word.to_lowercase().as_str()))
    {
        end -= 1;
    }
    let of = end.checked_sub(1).filter(|at| said.get(*at).is_some_and(|word| OF.contains(word)))?;
    let article = said.get(..of)?.iter().rposition(|word| DEFINITE.contains(word))?;
    // "What is the discount", "How high is the discount"
    let asks =
        article.checked_sub(1).and_then(|at| said.get(at)).is_some_and(|word| DECISIONS.contains(word));
    let noun = said.get(article + 1..of)?;
    let is_short = (1..=MOST_WORDS).contains(&noun.len());
    (asks && article > 1 && is_short).then_some((noun, owner))
}

/// Returns the words until the next verb.
fn attribute<'a, 'w>(rest: &'a [&'w str]) -> &'a [&'w str] {
    let is_end = |word: &&str| DECISIONS.contains(word) || Language::English.stop_words().contains(word);
    let length = rest.iter().take_while(|word| !is_end(word)).take(MOST_WORDS).count();
    rest.get(..length).unwrap_or_default()
}

fn is_name(word: &&str) -> bool {
    word.starts_with(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> BTreeSet<String> {
        claimed_terms(text)
    }

    #[test]
    fn an_attribute_of_a_name_is_read_in_both_orders() {
        let read = Possession { attribute: terms("discount"), owner: terms("Priya Nair") };
        for question in [
            "What is the discount of Priya Nair?",
            "What is Priya Nair's discount?",
            "How high is the discount for Priya Nair?",
        ] {
            assert_eq!(Possession::of(question), Some(read.clone()), "{question}");
        }
        for question in [
            "What is the price of a ticket?",
            "Who wrote the notes?",
            "What's new?",
            "Where is Ghent?",
            "What did Ada say of Ghent?",
            "What was the idea of Tom Lund's letter?",
            "Which road is a part of Ghent?",
            "During Tom's holiday, who fed the cat?",
        ] {
            assert_eq!(Possession::of(question), None, "{question}");
        }
    }

    #[test]
    fn an_attribute_stands_between_its_article_and_its_owner() {
        assert_eq!(asked_attribute("What is the timeout of the server?"), terms("timeout"));
        assert_eq!(asked_attribute("Wie lautet die Adresse von Ada?"), terms("adresse"));
        assert_eq!(asked_noun("Which language was The Tower written in?"), terms("language"));
        assert_eq!(asked_noun("Who is the publisher of The Tower?"), terms("publisher"));
        assert_eq!(asked_noun("What is the timeout of the server?"), terms("timeout"));
        for other in
            ["What did they pay for it?", "What happened to The Tower?", "What kind of book is The Tower?"]
        {
            assert_eq!(asked_noun(other), BTreeSet::new(), "{other}");
        }
        for question in ["What is the server?", "What is a lease for?", "Who is the owner of it?"] {
            assert_eq!(asked_attribute(question), BTreeSet::new(), "{question}");
        }
    }

    #[test]
    fn a_sentence_about_another_owner_does_not_answer() {
        let asked = Possession::of("What is the discount of Priya Nair?").unwrap();
        let (none, hers) = (BTreeSet::new(), terms("Priya Nair"));
        assert!(asked.is_of_other("Tom's discount is 10 %.", &none, &hers));
        assert!(asked.is_of_other("The discount of Tom Lund is 10 %.", &none, &hers));
        assert!(asked.is_of_other("It was given to Tom Lund.", &none, &none), "she is not in the passage");
        assert!(!asked.is_of_other("Tom's shop gives a high discount.", &none, &hers), "the shop is his");
        assert!(!asked.is_of_other("Each discount is the work of Tom.", &none, &hers));
        assert!(!asked.is_of_other("The discount of Ms Nair is 5 %.", &none, &none));
        assert!(
            !asked.is_of_other("Her discount is 5 %, as in Ghent.", &none, &hers),
            "a word may refer to her"
        );
        assert!(!asked.is_of_other("Tom's discount is 5 %.", &hers, &none), "below her name");
    }

    #[test]
    fn a_record_answers_with_the_owner_and_the_attribute() {
        let asked = Possession::of("What is the discount of Priya Nair?").unwrap();
        let is_for = |said: &str, own: &str| (said, own) == ("discount", "rebat");
        assert!(asked.is_in_record("name: Priya Nair; discount: 5", is_for));
        assert!(asked.is_in_record("name: Priya Nair; rebate: 5", is_for));
        assert!(!asked.is_in_record("name: Priya Nair; city: Ghent", is_for));
        assert!(!asked.is_in_record("name: Tom Lund; discount: 5", is_for));
    }
}
