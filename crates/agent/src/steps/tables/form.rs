//! The form of a question over a table: what orders and groups its rows, and the columns that its words leave.

use super::quantity::Dimension;
use super::query::{First, Key, Part};
use super::reader::{Reader, is_about_money};
use super::table::{Column, Kind, Table};
use super::tags::{Sureness, Tag, Tagged};
use super::words::{PIECES, Word};

/// Verbs of amounts that add up.
const ADDS_UP: [&str; 40] = [
    "donate",
    "donated",
    "contributed",
    "collected",
    "invested",
    "refunded",
    "harvested",
    "consumed",
    "owe",
    "owes",
    "owed",
    "unpaid",
    "outstanding",
    "spend",
    "spent",
    "spends",
    "pay",
    "paid",
    "pays",
    "sold",
    "sell",
    "sells",
    "bought",
    "ordered",
    "purchased",
    "generate",
    "generated",
    "raised",
    "produced",
    "buy",
    "order",
    "purchase",
    "produce",
    "revenue",
    "sales",
    "expenses",
    "bring",
    "brought",
    "turnover",
    "spending",
];
#[derive(Debug)]
/// A question of which the form is known.
pub(in crate::steps) struct Form<'a> {
    pub(in crate::steps) reader: Reader<'a>,
    /// The words by which rows are grouped.
    pub(in crate::steps) group: Option<Key>,
    /// The column by which rows are sorted.
    pub(in crate::steps) sorted_by: Option<usize>,
    /// Place, direction and columns of a word such as "largest".
    pub(in crate::steps) extreme: Option<(usize, bool, &'static str)>,
    pub(in crate::steps) frequent: bool,
    pub(in crate::steps) first: First,
}

