//! Numbers with what they count, as in "38 cars".

use super::initial_names::normalised_number;
use std::collections::BTreeSet;
use vademecum_text::terms::{Term, terms};
use vademecum_util::within::Within;

/// What joins the numbers of an enumeration, as in "60 or 90 days", besides punctuation.
const JOINING: [&str; 11] = ["", "and", "bis", "et", "o", "oder", "or", "ou", "to", "und", "y"];

/// Number of terms after a number that it may count: "30 calendar days".
const REACH: usize = 3;

/// The numbers of a text with what they count: the terms after them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Counted {
    /// Pairs of a number and the term directly after it.
    things: BTreeSet<(String, String)>,
    /// Pairs of a number and any of the terms that follow it.
    reached: BTreeSet<(String, String)>,
    /// Numbers that count nothing, or what another number counts: "12 euros, or 6 for students".
    bare: BTreeSet<String>,
}

impl Counted {
    /// Reads the numbers of a text.
    pub(super) fn of(text: &str) -> Self {
        let mut counted = Self::default();
        let mut waiting: Vec<String> = Vec::new();
        let (mut end, mut passed) = (0, 0);
        for Term { text: term, at } in terms(text) {
            let written = text.within(at.clone());
            let term = normalised_number(term, written);
            let between = text.within(end..at.start.max(end));
            let is_space = |letter: char| letter == '-' || (letter.is_whitespace() && letter != '\n');
            let is_near = !between.is_empty() && between.chars().all(is_space);
            if term.starts_with(|first: char| first.is_ascii_digit()) {
                let joining = between.trim_matches(|letter: char| !letter.is_alphabetic());
                let is_joined = JOINING.contains(&joining) && !between.contains(['.', ';', ':', '\n']);
                if passed > 0 || !is_joined {
                    counted.end(&mut waiting, passed);
                    passed = 0;
                }
                if is_label(text.within(..at.start), written) {
                    counted.bare.insert(term);
                } else {
                    waiting.push(term);
                }
            } else if is_near && passed < REACH {
                for number in &waiting {
                    let pair = (number.clone(), term.clone());
                    if passed == 0 {
                        counted.things.insert(pair.clone());
                    }
                    counted.reached.insert(pair);
                }
                passed += 1;
            } else {
                counted.end(&mut waiting, passed);
                passed = 0;
            }
            end = at.end;
        }
        counted.end(&mut waiting, passed);
        counted
    }

    /// Ends the numbers that wait for what they count; `passed` is the number of terms that they count.
    fn end(&mut self, waiting: &mut Vec<String>, passed: usize) {
        let ended = waiting.drain(..);
        if passed == 0 {
            self.bare.extend(ended);
        }
    }

    /// Adds the numbers of a text as those that may count anything.
    pub(super) fn add_bare(&mut self, text: &str) {
        let numbers =
            terms(text).into_iter().map(|Term { text: term, at }| normalised_number(term, text.within(at)));
        self.bare.extend(numbers.filter(|term| term.starts_with(|first: char| first.is_ascii_digit())));
    }

    /// Returns whether another text counts the same thing as this number does here, and only with other numbers.
    pub(super) fn is_denied(&self, number: &str, other: &Self) -> bool {
        let is_of = |pair: &&(String, String)| pair.0 == number;
        let counts = |thing: &String| other.things.iter().any(|(_, counted)| counted == thing);
        let agrees = |thing: &String| other.reached.contains(&(number.to_owned(), thing.clone()));
        let mut things = self.things.iter().filter(is_of).map(|(_, thing)| thing);
        let is_meant = self.reached.iter().filter(is_of).any(|(_, thing)| agrees(thing));
        !other.bare.contains(number) && !is_meant && things.any(counts)
    }
}

/// Returns whether a number is no count: a year, an ordinal, or the name of something, as in "Room 12".
fn is_label(before: &str, written: &str) -> bool {
    let is_year = written.len() == 4 && written.parse().is_ok_and(|year: u32| (1000..2100).contains(&year));
    let has_digits = written.contains(|letter: char| letter.is_ascii_digit());
    let is_ordinal = has_digits && written.contains(char::is_alphabetic);
    let word = before.strip_suffix(' ').and_then(|before| before.rsplit(char::is_whitespace).next());
    is_year || is_ordinal || word.is_some_and(|word| word.starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denied(claim: &str, number: &str, passage: &str) -> bool {
        Counted::of(claim).is_denied(number, &Counted::of(passage))
    }

    #[test]
    fn a_number_is_denied_if_the_passage_counts_the_thing_with_others_only() {
        let passage = "A crossing takes 25 minutes. It carries 38 cars, and 210 passengers.";
        assert!(denied("The ferry carries 25 cars.", "25", passage));
        assert!(!denied("The ferry carries 38 cars.", "38", passage));
        assert!(!denied("The ferry takes 25 min.", "25", passage), "another unit is not denied");
        assert!(!denied("The ferry takes 25.", "25", passage));
    }

    #[test]
    fn numbers_of_an_enumeration_count_the_same() {
        let passage = "Notes of 60, 90 or 120 days; paid within ten (10) days.";
        for number in ["60", "90", "120"] {
            assert!(!denied(&format!("A note of {number} days."), number, passage));
        }
        assert!(denied("A note of 30 days.", "30", passage));
    }

    #[test]
    fn a_number_without_a_thing_may_count_that_of_another() {
        let passage = "The concert costs 12 euros, or 6 for students. Plot 17 measures 240 square metres.";
        assert!(!denied("Students pay 6 euros.", "6", passage));
        assert!(!denied("Plot 17 is 240 square metres in size.", "17", passage));
    }

    #[test]
    fn years_ordinals_and_labels_count_nothing() {
        for (claim, number, passage) in [
            (
                "In 2016 the mill was closed.",
                "2016",
                "In 1987 the mill opened. It was closed in 2016. The mill is empty.",
            ),
            ("In 2016 ACME closed the mill.", "2016", "In 1987 ACME opened a mill, and in 2016 closed it."),
            ("Room 12 has 40 seats.", "40", "Room 12 seats 40 people."),
            (
                "The archive is on the 3rd floor.",
                "3",
                "The building has 5 floors. Floor 3 houses the archive.",
            ),
            ("It carries 210 passengers.", "210", "Cars 38 Passengers 210 Crew 6"),
        ] {
            assert!(!denied(claim, number, passage), "{claim}");
        }
    }

    #[test]
    fn words_may_stand_between_a_number_and_what_it_counts() {
        let passage =
            "Either party may terminate with 30 calendar days' notice. Invoices are due within 14 days.";
        assert!(!denied("The notice period is 30 days.", "30", passage));
        assert!(!denied(
            "A notice of 30 calendar days.",
            "30",
            "The notice is 30 days, and 14 calendar days for invoices."
        ));
        assert!(denied("Invoices are due within 21 days.", "21", passage));
    }
}
