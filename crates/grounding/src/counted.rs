//! Numbers with what they count, as in "38 cars".

use super::initial_names::normalised_number;
use std::collections::BTreeSet;
use vademecum_text::terms::{Term, terms};
use vademecum_util::within::Within;

/// What joins the numbers of an enumeration, as in "60 or 90 days", besides punctuation.
const JOINING: [&str; 11] = ["", "and", "bis", "et", "o", "oder", "or", "ou", "to", "und", "y"];

/// The numbers of a text with what they count: the term directly after them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Counted {
    /// Pairs of a term that is counted and a number.
    things: BTreeSet<(String, String)>,
    /// Numbers without such a term; it may be that of another number, as in "12 euros, or 6 for students".
    bare: BTreeSet<String>,
}

impl Counted {
    /// Reads the numbers of a text.
    pub(super) fn of(text: &str) -> Self {
        let mut counted = Self::default();
        let mut waiting: Vec<String> = Vec::new();
        let mut end = 0;
        for Term { text: term, at } in terms(text) {
            let term = normalised_number(term, text.within(at.clone()));
            let between = text.within(end..at.start.max(end));
            if term.starts_with(|first: char| first.is_ascii_digit()) {
                let joining = between.trim_matches(|letter: char| !letter.is_alphabetic());
                if !JOINING.contains(&joining) || between.contains(['.', ';', ':', '\n']) {
                    counted.bare.extend(waiting.drain(..));
                }
                waiting.push(term);
            } else {
                let is_space = |letter: char| letter == '-' || (letter.is_whitespace() && letter != '\n');
                let is_counted = !between.is_empty() && between.chars().all(is_space);
                for number in waiting.drain(..) {
                    if is_counted {
                        counted.things.insert((term.clone(), number));
                    } else {
                        counted.bare.insert(number);
                    }
                }
            }
            end = at.end;
        }
        counted.bare.extend(waiting);
        counted
    }

    /// Returns whether another text counts the same thing as this number does here, and only with other numbers.
    pub(super) fn is_denied(&self, number: &str, other: &Self) -> bool {
        let things = self.things.iter().filter(|(_, own)| own == number).map(|(thing, _)| thing);
        let mut denied = things.map(|thing| {
            let mut numbers = other.things.iter().filter(|(counted, _)| counted == thing).peekable();
            numbers.peek().is_some() && numbers.all(|(_, other)| other != number)
        });
        !other.bare.contains(number) && denied.any(|is| is)
    }
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
    fn a_year_before_another_word_counts_nothing() {
        let passage = "In 1987 the mill opened. It was closed in 2016. The mill is empty.";
        assert!(!denied("In 2016 the mill was closed.", "2016", passage));
        assert!(!denied("2016, mill closed.", "2016", passage));
    }
}
