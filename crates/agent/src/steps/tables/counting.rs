//! Reads questions for a number: of rows, of values, or of the things that a column counts.

use super::form::Form;
use super::query::{Aggregate, Ask, Measure};
use super::table::{Column, Kind, stem};
use super::tags::Tag;
use super::words::{PIECES, Word, is_row};

/// Words of columns for kinds of things.
const THINGS: &str =
    "species kind type sort category item product article object animal bird plant variety breed";
/// Events that rows with a number may be.
const EVENTS: &str =
    "survey visit session trip walk night day check inspection round observation measurement sample shift";

/// Returns whether a lowercase word is an event that a row with a number may be.
fn is_event(low: &str) -> bool {
    EVENTS.split(' ').any(|event| stem(event) == stem(low))
}

impl Form<'_> {
    /// Returns whether a word is the plural of a column's name.
    fn names_one(&self, column: usize, place: usize) -> bool {
        let name = self.table().column(column).map_or("", |column| column.name.as_str()).to_lowercase();
        let last =
            name.rsplit(|letter: char| !letter.is_alphanumeric()).next().filter(|last| !last.is_empty());
        let ending = last.and_then(|last| self.reader.low(place).strip_prefix(last));
        matches!(ending, Some("s" | "es"))
    }

    /// Returns what a question counts: rows, different values, or the sum of a column.
    pub(in crate::steps) fn counted(&mut self, at: usize) -> Option<Measure> {
        self.reader.take(at);
        let place =
            self.reader.next(at + 1, |word| matches!(word, Word::Different | Word::In | Word::Overall));
        let columns = self.reader.columns(place).to_vec();
        let is_value = matches!(self.reader.tag(place), Some(Tag::Values(_)));
        let differs = self.find(|word| word == Word::Different).is_some();
        let number = |column: &Column| column.kind == Kind::Number;
        if self.reader.is_used(place) || columns.is_empty() {
            if let Some(column) = self.counts().filter(|_| !differs && self.names_counted(at, place)) {
                let counts = |at: &usize| self.reader.columns(*at).contains(&column);
                let counting: Vec<usize> = (0..self.len()).filter(counts).collect();
                counting.into_iter().for_each(|at| self.reader.take(at));
                return Some(Measure::Of(Aggregate::Sum, column));
            }
            // What a table of counts is named after may be its rows or what they count, and so may what a value selects.
            let is_entity =
                matches!(self.reader.tag(place), Some(Tag::Entity)) && !is_row(self.reader.low(place));
            let is_unsure = is_entity || is_value && !self.is_before_event(place) && !self.counts_times(at);
            if is_unsure && self.counts().is_some() {
                return None;
            }
            // "How many laptops were ordered": the pieces, if the table has them.
            let pieces = || self.reader.hinted(PIECES, number);
            if let Some(column) = pieces().filter(|_| is_value && self.adds_up()) {
                return Some(Measure::Of(Aggregate::Sum, column));
            }
            // "How many washers do we have" asks for pieces, or for kinds.
            if is_value && pieces().or_else(|| self.reader.hinted("stock inventory", number)).is_some() {
                return None;
            }
            return (!differs).then_some(Measure::Rows);
        }
        self.reader.take(place);
        if let (Some(column), false) = (self.reader.only(&columns, number), differs) {
            // The numbers of "seats" add up; those of "chapter" name one each.
            let is_sum = !self.names_one(column, place);
            return Some(if is_sum {
                Measure::Of(Aggregate::Sum, column)
            } else {
                Measure::Different(column)
            });
        }
        let column = self
            .reader
            .only(&columns, |column| column.kind == Kind::Text)
            .or_else(|| self.reader.only(&columns, |_| true))?;
        let is_unique =
            self.table().column(column).is_some_and(|column| column.is_unique && column.is_full());
        if !is_unique && self.is_of_sets() {
            return None;
        }
        Some(if is_unique && !differs { Measure::Rows } else { Measure::Different(column) })
    }

    /// Returns whether a column of counts answers: the span at `place` is a value of a column for kinds of things, or the name of a table
    /// that contains such a column, as "moths" of moths.csv, and not an event.
    fn names_counted(&self, at: usize, place: usize) -> bool {
        let has = |column: &usize, words: &str| {
            self.table()
                .column(*column)
                .is_some_and(|one| words.split(' ').map(stem).any(|word| one.stems.contains(&word)))
        };
        let is_thing = match self.reader.tag(place) {
            Some(Tag::Values(values)) => {
                values.iter().all(|(column, _)| has(column, THINGS)) && !self.is_before_event(place)
            }
            Some(Tag::Entity) => {
                let low = self.reader.low(place);
                let label = self.table().label.and_then(|label| self.table().column(label));
                let has_things = (0..self.table().columns.len()).any(|column| has(&column, THINGS));
                has_things && !is_event(low) && !is_row(low) && !label.is_some_and(|label| label.is_unique)
            }
            _ => false,
        };
        is_thing && !self.counts_times(at)
    }

    /// Returns whether the word at a place asks how often something happened.
    fn counts_times(&self, at: usize) -> bool {
        matches!(self.reader.low(at), "how often" | "how many times")
    }

    /// Returns whether an event that the table is named after follows: "North surveys".
    fn is_before_event(&self, place: usize) -> bool {
        let next = self.reader.next(place + 1, |_| false);
        matches!(self.reader.tag(next), Some(Tag::Entity)) && is_event(self.reader.low(next))
    }

    pub(in crate::steps) fn count(&mut self, at: usize) -> Option<(Ask, Vec<usize>)> {
        let measure = self.counted(at)?;
        Some((Ask::Measure(measure), Vec::new()))
    }
}
