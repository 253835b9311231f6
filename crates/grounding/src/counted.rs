//! Numbers with what they count, as in "38 cars".

use super::initial_names::normalised_number;
use std::collections::BTreeSet;
use vademecum_text::terms::{Term, terms};
use vademecum_util::within::Within;

/// Maximum number of bytes between the numbers of an enumeration, as in "60 or 90 days".
const MAX_BETWEEN: usize = 6;

/// Numbers of a text, each with the term directly after it: pairs of a term that is counted and a number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Counted(BTreeSet<(String, String)>);

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
                if between.len() > MAX_BETWEEN || between.contains(['.', ';', ':', '\n']) {
                    waiting.clear();
                }
                waiting.push(term);
            } else {
                let is_adjacent = !between.is_empty()
                    && between.chars().all(|letter| letter == '-' || letter.is_whitespace());
                let numbers = waiting.drain(..);
                if is_adjacent && !between.contains('\n') {
                    counted.0.extend(numbers.map(|number| (term.clone(), number)));
                }
            }
            end = at.end;
        }
        counted
    }

    /// Returns whether another text counts the same thing as this number does here, and only with other numbers.
    pub(super) fn is_denied(&self, number: &str, other: &Self) -> bool {
        let things = self.0.iter().filter(|(_, own)| own == number).map(|(thing, _)| thing);
        let mut denied = things.map(|thing| {
            let mut numbers = other.0.iter().filter(|(counted, _)| counted == thing).peekable();
            numbers.peek().is_some() && numbers.all(|(_, other)| other != number)
        });
        denied.any(|is| is)
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
    fn a_year_before_another_word_counts_nothing() {
        let passage = "In 1987 the mill opened. It was closed in 2016. The mill is empty.";
        assert!(!denied("In 2016 the mill was closed.", "2016", passage));
        assert!(!denied("2016, mill closed.", "2016", passage));
    }
}
