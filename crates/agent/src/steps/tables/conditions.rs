//! Reads the conditions of a tagged question: which rows are meant.

use super::query::{Comparison, Test};
use super::reader::Reader;
use super::table::{Cell, Column, Kind, stem};
use super::tags::{Sureness, Tag};
use super::words::Word;
use std::collections::BTreeSet;

/// Words of columns for where something begins, and where it ends.
const ORIGINS: &str = "from origin source departure start sender";
const DESTINATIONS: &str = "to destination target arrival end recipient";

impl Reader<'_> {
    /// Reads all conditions.
    pub(in crate::steps) fn read(&mut self) -> Option<()> {
        let mut at = 0;
        while at < self.spans.len() {
            if self.is_used(at) {
                (self.joined, at) = (false, at + 1);
                continue;
            }
            at = self.one(at)?;
        }
        Some(())
    }

    /// Reads what is at a span; returns the next one.
    pub(in crate::steps) fn one(&mut self, at: usize) -> Option<usize> {
        let tag = self.tag(at)?.clone();
        match tag {
            Tag::Values(values) => return self.values(at, values),
            Tag::Quantity(quantity) => return self.quantity(at, quantity),
            Tag::Range(low, high) => {
                self.between(at, at, low, high)?;
                self.take(at);
                return Some(at + 1);
            }
            Tag::Period(period) => {
                let (test, end) = match self.word(at + 1) {
                    Some(Word::Behind(comparison)) => {
                        (self.period_test(Word::Compare(comparison, ""), period)?, at + 2)
                    }
                    _ => (Test::within(period), at + 1),
                };
                self.take(end - 1);
                self.date(at, at + 1, test)?;
                return Some(end);
            }
            Tag::Month(month) => {
                self.date(at, at + 1, Test::Month(month))?;
                return Some(at + 1);
            }
            Tag::Opposite(columns) => {
                let denied = !std::mem::take(&mut self.denied);
                let column = *columns.first()?;
                let test = match self.column(column)?.kind {
                    Kind::Boolean => Test::Boolean(!denied),
                    _ => Test::There(!denied),
                };
                self.take(at);
                self.add(at, vec![column], test);
                return Some(at + 1);
            }
            Tag::Word(word) => return self.operator(at, word),
            // "allow pets": two parts of one name.
            Tag::Columns(columns, _) => return self.named(at, &columns),
            Tag::Both(..) | Tag::Entity | Tag::Unknown => {
                (self.joined, self.or) = (false, false);
            }
        }
        Some(at + 1)
    }

    /// Reads a word of a condition.
    pub(in crate::steps) fn operator(&mut self, at: usize, word: Word) -> Option<usize> {
        match word {
            // "Under warranty": nothing is compared with yes or no.
            Word::Compare(..) if self.is_flag(at + 1) => {
                self.take(at);
            }
            Word::Compare(comparison, hint) => return self.comparison(at, comparison, hint),
            Word::Between => return self.range(at),
            Word::From if self.is_range(at) => return self.range(at),
            Word::In
            | Word::Before
            | Word::After
            | Word::Since
            | Word::Until
            | Word::From
            | Word::To
            | Word::By => {
                return self.time(at, word);
            }
            // "The third floor", "the second quarter or later".
            Word::Ordinal(number) if self.is_numeric(at + 1) => return self.ordinal(at, number),
            Word::Not => {
                self.denied = true;
                self.take(at);
            }
            Word::Without => return self.without(at),
            Word::Missing | Word::Present => {
                // "No information about payment."
                let behind = self.low(at).contains(' ') && self.low(at).starts_with("no ");
                let column = self.previous(at, |_| false).filter(|at| self.is_column(*at) && !behind);
                let column = column.or_else(|| {
                    Some(self.next(at + 1, |word| word == Word::In)).filter(|at| self.is_column(*at))
                })?;
                let there = (word == Word::Present) != std::mem::take(&mut self.denied);
                self.there(column, there)?;
                self.take(at);
            }
            Word::Or => {
                self.or = self.joined;
                self.take(at);
            }
            Word::And => self.take(at),
            Word::Filler | Word::Auxiliary => {}
            _ => (self.joined, self.or) = (false, false),
        }
        Some(at + 1)
    }

    /// Reads values: of the column that is named beside them, if several have them.
    pub(in crate::steps) fn values(&mut self, at: usize, values: Vec<(usize, Vec<String>)>) -> Option<usize> {
        let between = |word: Word| {
            matches!(
                word,
                Word::In
                    | Word::Not
                    | Word::By
                    | Word::From
                    | Word::To
                    | Word::Compare(Comparison::Equal, _)
                    | Word::And
                    | Word::Or
            )
        };
        let before = self.previous(at, between).filter(|at| self.is_column(*at));
        // "From Berlin to Rome": the words belong to what is behind them.
        let behind = Some(at + 1).filter(|at| self.is_column(*at) && self.word(*at).is_none());
        let is_named = |place: usize| values.iter().any(|(column, _)| self.columns(place).contains(column));
        let beside = behind.into_iter().chain(before).find(|place| is_named(*place));
        let last = self
            .conditions
            .last()
            .and_then(|any| any.last())
            .map(|last| last.columns.clone())
            .filter(|_| self.joined);
        // The words of columns that a preposition belongs to, and of those that it does not.
        let ways = match self.previous(at, |_| false).and_then(|before| self.word(before)) {
            Some(Word::From) => (ORIGINS, DESTINATIONS),
            Some(Word::To) => (DESTINATIONS, ORIGINS),
            _ => ("", ""),
        };
        // "Who manages Ben" asks for a manager, "who reports to Ben" for others.
        let label = self.table.label.filter(|label| values.iter().any(|(column, _)| column == label));
        let asks_who = |place: usize| {
            let leads = self.previous(place, |_| false).and_then(|lead| self.word(lead));
            place + 1 == at && leads == Some(Word::Who)
        };
        let mut chosen = values.clone();
        if let Some(label) = label.filter(|_| beside.is_some_and(asks_who)) {
            chosen.retain(|(column, _)| *column == label);
        } else if let Some(place) = beside {
            chosen.retain(|(column, _)| self.columns(place).contains(column));
            // "Which city does the Berlin office ...": a column that is asked for stays.
            if place > at || self.sureness(place) == Some(Sureness::About) || !self.is_asked(place) {
                self.take(place);
            }
        } else if let Some(last) = last.filter(|last| values.iter().any(|(column, _)| last.contains(column)))
        {
            chosen.retain(|(column, _)| last.contains(column));
        } else if values.len() > 1 {
            let subject = self
                .previous(at, |_| false)
                .is_none_or(|before| !matches!(self.low(before), "for" | "under" | "by"));
            let label = self.table.label.filter(|label| values.iter().any(|(column, _)| column == label));
            if let Some(label) = label {
                chosen.retain(|(column, _)| (*column == label) == subject);
            }
            if chosen.iter().any(|(column, _)| self.is_called(*column, ways.0)) {
                chosen.retain(|(column, _)| self.is_called(*column, ways.0));
            }
        }
        // "From Rome" is no flight to Rome.
        let is_way = (0..self.table.columns.len()).any(|column| self.is_called(column, ways.0));
        if is_way && chosen.iter().any(|(column, _)| self.is_called(*column, ways.1)) {
            return None;
        }
        // A value of several columns is sure if all select the same rows.
        if chosen
            .first()
            .is_some_and(|first| chosen.iter().any(|one| self.rows_of(one) != self.rows_of(first)))
        {
            return None;
        }
        let keys: BTreeSet<String> = chosen.iter().flat_map(|(_, keys)| keys.clone()).collect();
        let columns: Vec<usize> = chosen.iter().map(|(column, _)| *column).collect();
        self.take(at);
        let denied = self.denied;
        self.add(at, columns, Test::Among(keys.into_iter().collect()));
        self.release(at + 1, denied);
        Some(at + 1)
    }

    /// Returns whether the name of a column has one of these words.
    fn is_called(&self, column: usize, words: &str) -> bool {
        let has = |word: &str| self.column(column).is_some_and(|column| column.stems.contains(&stem(word)));
        words.split_whitespace().any(has)
    }

    /// Returns the rows that have one of these values in a column.
    fn rows_of(&self, (column, keys): &(usize, Vec<String>)) -> Vec<usize> {
        let is =
            |cell: &Cell| matches!(cell, Cell::Text(texts) if texts.iter().any(|text| keys.contains(text)));
        (0..self.table.len()).filter(|row| is(self.table.cell(*row, *column))).collect()
    }

    /// Ends a negation, unless another value follows in the same list.
    pub(in crate::steps) fn release(&mut self, next: usize, denied: bool) {
        let goes_on = matches!(self.word(next), Some(Word::Or | Word::And))
            && matches!(
                self.tag(self.next(next + 1, |word| matches!(word, Word::In | Word::Not))),
                Some(Tag::Values(_))
            );
        self.denied = denied && goes_on;
        if self.denied {
            // "not in Berlin or Munich" excludes both.
            self.take(next);
        }
    }

    /// Returns whether a column is what the question asks for: "which cities", "what is the price".
    pub(in crate::steps) fn is_asked(&self, at: usize) -> bool {
        let before = self.previous(at, |word| word == Word::Different);
        before.and_then(|before| self.word(before)).is_some_and(|word| {
            matches!(word, Word::Which | Word::What | Word::HowMany | Word::HowMuch | Word::List)
        })
    }

    /// Reads "no phone number", "without Berlin".
    pub(in crate::steps) fn without(&mut self, at: usize) -> Option<usize> {
        let place = self.next(at + 1, |_| false);
        match self.tag(place)?.clone() {
            Tag::Columns(..) | Tag::Both(..)
                if (self.low(at) != "out of" || self.low(place) == "stock")
                    && self.only(self.columns(place), |column| column.kind == Kind::Boolean).is_none() =>
            {
                let denied = std::mem::take(&mut self.denied);
                self.there(place, denied)?;
            }
            _ if self.low(at) == "out of" && self.low(place) != "stock" => return None,
            _ => self.denied = !self.denied,
        }
        (at..place).for_each(|at| self.take(at));
        self.take(at);
        Some(if self.denied { place } else { place + 1 })
    }

    /// Reads the name of a column: a condition if it is yes or no, or if it is denied.
    pub(in crate::steps) fn named(&mut self, at: usize, columns: &[usize]) -> Option<usize> {
        // "Sold" is a part of more names than "sold out".
        let is_flag = |at: &usize| self.column(*at).is_some_and(|column| column.kind == Kind::Boolean);
        let is_sure = self.sureness(at) == Some(Sureness::Name) || columns.iter().all(is_flag);
        let flag = self.only(columns, |column| column.kind == Kind::Boolean).filter(|_| is_sure);
        if let Some(column) = flag {
            if !self.is_grouping(at) {
                // "allow pets", "is remote: yes".
                let mut end = at + 1;
                while self.columns(end).contains(&column) {
                    end += 1;
                }
                let said = self.next(end, |_| false);
                let value = matches!(self.low(said), "yes" | "true" | "no" | "false")
                    .then(|| !matches!(self.low(said), "no" | "false"));
                if value.is_some() {
                    self.take(said);
                }
                let wanted = value.unwrap_or(true) != std::mem::take(&mut self.denied);
                (at..end).for_each(|at| self.take(at));
                self.add(at, vec![column], Test::Boolean(wanted));
                return Some(end);
            }
        } else if self.denied && !self.starts_condition(at + 1) {
            // "Are not managers" is no lack of a manager.
            if self.is_predicate(at) && self.is_noun(at) {
                return None;
            }
            let denied = std::mem::take(&mut self.denied);
            self.there(at, !denied)?;
            return Some(at + 1);
        }
        // "Admitted and discharged in March" are two conditions.
        let is_shared = |kind: Kind| {
            let of = |place: usize| self.only(self.columns(place), |column| column.kind == kind).is_some();
            of(at) && of(at + 2)
        };
        if matches!(self.word(at + 1), Some(Word::And | Word::Or))
            && (is_shared(Kind::Date) || is_shared(Kind::Number))
            && !self.starts_condition(at + 1)
            && self.starts_condition(at + 3)
        {
            return None;
        }
        self.joined = false;
        if self.is_done(at) && !self.starts_condition(at + 1) {
            self.there(at, true)?;
            return Some(at + 1);
        }
        // "Are in stock".
        let is_within = self.low(at.wrapping_sub(1)) == "in"
            && (matches!(
                self.low(at.wrapping_sub(2)),
                "is" | "are" | "was" | "were" | "still" | "currently"
            ) || matches!(
                self.tag(at.wrapping_sub(2)),
                Some(Tag::Entity | Tag::Values(_) | Tag::Word(Word::Rows | Word::Not))
            ))
            && self.only(columns, |column| column.kind == Kind::Number).is_some();
        if is_within && !self.starts_condition(at + 1) {
            self.there(at, true)?;
            return Some(at + 1);
        }
        let is_one = matches!(self.low(at.wrapping_sub(1)), "a" | "an" | "any" | "some");
        // "List the flats with rent and size" shows columns.
        let lists = self.spans.first().is_some_and(|first| first.tag == Tag::Word(Word::List));
        let is_had = match self.low(at.wrapping_sub(if is_one { 2 } else { 1 })) {
            "has" | "have" | "having" => true,
            "with" => is_one || !lists,
            _ => false,
        };
        if is_had && !is_participle(self.low(at)) && !self.starts_condition(at + 1) {
            self.there(at, true)?;
        }
        Some(at + 1)
    }

    /// Returns whether a column of yes and no is named.
    fn is_flag(&self, at: usize) -> bool {
        self.only(self.columns(at), |column| column.kind == Kind::Boolean).is_some()
    }

    /// Returns whether a text's or number's column is named by a noun.
    fn is_noun(&self, at: usize) -> bool {
        let is_date = self.only(self.columns(at), |column| column.kind == Kind::Date).is_some();
        !is_date && !is_participle(self.low(at))
    }

    /// Returns whether a column is named as what has happened: "orders that were shipped".
    fn is_done(&self, at: usize) -> bool {
        let all = 0..self.spans.len();
        let asks_date = |at: usize| {
            matches!(
                self.word(at),
                Some(Word::When | Word::What | Word::Extreme(..) | Word::Top(_) | Word::Frequent(_))
            )
        };
        let is_date = |column: &Column| column.kind == Kind::Date && !column.of_years;
        let fits = |column: &Column| is_date(column) || (column.kind == Kind::Text && !column.is_full());
        let is_said = matches!(
            self.low(at.wrapping_sub(1)),
            "was" | "were" | "been" | "already" | "is" | "are" | "has" | "have"
        );
        // "Shipped orders", but not "the last shipped orders".
        let is_before = matches!(self.tag(at + 1), Some(Tag::Entity | Tag::Word(Word::Rows)))
            && !self.previous(at, |_| false).is_some_and(|before| {
                matches!(self.word(before), Some(Word::Extreme(..) | Word::Ordinal(_)))
            });
        // "Have ended" depends on today.
        is_participle(self.low(at))
            && !matches!(self.low(at), "ended" | "expired" | "started" | "scheduled" | "planned")
            && self.sureness(at) >= Some(Sureness::Meaning)
            && ((is_said && !all.into_iter().any(asks_date)) || is_before)
            && self.only(self.columns(at), fits).is_some()
    }
}

/// Returns whether a word says what has been done.
fn is_participle(low: &str) -> bool {
    low.ends_with("ed") || matches!(low, "paid" | "sold" | "sent" | "built" | "made" | "born")
}
