//! Tells by rule what kind of thing a question asks for, and whether a sentence has one.

use super::claim::{claimed_terms, names};
use std::collections::BTreeSet;
use vademecum_text::months::is_month;
use vademecum_text::terms::words;

/// The kind of thing that a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// A date or a time.
    Date,
    /// A number or an amount.
    Number,
    /// A person or a group.
    Person,
    /// A place.
    Place,
    /// Yes or no.
    Decision,
    /// Anything else.
    Other,
}

/// Words that ask for a date as the noun after "what" or "which".
const DATES: [&str; 10] =
    ["year", "date", "day", "month", "century", "decade", "jahr", "datum", "année", "año"];
/// Words that ask for a date.
const WHEN: [&str; 4] = ["when", "wann", "quand", "cuándo"];
/// Words that ask for an explanation.
const REASONS: [&str; 4] = ["why", "warum", "pourquoi", "weshalb"];
/// Words after "how" that ask for a number, and words of other languages that do so by themselves.
const MEASURES: [&str; 16] = [
    "many", "much", "long", "old", "tall", "high", "far", "large", "big", "often", "fast", "heavy", "deep",
    "wide", "hot", "late",
];
const NUMBERS: [&str; 11] = [
    "percentage",
    "percent",
    "number",
    "population",
    "wieviel",
    "wieviele",
    "viele",
    "combien",
    "cuánto",
    "cuántos",
    "cuántas",
];
const PERSONS: [&str; 9] = ["who", "whom", "whose", "wer", "wen", "wem", "qui", "quién", "quiénes"];
const PLACES: [&str; 18] = [
    "where",
    "city",
    "country",
    "state",
    "county",
    "province",
    "town",
    "village",
    "continent",
    "region",
    "place",
    "river",
    "wo",
    "wohin",
    "woher",
    "stadt",
    "où",
    "dónde",
];
/// Words that ask for what follows them.
const WHICH: [&str; 6] = ["what", "which", "welche", "welchem", "welcher", "quelle"];
/// First words of a question for yes or no.
const DECISIONS: [&str; 26] = [
    "is", "are", "was", "were", "do", "does", "did", "can", "could", "has", "have", "had", "will", "would",
    "should", "may", "must", "ist", "sind", "war", "waren", "hat", "haben", "kann", "können", "est",
];
/// Names of weekdays, and other words of dates besides months.
const OF_DATES: [&str; 12] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "century",
    "centuries",
    "jahrhundert",
    "siècle",
    "siglo",
];
/// Numbers as words.
const OF_NUMBERS: [&str; 30] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "twenty", "thirty", "forty", "fifty", "hundred", "thousand", "million", "billion", "dozen", "half",
    "once", "twice", "none", "zwei", "drei", "vier", "fünf", "hundert",
];

/// Number of words at the beginning of a question among which its interrogative is looked for.
const OPENING_WORDS: usize = 12;

/// Tells what a question asks for. The interrogative nearest to the beginning decides.
pub fn expected(question: &str) -> Expected {
    let said: Vec<String> = words(question).map(|(_, word)| word.to_lowercase()).collect();
    if said.first().is_some_and(|word| DECISIONS.contains(&word.as_str()))
        && question.trim_end().ends_with('?')
    {
        return Expected::Decision;
    }
    let mut before = "";
    let mut asks_what = false;
    for word in said.iter().map(String::as_str).take(OPENING_WORDS) {
        let is_first = before.is_empty();
        let is_asked = is_first || WHICH.contains(&before);
        // After "what", these words begin a clause, as in "what happens when".
        if !asks_what && WHEN.contains(&word) {
            return Expected::Date;
        }
        if !asks_what && PERSONS.contains(&word) {
            return Expected::Person;
        }
        if before == "how" && MEASURES.contains(&word) || before == "wie" && word == "viele" {
            return Expected::Number;
        }
        if (is_asked || before == "the") && NUMBERS.contains(&word) {
            return Expected::Number;
        }
        if is_asked && DATES.contains(&word) {
            return Expected::Date;
        }
        if is_asked && PLACES.contains(&word) {
            return Expected::Place;
        }
        if REASONS.contains(&word) {
            return Expected::Other;
        }
        asks_what |= WHICH.contains(&word);
        before = word;
    }
    Expected::Other
}

impl Expected {
    /// Returns whether a sentence has a thing of this kind that the question does not name itself; `asked` has the question's
    /// terms.
    pub fn is_in(self, sentence: &str, asked: &BTreeSet<String>) -> bool {
        match self {
            Self::Date => has_word(sentence, |word| {
                let digits = word.chars().filter(char::is_ascii_digit).count();
                !asked.contains(word)
                    && ((3..=4).contains(&digits) || is_month(word) || OF_DATES.contains(&word))
            }),
            Self::Number => has_word(sentence, |word| {
                let is_number =
                    word.contains(|letter: char| letter.is_ascii_digit()) || OF_NUMBERS.contains(&word);
                is_number && !asked.contains(word)
            }),
            Self::Person | Self::Place => {
                let is_new = |term: &String| !asked.contains(term);
                names(sentence).iter().any(|(term, _)| is_new(term))
                    || opening(sentence).is_some_and(|terms| terms.iter().any(is_new))
            }
            Self::Decision | Self::Other => true,
        }
    }
}

fn has_word(text: &str, is: impl Fn(&str) -> bool) -> bool {
    words(text).any(|(_, word)| is(&word.to_lowercase()))
}

/// Returns the terms of the first word of a sentence if it is capitalised: it may be a name. Stop words have no terms.
fn opening(sentence: &str) -> Option<BTreeSet<String>> {
    let (_, first) = words(sentence).next()?;
    first.chars().next().filter(|letter| letter.is_uppercase()).map(|_| claimed_terms(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interrogative_tells_what_is_asked_for() {
        for (question, kind) in [
            ("When was the bridge built?", Expected::Date),
            ("In what year did it open?", Expected::Date),
            ("Which century saw its fall?", Expected::Date),
            ("How many rivets hold the tower?", Expected::Number),
            ("What is the population of Ghent?", Expected::Number),
            ("What percentage of users leave?", Expected::Number),
            ("Who designed the harbour?", Expected::Person),
            ("By whom was it painted?", Expected::Person),
            ("Where is the archive?", Expected::Place),
            ("Which city hosts the court?", Expected::Place),
            ("Is the bridge open?", Expected::Decision),
            ("What happens when a lease ends?", Expected::Other),
            ("What did the tenant say when the lease ended?", Expected::Other),
            ("Why did the harbour freeze in the year of the comet?", Expected::Other),
            ("What is a lease?", Expected::Other),
            ("Wann endet der Vertrag?", Expected::Date),
            ("Wie viele Tage dauert es?", Expected::Number),
        ] {
            assert_eq!(expected(question), kind, "{question}");
        }
    }

    #[test]
    fn a_thing_that_the_question_names_is_no_answer() {
        let has =
            |question: &str, sentence: &str| expected(question).is_in(sentence, &claimed_terms(question));
        assert!(has("When was the bridge built?", "The bridge was built in 1889."));
        assert!(!has("When was the bridge of 1889 built?", "The bridge of 1889 was built well."));
        assert!(has("Who built the bridge?", "The bridge was built by Ada Lund."));
        assert!(!has("Who built the Lund bridge?", "The Lund bridge was built well."));
        assert!(has("How many rivets are there?", "There are twelve rivets."));
        assert!(has("Where is the archive?", "The archive is in Ghent."));
    }
}
