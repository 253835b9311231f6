//! Questions for yes or no over a table.

use super::form::Form;
use super::query::{Ask, Condition, Test};
use super::tags::Tag;
use super::words::Word;

impl Form<'_> {
    /// Returns whether the question has the form of one for yes or no.
    pub(super) fn is_yes_or_no(&self) -> bool {
        let first = (0..self.len()).find(|at| self.reader.word(*at) != Some(Word::Filler));
        matches!(first.and_then(|at| self.reader.word(at)), Some(Word::Any | Word::Auxiliary))
    }

    /// Reads "are all orders from Acme paid": the last condition is asked of all rows that fulfil the others. The inner `None` is of a
    /// question in which it is unclear which condition is asked.
    pub(super) fn all_of_rows(&mut self) -> Option<Option<Ask>> {
        let first = (0..self.len()).find(|at| self.reader.word(*at) != Some(Word::Filler))?;
        let is_all = |at: usize| matches!(self.reader.low(at), "all" | "every" | "each");
        let is_rows = |at: usize| {
            let is_label = |column: &usize| self.table().label == Some(*column);
            matches!(self.reader.tag(at), Some(Tag::Entity | Tag::Word(Word::Rows)))
                || self.reader.columns(at).iter().any(is_label)
        };
        let leads = matches!(
            self.reader.low(first),
            "is" | "are" | "was" | "were" | "have" | "has" | "do" | "does" | "did"
        );
        let of_rows = self.reader.next(first + 1, |word| word == Word::In);
        if !leads || !is_all(first + 1) || !is_rows(of_rows) {
            return None;
        }
        // Before the word for the rows, "all unpaid orders", and behind a preposition they are described.
        let describes = |(any, place): (&Vec<Condition>, &usize)| {
            let is_flag = |one: &Condition| matches!(one.test, Test::Boolean(_) | Test::There(_));
            *place < of_rows || !any.iter().any(is_flag)
        };
        let conditions = &self.reader.conditions;
        let scope = conditions.len().checked_sub(1)?;
        let is_clear = conditions.iter().zip(&self.reader.places).take(scope).all(describes)
            && self.reader.places.last().is_some_and(|place| *place > of_rows)
            && !self.reader.merged
            && conditions.iter().all(|any| any.len() == 1)
            && self.extreme.is_none()
            && self.group.is_none()
            && self
                .find(|word| matches!(word, Word::HowMany | Word::Share | Word::Top(_) | Word::Different))
                .is_none();
        if is_clear {
            self.reader.take(of_rows);
        }
        Some(if is_clear && self.selected().is_some_and(|select| select.is_empty()) {
            Some(Ask::All)
        } else {
            None
        })
    }

    /// Returns whether a question for yes or no asks for any row, not for all of several, an order or a number.
    pub(super) fn asks_whether_any(&self) -> bool {
        let computes = |word: Word| {
            matches!(
                word,
                Word::Extreme(..)
                    | Word::Top(_)
                    | Word::Frequent(_)
                    | Word::HowMany
                    | Word::Share
                    | Word::Per
            )
        };
        let all = ["all", "everyone", "everybody", "everything"];
        let says_all = self.reader.spans.iter().any(|one| all.contains(&one.low.as_str()));
        let first = (0..self.len()).find(|at| self.reader.word(*at) != Some(Word::Filler)).unwrap_or(0);
        let is_any = self.reader.word(first) == Some(Word::Any) || self.reader.low(first).ends_with(" there");
        // "Are orders from Acme paid?" and "Are Anna and Ben remote?" ask for all of them.
        let next = self.reader.next(first + 1, |_| false);
        let of_rows =
            matches!(self.reader.tag(next), Some(Tag::Entity | Tag::Word(Word::Rows | Word::People)));
        let is_several =
            self.reader.conditions.iter().any(|any| any.len() > 1) || (of_rows && self.is_plural(next));
        self.extreme.is_none() && !says_all && self.find(computes).is_none() && (is_any || !is_several)
    }
}
