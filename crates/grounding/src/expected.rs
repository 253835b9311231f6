//! Tells by rule what kind of thing a question asks for, and whether a sentence has one.

use super::attributes::measures_of;
use super::claim::{claimed_terms, names};
use super::definition::{ARTICLES, defined, defines};
use super::measure::{self, Measure};
use super::person::asks_person_name;
use super::presence::{
    AMOUNTS, has_mail_address, has_phone_number, has_time, has_word, is_free, is_numeral, names_money,
};
use std::collections::BTreeSet;
use vademecum_text::months::is_month;
use vademecum_text::terms::{Language, words};

/// The kind of thing that a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// A date or a time.
    Date,
    /// A number or an amount, of one of these quantities if there are any.
    Number(&'static [Measure]),
    /// A number to call.
    Phone,
    /// An address for e-mail.
    MailAddress,
    /// A person or a group.
    Person,
    /// A place.
    Place,
    /// Yes or no.
    Decision,
    /// What something is, or does.
    Definition,
    /// Anything else.
    Other,
}

/// Words that ask for a date as the noun after "what" or "which".
const DATES: [&str; 10] =
    ["year", "date", "day", "month", "century", "decade", "jahr", "datum", "année", "año"];
/// Words that ask for a date.
const WHEN: [&str; 4] = ["when", "wann", "quand", "cuándo"];
/// Words that ask for an explanation.
pub(super) const REASONS: [&str; 5] = ["why", "warum", "pourquoi", "weshalb", "wieso"];
/// Words after "how" that ask for a number, and words of other languages that do so by themselves.
pub(super) const MEASURES: [&str; 16] = [
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
pub(super) const DECISIONS: [&str; 26] = [
    "is", "are", "was", "were", "do", "does", "did", "can", "could", "has", "have", "had", "will", "would",
    "should", "may", "must", "ist", "sind", "war", "waren", "hat", "haben", "kann", "können", "est",
];
/// Names of weekdays, and other words of dates besides months.
pub(super) const OF_DATES: [&str; 12] = [
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
/// Number of words at the beginning of a question among which its interrogative is looked for.
const OPENING_WORDS: usize = 12;

/// Prepositions that end the name of an attribute.
const OF: [&str; 9] = ["of", "for", "in", "per", "at", "on", "to", "with", "from"];

/// Returns whether a question asks for one of these attributes, as in "What is the price of a ticket?".
fn asks_attribute(said: &[String], nouns: &[&str]) -> bool {
    let is_of = |word: &String, all: &[&str]| all.contains(&word.as_str());
    let Some((first, rest)) = said.split_first() else { return false };
    let asked = rest.iter().take_while(|word| !is_of(word, &OF)).last();
    is_of(first, &WHICH)
        && rest.first().is_some_and(|word| is_of(word, &["is", "was", "are", "were"]))
        && asked.is_some_and(|word| is_of(word, nouns))
}

/// Returns whether a question asks for a number to call, or an address for e-mail.
fn contact(said: &[String]) -> Option<Expected> {
    let has = |word: &str| said.iter().any(|one| one == word);
    let is_pair = |one: &str, other: &str| said.windows(2).any(|pair| pair == [one, other]);
    if has("telefonnummer") || is_pair("phone", "number") || is_pair("telephone", "number") {
        return Some(Expected::Phone);
    }
    let is_mail = is_pair("email", "address") || is_pair("mail", "address") || has("e-mail-adresse");
    is_mail.then_some(Expected::MailAddress)
}

/// Verbs of measures, which ask for an amount of them.
const MEASURING: [&str; 8] = ["cost", "weigh", "kostet", "kosten", "kostete", "wiegt", "wiegen", "wog"];

/// Returns the quantities that a question asks for by a verb of measure, as in "What does it weigh?", or in German, as in "Wie breit
/// ist sie?".
fn measured(said: &[String]) -> Option<&'static [Measure]> {
    let is = |at: usize, all: &[&str]| said.get(at).is_some_and(|word| all.contains(&word.as_str()));
    let verb = || {
        let verb = said.iter().skip(1).find(|word| MEASURING.contains(&word.as_str()))?;
        measures_of(if verb == "kostete" { "kostet" } else { verb })
    };
    let is_german = is(0, &["was"])
        && said.get(1).is_some_and(|word| word != "cost" && MEASURING.contains(&word.as_str()));
    if is_german || is(0, &["what"]) && is(1, &["does", "do", "did", "will", "would"]) {
        return verb();
    }
    let (at, _) = said.iter().enumerate().find(|(at, word)| *at < 2 && *word == "wie")?;
    if is(at + 1, &["viel"]) {
        return verb();
    }
    // "Wie hoch ist die Kaution?" asks for any amount.
    if is(at + 1, &["hoch"]) {
        return Some(&[]);
    }
    measures_of(said.get(at + 1)?)
}

/// Tells what a question asks for. The interrogative nearest to the beginning decides.
pub fn expected(question: &str) -> Expected {
    let said: Vec<String> = words(question).map(|(_, word)| word.to_lowercase()).collect();
    let asks_what = said.first().is_some_and(|word| WHICH.contains(&word.as_str()));
    let begins_so = || said.get(..3).and_then(contact).is_some(); // "Phone number of Ada Lund"
    if let Some(contact) = contact(&said).filter(|_| asks_what || begins_so()) {
        return contact;
    }
    if asks_person_name(&said) {
        return Expected::Person;
    }
    if let Some(measures) = measured(&said) {
        return Expected::Number(measures);
    }
    if asks_attribute(&said, &AMOUNTS) {
        return Expected::Number(&[Measure::Money]);
    }
    let asks_for =
        |word: &String| [&DATES[..], &NUMBERS, &PLACES].iter().any(|all| all.contains(&word.as_str()));
    if defined(&said).is_some_and(|noun| !noun.iter().any(asks_for)) {
        return Expected::Definition;
    }
    if said.first().is_some_and(|word| DECISIONS.contains(&word.as_str()))
        && question.trim_end().ends_with('?')
    {
        return Expected::Decision;
    }
    let (mut before, mut asks_what) = ("", false);
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
            return Expected::Number(measure::asked(question));
        }
        if (is_asked || before == "the") && NUMBERS.contains(&word) {
            return Expected::Number(&[]);
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

/// Words before the thing in a question for what one thing is, or several are.
const WHAT_IS: [(&str, &str); 6] = [
    ("what", "is"),
    ("what's", ""),
    ("was", "ist"),
    ("was", "bedeutet"),
    ("qué", "es"),
    ("qué", "significa"),
];
const WHAT_ARE: [(&str, &str); 3] = [("what", "are"), ("was", "sind"), ("qué", "son")];
/// Articles of a thing that is known, whose attributes are asked for: "What is the fee?"
const DEFINITE: [&str; 9] = ["the", "der", "die", "das", "this", "that", "el", "la", "los"];
/// Articles of a thing that is to be defined.
const INDEFINITE: [&str; 7] = ["a", "an", "ein", "eine", "un", "una", "une"];

/// Returns whether a question asks what one thing is, rather than several.
pub fn asks_what_is(question: &str) -> bool {
    begins(question, &WHAT_IS).is_some() && expected(question) == Expected::Definition
}

/// Returns whether a question asks for the meaning of a term, as in "What is a lease?", rather than for an attribute, as in "What is
/// the fee?".
pub fn asks_meaning(question: &str) -> bool {
    let next = begins(question, &WHAT_IS).or_else(|| begins(question, &WHAT_ARE));
    next.is_some_and(|next| !DEFINITE.contains(&next.as_str())) && expected(question) == Expected::Definition
}

/// Returns whether only a definition answers: a term has an indefinite article, or is a single name. "What is included?" asks for
/// parts.
pub fn needs_definition(question: &str) -> bool {
    let next = begins(question, &WHAT_IS).or_else(|| begins(question, &WHAT_ARE));
    let is_named = |next: &str| {
        let mut rest = words(question).skip_while(|(_, word)| word.to_lowercase() != next);
        rest.next().is_some_and(|(_, word)| word.starts_with(char::is_uppercase)) && rest.next().is_none()
    };
    next.is_some_and(|next| INDEFINITE.contains(&next.as_str()) || is_named(&next)) && asks_meaning(question)
}

/// Returns the word after one of these beginnings, in lower case.
fn begins(question: &str, with: &[(&str, &str)]) -> Option<String> {
    let said: Vec<String> = words(question).take(3).map(|(_, word)| word.to_lowercase()).collect();
    let (first, second) = (said.first()?, said.get(1)?);
    let is_short = with.iter().any(|(one, other)| one == first && other.is_empty());
    let is_long = with.iter().any(|(one, other)| one == first && other == second);
    if is_short { Some(second.clone()) } else { said.get(2).filter(|_| is_long).cloned() }
}

/// Returns the terms that directly follow an article in a question.
pub(super) fn subjects(question: &str) -> BTreeSet<String> {
    let said: Vec<(usize, &str)> = words(question).collect();
    let after_article = said.windows(2).filter_map(|pair| match pair {
        [(_, article), (_, word)] if ARTICLES.contains(&article.to_lowercase().as_str()) => Some(*word),
        _ => None,
    });
    after_article.flat_map(claimed_terms).collect()
}

impl Expected {
    /// Returns whether an answer can hardly do without a thing of this kind.
    pub fn is_strict(self) -> bool {
        match self {
            Self::Phone | Self::MailAddress => true,
            Self::Number(measures) => !measures.is_empty(),
            _ => false,
        }
    }

    /// Returns whether a text has an amount with a unit of the quantity that is asked for.
    pub fn has_unit(self, text: &str) -> bool {
        matches!(self, Self::Number(measures) if measure::has_amount(text, measures))
    }

    /// Returns whether a sentence has a thing of this kind that the question does not name itself; `asked` has the question's
    /// terms.
    pub fn is_in(self, sentence: &str, asked: &BTreeSet<String>) -> bool {
        match self {
            Self::Date => {
                let is_date = |word: &str| {
                    let digits = word.chars().filter(char::is_ascii_digit).count();
                    !asked.contains(word)
                        && ((3..=4).contains(&digits) || is_month(word) || OF_DATES.contains(&word))
                };
                has_word(sentence, is_date) || has_time(sentence, asked)
            }
            Self::Number([Measure::Money]) if is_free(sentence) => true,
            Self::Number(all) if all.contains(&Measure::Duration) && measure::has_span(sentence) => true,
            Self::Number(measures) => words(sentence).any(|(start, word)| {
                let low = word.to_lowercase();
                let is_number = low.contains(|letter: char| letter.is_ascii_digit()) || is_numeral(&low);
                let end = start + word.len();
                // A number without a known unit may be one of any other; an amount, only where money is named and nothing is counted.
                let is_bare = || {
                    if !measures.is_empty() && measure::is_label(sentence, start, end) {
                        // "How old is it?" may be told by a year.
                        return measures == [Measure::Duration] && measure::is_year(word);
                    }
                    // "It costs 54 crowns": the verb tells that any unit is one of money.
                    let before = words(sentence).take_while(|(at, _)| *at < start).last();
                    let is_hour = before.is_some_and(|(_, word)| ["at", "um"].contains(&word));
                    let counts = measure::counts(sentence, end);
                    if is_hour && measures.contains(&Measure::Duration)
                        || counts && measure::has_units(measures)
                    {
                        return false;
                    }
                    measures != [Measure::Money]
                        || before.is_some_and(|(_, word)| names_money(word))
                        || !counts && names_money(sentence)
                };
                let may_be = || {
                    let measure = measure::of_number(sentence, start, end);
                    measures.is_empty() || measure.map_or_else(is_bare, |measure| measures.contains(&measure))
                };
                is_number && !asked.contains(&low) && may_be()
            }),
            Self::Person | Self::Place => {
                let is_new = |term: &String| !asked.contains(term);
                names(sentence).iter().any(|(term, _)| is_new(term))
                    || noun(sentence, is_new)
                    || opening(sentence).is_some_and(|terms| terms.iter().any(is_new))
            }
            Self::Phone => has_phone_number(sentence),
            Self::MailAddress => has_mail_address(sentence),
            Self::Definition => defines(sentence, asked),
            Self::Decision | Self::Other => true,
        }
    }
}

/// Returns whether a German sentence has a noun that fits: names have capitals like all others.
fn noun(sentence: &str, fits: impl Fn(&String) -> bool) -> bool {
    let mut nouns = words(sentence).skip(1).filter(|(_, word)| word.starts_with(char::is_uppercase));
    nouns.any(|(_, word)| claimed_terms(word).iter().any(&fits))
        && Language::detect(sentence) == Language::German
}

/// Returns the terms of the first word of a sentence if it is capitalised: it may be a name, unless it is a number. Stop words have no terms.
fn opening(sentence: &str) -> Option<BTreeSet<String>> {
    let (_, first) = words(sentence).next().filter(|(_, first)| !is_numeral(first))?;
    first.starts_with(char::is_uppercase).then(|| claimed_terms(first))
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
            ("How many rivets hold the tower?", Expected::Number(&[])),
            ("What is the population of Ghent?", Expected::Number(&[])),
            ("What percentage of users leave?", Expected::Number(&[])),
            ("Who designed the harbour?", Expected::Person),
            ("By whom was it painted?", Expected::Person),
            ("Where is the archive?", Expected::Place),
            ("Which city hosts the court?", Expected::Place),
            ("Is the bridge open?", Expected::Decision),
            ("What happens when a lease ends?", Expected::Other),
            ("What did the tenant say when the lease ended?", Expected::Other),
            ("Why did the harbour freeze in the year of the comet?", Expected::Other),
            ("What is the price of a ticket?", Expected::Number(&[Measure::Money])),
            ("What is the price range of flats?", Expected::Other),
            ("What is the phone number of the port?", Expected::Phone),
            ("phone number of Ada Lund", Expected::Phone),
            ("E-mail address of Ada Lund", Expected::MailAddress),
            ("What is the e-mail address of Ada Lund?", Expected::MailAddress),
            ("What is a lease?", Expected::Definition),
            ("What does the borrow checker do?", Expected::Definition),
            ("What does ABI stand for?", Expected::Definition),
            ("Was ist ein Mietvertrag?", Expected::Definition),
            ("What is the name of the ship?", Expected::Other),
            ("What is the capital of the northern province?", Expected::Other),
            ("What does the tenant pay when the lease ends?", Expected::Other),
            ("Wann endet der Vertrag?", Expected::Date),
            ("Wie viele Tage dauert es?", Expected::Number(&[])),
            ("What does the pump weigh?", Expected::Number(&[Measure::Weight])),
            ("Was kostet die Pumpe?", Expected::Number(&[Measure::Money])),
            ("Wie viel wiegt sie?", Expected::Number(&[Measure::Weight])),
            ("Wie breit ist die Pumpe?", Expected::Number(&[Measure::Length])),
            ("Wie hoch ist die Kaution?", Expected::Number(&[])),
            ("How much is the desk worth?", Expected::Number(&[Measure::Money])),
            ("What is the meaning of lease?", Expected::Definition),
            ("Was it cost or weight that mattered?", Expected::Decision),
        ] {
            assert_eq!(expected(question), kind, "{question}");
        }
    }

    #[test]
    fn what_one_thing_is_differs_from_what_several_are() {
        for question in ["What is Rust?", "what's a lease", "Was ist ein Pegel?"] {
            assert!(asks_what_is(question), "{question}");
        }
        for question in
            ["What are invoices?", "Was sind Pegel?", "What is the price of a pump?", "Which is red?"]
        {
            assert!(!asks_what_is(question), "{question}");
        }
    }

    #[test]
    fn only_a_definition_answers_what_a_term_is() {
        for question in ["What is a lease?", "What is Rust?", "Was ist ein Pegel?"] {
            assert!(needs_definition(question), "{question}");
        }
        for question in ["What is included?", "What is Anna's role?", "Was ist verboten?", "What is the fee?"]
        {
            assert!(!needs_definition(question), "{question}");
        }
    }

    #[test]
    fn a_thing_that_the_question_names_is_no_answer() {
        let has =
            |question: &str, sentence: &str| expected(question).is_in(sentence, &claimed_terms(question));
        assert!(has("When was the bridge built?", "The bridge was built in 1889."));
        assert!(!has("When was the bridge of 1889 built?", "The bridge of 1889 was built well."));
        assert!(has("When does the train leave?", "The train leaves at 22:14."));
        assert!(has("When does it open?", "It opens at 9 o'clock."));
        assert!(!has("When does it open?", "It opens 9 doors, of a ratio of 2:1."));
        assert!(has("Who built the bridge?", "The bridge was built by Ada Lund."));
        assert!(!has("Who built the Lund bridge?", "The Lund bridge was built well."));
        assert!(has("How many rivets are there?", "There are twelve rivets."));
        assert!(has("How long does it rest?", "It rests for eighteen hours."));
        assert!(has("How fast is the tram?", "The tram reaches 60 km/h."));
        assert!(!has("How long is the garage?", "Garage number 12 lies in Mill Street 5."));
        assert!(!has("How fast is the bicycle?", "It has been built since 2021."));
        assert!(has("How old is the bicycle?", "It was built in 2021."));
        assert!(!has("How old is my brother?", "My brother phoned at eleven at night."));
        assert!(has("How long is the notice period?", "It is 14 calendar days."));
        assert!(has("How long must a password be?", "It has at least 12 characters."));
        assert!(has("What is the price of a ticket?", "A ticket is 12 pounds."));
        assert!(!has("How fast is the tram?", "The tram weighs 40 tonnes and is 30 metres long."));
        assert!(has("How much does the pump cost?", "It may cost at most 230 euros."));
        assert!(!has("How much does the camera cost?", "The camera has a 24-megapixel sensor."));
        assert!(has("What is the phone number of the port?", "Call 0113 496 0771."));
        assert!(!has("What is the phone number of the port?", "It opened on 1930-04-01, or 1.4.1930."));
        assert!(!has("What is the price of the camera?", "Call 0800 555 0199 for 24 of 30."));
        assert!(has("What is the price of the camera?", "price: 620.00"));
        assert!(has("What does a pass cost?", "A monthly pass costs 54 crowns."));
        assert!(!has("What does a pass cost?", "The total is known for 54 rooms."));
        assert!(has("How much does the entry cost?", "The entry is free."));
        assert!(has("What is the e-mail address of the port?", "Write to port@ghent.example."));
        assert!(!has("What is the e-mail address of the port?", "Write to @port."));
        assert!(has("Where is the archive?", "The archive is in Ghent."));
    }

    #[test]
    fn a_unit_tells_which_quantity_an_amount_is_of() {
        let has = |question: &str, text: &str| expected(question).has_unit(text);
        assert!(has("How tall is the tree?", "Height: 7 m"));
        assert!(!has("How tall is the tree?", "Planted: 2016 Water: 14 Remarks: at -8 degrees"));
        assert!(!has("Who planted the tree?", "Height: 7 m"));
    }

    #[test]
    fn a_definition_has_what_is_asked_about_as_its_subject() {
        let defines =
            |question: &str, sentence: &str| expected(question).is_in(sentence, &claimed_terms(question));
        assert!(defines("What is a lease?", "A lease is a contract for the use of a thing."));
        assert!(defines("What is unwrap?", "The unwrap method is a shortcut."));
        assert!(defines("Was ist ein Pegel?", "Der Pegel ist der Stand des Wassers."));
        assert!(defines("What is borrowing?", "We call the action of creating a reference borrowing."));
        assert!(defines("What is a cold snap?", "A week of frost is known as a cold snap."));
        assert!(defines("What is a cold snap?", "This is known as a cold snap, and is rare."));
        assert!(!defines("What is a cold snap?", "It is known as a frost, and a cold snap is rare."));
        assert!(!defines("What is a lease?", "What is a lease?"));
        assert!(!defines("What is a lease?", "Lease rules"));
        assert!(!defines(
            "What is borrowing?",
            "We call it when we are borrowing a reference from somebody."
        ));
        assert!(!defines("What is a lease?", "We now look at what a lease is."));
        assert!(!defines("What is a lease?", "The tenant of a lease is liable."));
        assert!(!defines("What is a lease?", "A lease ends in May."));
    }
}