impl<'a> Form<'a> {
    pub(in crate::steps) fn table(&self) -> &'a Table {
        self.reader.table
    }

    pub(in crate::steps) fn len(&self) -> usize {
        self.reader.spans.len()
    }

    pub(in crate::steps) fn find(&self, wanted: impl Fn(Word) -> bool) -> Option<usize> {
        (0..self.len()).find(|at| self.reader.word(*at).is_some_and(&wanted))
    }

    pub(in crate::steps) fn kind(&self, column: usize) -> Option<Kind> {
        self.table().column(column).map(|column| column.kind)
    }

    /// Finds "largest", "top 3", "second", and the number beside it.
    pub(in crate::steps) fn find_extreme(&mut self) {
        let Some(at) = self
            .find(|word| matches!(word, Word::Extreme(..) | Word::Frequent(_)))
            .or_else(|| self.find(|word| matches!(word, Word::Top(_))))
        else {
            return;
        };
        match self.reader.word(at) {
            Some(Word::Extreme(greatest, hint)) => self.extreme = Some((at, greatest, hint)),
            Some(Word::Frequent(greatest)) => {
                (self.extreme, self.frequent) = (Some((at, greatest, "")), true);
            }
            Some(Word::Top(greatest)) => self.extreme = Some((at, greatest, "")),
            _ => return,
        }
        self.reader.take(at);
        let top = self.find(|word| matches!(word, Word::Top(_)));
        if let Some(top) = top {
            self.reader.take(top);
        }
        if let Some(ordinal) =
            self.find(|word| matches!(word, Word::Ordinal(_))).filter(|ordinal| ordinal + 1 == at)
            && let Some(Word::Ordinal(number)) = self.reader.word(ordinal)
        {
            self.reader.take(ordinal);
            self.first.skip = number - 1;
        }
        let beside = [at.checked_sub(1), Some(at + 1), top.map(|top| top + 1)];
        // "The cheapest 3 room flat."
        let is_of_column = |place: usize| {
            self.reader.is_numeric(place + 1)
                && matches!(
                    self.reader.tag(place + 2),
                    Some(Tag::Entity | Tag::Unknown | Tag::Word(Word::Rows))
                )
        };
        let number = beside
            .into_iter()
            .flatten()
            .filter(|place| !is_of_column(*place))
            .find_map(|place| small(self.reader.tag(place)).map(|number| (place, number)));
        // "The three students with the lowest attendance."
        let counts_rows = |place: &usize| {
            let is_rows = matches!(
                self.reader.tag(place + 1),
                Some(Tag::Entity | Tag::Word(Word::Rows | Word::People))
            );
            let before = place.checked_sub(1).and_then(|before| self.reader.word(before));
            is_rows && !matches!(before, Some(Word::Compare(..) | Word::Between | Word::And))
        };
        let number = number.or_else(|| {
            let place = (0..self.len()).find(counts_rows)?;
            small(self.reader.tag(place)).map(|number| (place, number))
        });
        if let Some((place, number)) = number {
            self.reader.take(place);
            self.first.count = number as usize;
        }
    }

    /// Finds "by department", "per month", "for each city".
    ///
    /// `None` if there are two of them.
    pub(in crate::steps) fn find_groups(&mut self) -> Option<()> {
        for at in 0..self.len() {
            let Some(word @ (Word::By | Word::Per)) = self.reader.word(at) else { continue };
            let place = self.reader.next(at + 1, |word| matches!(word, Word::Different | Word::In));
            let columns = self.reader.columns(place).to_vec();
            // "Per order" is of each row.
            let of_rows = matches!(self.reader.tag(place), Some(Tag::Entity | Tag::Word(Word::Rows)));
            if word == Word::Per && of_rows && self.find(|word| matches!(word, Word::Aggregate(_))).is_some()
            {
                self.reader.take(at);
                continue;
            }
            let computes = self
                .find(|word| matches!(word, Word::Aggregate(_) | Word::HowMany | Word::Share))
                .is_some_and(|place| place != at + 1);
            let part = part_named(self.reader.low(place));
            let dates: Vec<usize> =
                (0..self.table().columns.len()).filter(|at| self.kind(*at) == Some(Kind::Date)).collect();
            let date = part.and_then(|_| self.reader.main_date(&dates));
            let is_years = |at: usize| self.table().column(at).is_some_and(|column| column.of_years);
            if let (Some(part), Some(date)) = (
                part,
                date.filter(|date| !is_years(*date) && (part != Some(Part::Day) || columns.is_empty())),
            ) {
                self.set_group(Key::Date(date, part))?;
            } else if word == Word::By
                && (self.reader.low(at).ends_with("ed by")
                    || self.extreme.is_some()
                    || self.find(|word| matches!(word, Word::List)).is_some())
                && !computes
                && let Some(column) = self.reader.only(&columns, Column::is_ordered)
            {
                self.sorted_by = Some(column);
            } else if let Some(column) = self
                .reader
                .only(&columns, |column| column.kind != Kind::Number || word == Word::Per)
                .filter(|_| !self.is_before_value(place))
            {
                self.set_group(Key::Column(column))?;
            } else {
                continue;
            }
            self.reader.take(at);
            self.reader.take(place);
            // "Per city and department."
            let second = self.reader.next(place + 2, |_| false);
            if self.reader.word(place + 1) == Some(Word::And)
                && self.reader.is_column(second)
                && !self.is_before_value(second)
            {
                return None;
            }
        }
        if let Some(at) = self.find(|word| matches!(word, Word::Order(_)))
            && let (Some(Word::Order(greatest)), Some(_)) = (self.reader.word(at), self.sorted_by)
        {
            self.reader.take(at);
            self.first.greatest = greatest;
        }
        Some(())
    }

    fn set_group(&mut self, key: Key) -> Option<()> {
        self.group.replace(key).is_none().then_some(())
    }

    /// Returns whether the name of a column stands before one of its values, or a number: "by customer Acme".
    pub(in crate::steps) fn is_before_value(&self, at: usize) -> bool {
        let next = self.reader.next(at + 1, |_| false);
        match self.reader.tag(next) {
            Some(Tag::Values(values)) => {
                values.iter().any(|(column, _)| self.reader.columns(at).contains(column))
            }
            Some(Tag::Quantity(_)) => true,
            _ => false,
        }
    }

    /// Returns the columns that no condition has used: place, column, sureness.
    pub(in crate::steps) fn left(
        &self,
        fits: impl Fn(&Column) -> bool + Copy,
    ) -> Vec<(usize, usize, Sureness)> {
        let one = |at: usize| {
            let column = self.reader.only(self.reader.columns(at), fits)?;
            Some((at, column, self.reader.sureness(at)?))
        };
        (0..self.len()).filter(|at| !self.reader.is_used(*at)).filter_map(one).collect()
    }

    /// Takes the column beside `at` that fits: behind it, else the surest one anywhere.
    pub(in crate::steps) fn pick(
        &mut self,
        at: usize,
        fits: impl Fn(&Column) -> bool + Copy,
    ) -> Option<usize> {
        let next =
            self.reader.next(at + 1, |word| matches!(word, Word::In | Word::Extreme(..) | Word::Different));
        let left = self.left(fits);
        let found = left
            .iter()
            .find(|(place, _, sureness)| *place == next && *sureness >= Sureness::Meaning)
            .or_else(|| {
                left.iter()
                    .max_by_key(|(place, _, sureness)| (*sureness, std::cmp::Reverse(place.abs_diff(at))))
            });
        let (place, column, _) = *found?;
        self.reader.take(place);
        // Other words about the same column.
        for (other, same, sureness) in left {
            if same == column && sureness == Sureness::About {
                self.reader.take(other);
            }
        }
        Some(column)
    }

    /// Returns the column of numbers that the rows are about, if there is only one.
    pub(in crate::steps) fn measure(&self) -> Option<usize> {
        let all: Vec<usize> = (0..self.table().columns.len()).collect();
        let one = |fits: &dyn Fn(&Column) -> bool| {
            let found: Vec<usize> =
                all.iter().copied().filter(|at| self.table().column(*at).is_some_and(fits)).collect();
            if found.len() == 1 { found.first().copied() } else { None }
        };
        let money = |column: &Column| column.is_money() || is_about_money(column);
        one(&|column| column.kind == Kind::Number)
            .or_else(|| one(&money))
            .or_else(|| self.reader.hinted("total amount sum", money))
    }

    /// Returns the column "count", whose number is that of the things that each row contains.
    pub(in crate::steps) fn counts(&self) -> Option<usize> {
        self.reader.hinted("count", |column| column.kind == Kind::Number && column.stems == ["count"])
    }

    /// Returns the measure, unless columns are named behind `at` of which none was sure.
    pub(in crate::steps) fn implied(&self, at: usize) -> Option<usize> {
        let skips = |word| matches!(word, Word::In | Word::Extreme(..) | Word::Different | Word::HowMany);
        let next = self.reader.next(at + 1, skips);
        let is_unsure = matches!(self.reader.tag(next), Some(Tag::Columns(_, sureness)) if *sureness > Sureness::About)
            && !self.reader.is_used(next)
            && self.reader.columns(next).iter().any(|at| self.kind(*at) == Some(Kind::Number));
        if is_unsure { None } else { self.measure().filter(|column| !self.is_of_pieces(*column)) }
    }

    /// Returns whether a column has prices of pieces, of which each row may have several.
    pub(in crate::steps) fn is_of_pieces(&self, column: usize) -> bool {
        let is_price = self.table().column(column).is_some_and(|column| {
            column.stems.iter().any(|stem| matches!(stem.as_str(), "price" | "unit"))
                && !column.stems.iter().any(|stem| matches!(stem.as_str(), "total" | "sum"))
        });
        is_price
            && self
                .reader
                .hinted(PIECES, |column| column.kind == Kind::Number)
                .is_some_and(|pieces| pieces != column)
    }

    /// Determines the column of a word such as "largest", and the direction.
    pub(in crate::steps) fn extreme_column(
        &mut self,
        at: usize,
        greatest: bool,
        hint: &'static str,
    ) -> Option<(usize, bool)> {
        if let Some(column) = self.sorted_by {
            return Some((column, greatest));
        }
        let next = self.reader.next(at + 1, |word| matches!(word, Word::Aggregate(_) | Word::HowMany));
        let of_dates = hint.starts_with("date");
        // Nothing is largest or cheapest by its date.
        let of_numbers = hint.starts_with("size") || hint.starts_with("price");
        let fits = move |column: &Column| match column.kind {
            Kind::Date => !of_numbers,
            _ => !of_dates && column.is_ordered(),
        };
        if let Some(column) = self.reader.only(self.reader.columns(next), fits) {
            self.reader.take(next);
            return Some((column, greatest));
        }
        if hint == "age" {
            if let Some(column) = self.reader.hinted("age", |column| column.kind == Kind::Number) {
                return Some((column, greatest));
            }
            let dates: Vec<usize> =
                (0..self.table().columns.len()).filter(|at| self.kind(*at) == Some(Kind::Date)).collect();
            let years: Vec<usize> = dates
                .iter()
                .copied()
                .filter(|at| self.table().column(*at).is_some_and(|one| one.of_years))
                .collect();
            let column = self.reader.hinted("birth born dob birthday", |column| column.kind == Kind::Date);
            // People are not as old as their contracts.
            let things = || self.reader.main_date(&years).or_else(|| self.reader.main_date(&dates));
            let of_people = self.reader.is_of_people() || self.find(|word| word == Word::Who).is_some();
            let column = column.or_else(|| if of_people { None } else { things() })?;
            return Some((column, !greatest));
        }
        // "The highest mountain", but not "the highest order".
        let is_high = hint.is_empty()
            && matches!(self.reader.low(at), "highest" | "lowest")
            && matches!(self.reader.tag(next), Some(Tag::Entity));
        let hint = if is_high { "height elevation altitude" } else { hint };
        let own = if of_dates { None } else { self.reader.hinted(hint, Column::is_ordered) };
        // "The largest property" by its area.
        let own = own.or_else(|| if hint.starts_with("size") { self.area() } else { None });
        if let Some(column) = own {
            return Some((column, greatest));
        }
        // "How many rooms does the largest flat have" is about no order of rooms.
        let is_asked = |place: usize| !hint.is_empty() && !of_dates && place < at;
        let asked: Vec<usize> =
            self.left(fits).iter().map(|(place, ..)| *place).filter(|place| is_asked(*place)).collect();
        if let Some(column) = Some(()).filter(|()| asked.is_empty()).and_then(|()| self.pick(at, fits)) {
            return Some((column, greatest));
        }
        if of_dates {
            let dates: Vec<usize> =
                (0..self.table().columns.len()).filter(|at| self.kind(*at) == Some(Kind::Date)).collect();
            return Some((self.reader.main_date(&dates)?, greatest));
        }
        let hinted = self.reader.hinted(hint, |column| column.is_ordered());
        let column = if hint.is_empty()
            || is_high
            || hint.starts_with("size")
            || hint.starts_with("price")
            || hint.starts_with("most")
        {
            hinted.or_else(|| self.implied(at))
        } else {
            hinted
        };
        Some((column?, greatest))
    }

    /// Returns the only column of areas.
    fn area(&self) -> Option<usize> {
        let is_area = |at: &usize| {
            let unit = self.table().column(*at).and_then(|column| column.unit);
            unit.is_some_and(|unit| unit.of == Dimension::Area)
        };
        let mut found = (0..self.table().columns.len()).filter(is_area);
        found.next().filter(|_| found.next().is_none())
    }

    /// Returns the column behind a question word: "which department".
    pub(in crate::steps) fn subject(&self) -> Option<(usize, usize)> {
        let lead = self.find(|word| matches!(word, Word::Which | Word::What | Word::List | Word::HowMany))?;
        let place = self.reader.next(lead + 1, |word| matches!(word, Word::Different | Word::In));
        let column =
            self.reader.only(self.reader.columns(place), |_| true).filter(|_| !self.reader.is_used(place))?;
        Some((place, column))
    }

    pub(in crate::steps) fn adds_up(&self) -> bool {
        // A verb that adds nothing, such as that of "samples brought to the lab", adds up no amounts either.
        let is_idle = |one: &Tagged| one.low == "brought" && one.tag == Tag::Word(Word::Filler);
        let is_other = |one: &Tagged| matches!(one.tag, Tag::Values(_)) || is_idle(one);
        self.reader.spans.iter().any(|one| adds_up(&one.low) && !is_other(one))
            || self.find(|word| matches!(word, Word::Overall)).is_some()
    }

    pub(in crate::steps) fn is_group(&self, column: usize) -> bool {
        self.table()
            .column(column)
            .is_some_and(|column| !column.is_unique && matches!(column.kind, Kind::Text | Kind::Boolean))
    }

    /// Takes the part of dates that a question asks for: "which month".
    pub(in crate::steps) fn period_key(&mut self) -> Option<Key> {
        let lead = self.find(|word| matches!(word, Word::Which | Word::What))?;
        let place = self.reader.next(lead + 1, |_| false);
        let part = part_named(self.reader.low(place)).filter(|_| !self.reader.is_used(place))?;
        let dates: Vec<usize> = (0..self.table().columns.len())
            .filter(|at| self.table().column(*at).is_some_and(|one| one.kind == Kind::Date && !one.of_years))
            .collect();
        let date = self.reader.main_date(&dates)?;
        self.reader.take(place);
        Some(Key::Date(date, part))
    }
}

/// Returns whether a lowercase word is a verb of amounts that add up.
pub(super) fn adds_up(low: &str) -> bool {
    ADDS_UP.contains(&low)
}

/// Returns a small whole number.
fn small(tag: Option<&Tag>) -> Option<f64> {
    match tag {
        Some(Tag::Quantity(one)) if one.unit.is_none() && one.value.fract() == 0.0 => {
            Some(one.value).filter(|value| (1.0..1_000.0).contains(value))
        }
        _ => None,
    }
}

fn part_named(low: &str) -> Option<Part> {
    Some(match low {
        "day" | "date" => Part::Day,
        "month" | "months" => Part::Month,
        "quarter" | "quarters" => Part::Quarter,
        "year" | "years" => Part::Year,
        _ => return None,
    })
}
