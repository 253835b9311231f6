//! Reads the conditions on dates of a tagged question.

use super::dates::{self, Period};
use super::query::{Comparison, Test};
use super::reader::Reader;
use super::table::{Column, Kind};
use super::tags::Tag;
use super::words::Word;

impl Reader<'_> {
    /// Reads "in 2024", "before March 2024", "since 2020"; other uses of these words are fillers.
    pub(in crate::steps) fn time(&mut self, at: usize, word: Word) -> Option<usize> {
        let place = self.next(at + 1, |_| false);
        // "Within 3 days", but not "within 2024".
        if let (Some(Tag::Quantity(quantity)), "within") = (self.tag(place), self.low(at))
            && dates::year(self.low(place)).is_none()
        {
            let quantity = *quantity;
            self.compare(at, place + 1, Comparison::AtMost, "", quantity)?;
            (at..=place).for_each(|at| self.take(at));
            return Some(place + 1);
        }
        // "The vendor of 1014."
        if self.low(at) == "of"
            && let Some(values) = self.numbered(place)
        {
            self.take(at);
            return self.values(place, values);
        }
        let period = match self.tag(place) {
            // "By March" is until a day that nobody has said.
            Some(Tag::Month(_)) if word == Word::By => return None,
            Some(Tag::Month(month)) if word == Word::In => {
                let month = *month;
                self.date(at, place + 1, Test::Month(month))?;
                (at..=place).for_each(|at| self.take(at));
                return Some(place + 1);
            }
            Some(tag @ (Tag::Period(_) | Tag::Quantity(_))) => period_of(tag, self.low(place), None),
            _ => None,
        };
        // "A rent of 1450" is no year.
        let is_amount = matches!(self.low(at), "of" | "at" | "for")
            && matches!(self.tag(place), Some(Tag::Quantity(_)))
            && self.previous(at, |_| false).is_some_and(|before| {
                self.only(self.columns(before), |column| column.kind == Kind::Number).is_some()
            });
        // "The vendor of 1014" is of no year.
        let is_code = matches!(self.low(at), "of" | "at" | "for" | "to")
            && matches!(self.tag(place), Some(Tag::Quantity(_)))
            && self.bare_year(self.low(place)).is_none();
        let is_of_dates =
            !is_amount && !is_code && self.table.columns.iter().any(|column| column.kind == Kind::Date);
        let Some(period) = period.filter(|_| is_of_dates) else {
            // "After" and "before" compare nothing else; "above" and so on are comparisons.
            let is_plain = matches!(word, Word::In | Word::From | Word::To | Word::By);
            if is_plain {
                self.take(at);
            }
            return is_plain.then_some(at + 1);
        };
        let from_on = word == Word::From
            && !(matches!(self.tag(place), Some(Tag::Period(_)))
                || self.low(place + 1) == "on"
                || matches!(self.word(place + 1), Some(Word::Behind(_))));
        let word = match word {
            // "Invoices from 2023" are of that year; "from May on" is since.
            Word::From
                if self.low(place + 1) == "on" || matches!(self.word(place + 1), Some(Word::Behind(_))) =>
            {
                Word::Since
            }
            Word::From if from_on || period.to - period.from > 1 => Word::In,
            Word::To | Word::By => Word::Until,
            // "In 2020 or later".
            Word::In => match self.word(place + 1) {
                Some(Word::Behind(comparison)) => Word::Compare(comparison, ""),
                _ => Word::In,
            },
            other => other,
        };
        let on = self.low(place + 1) == "on" && word == Word::Since;
        let end = if on || matches!(self.word(place + 1), Some(Word::Behind(_))) { place + 1 } else { place };
        let test = self.period_test(word, period)?;
        self.date(at, end + 1, test)?;
        (at..=end).for_each(|at| self.take(at));
        Some(end + 1)
    }

    pub(in crate::steps) fn period_test(&self, word: Word, period: Period) -> Option<Test> {
        let (from, to) = match word {
            Word::In | Word::Compare(Comparison::Equal, _) => (Some(period.from), Some(period.to)),
            Word::After | Word::Compare(Comparison::More, _) => (Some(period.to), None),
            Word::Since | Word::From | Word::Compare(Comparison::AtLeast, _) => (Some(period.from), None),
            Word::Before | Word::Compare(Comparison::Less, _) => (None, Some(period.from)),
            Word::Until | Word::Compare(Comparison::AtMost, _) => (None, Some(period.to)),
            _ => return None,
        };
        Some(Test::Date { from, to })
    }

    /// Adds a condition on a date, with the column that is named beside it, or the only one.
    pub(in crate::steps) fn date(&mut self, at: usize, behind: usize, test: Test) -> Option<()> {
        let is_date = |column: &Column| {
            column.kind == Kind::Date && (!matches!(test, Test::Month(_)) || !column.of_years)
        };
        let between = |word: Word| {
            matches!(
                word,
                Word::Compare(..)
                    | Word::Not
                    | Word::In
                    | Word::By
                    | Word::Since
                    | Word::After
                    | Word::Before
                    | Word::Until
                    | Word::Between
                    | Word::From
            )
        };
        let place = self.previous(at, between).filter(|at| self.only(self.columns(*at), is_date).is_some());
        let place =
            place.or_else(|| Some(behind).filter(|at| self.only(self.columns(*at), is_date).is_some()));
        let all: Vec<usize> =
            (0..self.table.columns.len()).filter(|at| self.column(*at).is_some_and(is_date)).collect();
        let anywhere = || {
            let mut places =
                (0..self.spans.len()).filter(|at| self.only(self.columns(*at), is_date).is_some());
            let first = places.next();
            first.filter(|_| places.next().is_none())
        };
        let last = || {
            let last = self.conditions.last()?.last()?;
            self.only(&last.columns, is_date).filter(|_| self.joined)
        };
        let column = match place {
            Some(place) => self.only(self.columns(place), is_date)?,
            None => last()
                .or_else(|| if all.len() == 1 { all.first().copied() } else { None })
                .or_else(|| anywhere().and_then(|place| self.only(self.columns(place), is_date)))
                .or_else(|| self.main_date(&all))?,
        };
        if let Some(place) = place.or_else(anywhere).filter(|place| self.columns(*place).contains(&column)) {
            self.take(place);
        }
        self.take(at);
        self.add(at, vec![column], test);
        self.denied = false;
        Some(())
    }
}

/// Returns the period that a span names; a month alone needs a year.
pub(in crate::steps) fn period_of(tag: &Tag, low: &str, year: Option<i64>) -> Option<Period> {
    match tag {
        Tag::Period(period) => Some(*period),
        Tag::Month(month) => Period::months(year?, *month, *month),
        Tag::Quantity(quantity) if quantity.unit.is_none() => dates::year(low).map(Period::year),
        _ => None,
    }
}
