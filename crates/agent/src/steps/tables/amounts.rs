//! Reads the conditions on amounts and dates of a tagged question.

use super::dates::{self, Period};
use super::moments::period_of;
use super::quantity::{Dimension, Quantity, Unit};
use super::query::{Comparison, Test};
use super::reader::{Reader, is_about_money};
use super::table::{Cell, Column, Kind, stem};
use super::tags::Tag;
use super::words::Word;

impl Reader<'_> {
    /// Reads a bare number: "3 rooms", "rooms: 3", "in 2024" without "in", or a code.
    pub(in crate::steps) fn quantity(&mut self, at: usize, quantity: Quantity) -> Option<usize> {
        if let Some(Word::Behind(comparison)) = self.word(at + 1) {
            self.compare(at, at + 2, comparison, "", quantity)?;
            (at..at + 2).for_each(|at| self.take(at));
            return Some(at + 2);
        }
        // "3 rooms or more".
        if let (true, Some(Word::Behind(comparison))) = (self.is_column(at + 1), self.word(at + 2)) {
            self.compare(at, at + 1, comparison, "", quantity)?;
            (at..at + 3).for_each(|at| self.take(at));
            return Some(at + 3);
        }
        if matches!(self.word(at + 1), Some(Word::To)) && matches!(self.tag(at + 2), Some(Tag::Quantity(_))) {
            let Some(Tag::Quantity(high)) = self.tag(at + 2).cloned() else { return None };
            self.between(at, at + 2, quantity, high)?;
            (at..at + 3).for_each(|at| self.take(at));
            return Some(at + 3);
        }
        let key = self.low(at).to_owned();
        let is_code = |column: &Column| {
            column.kind == Kind::Text
                && column.cells.iter().any(|cell| matches!(cell, Cell::Text(texts) if texts.contains(&key)))
        };
        let named = |at: usize| {
            self.columns(at)
                .iter()
                .copied()
                .filter(|at| self.column(*at).is_some_and(is_code))
                .collect::<Vec<_>>()
        };
        let before = at.checked_sub(1).map(named).unwrap_or_default();
        let all: Vec<usize> = (0..self.table.columns.len()).collect();
        let beside_number = self.is_numeric(at + 1)
            || self
                .previous(at, |word| matches!(word, Word::In | Word::Compare(Comparison::Equal, _)))
                .is_some_and(|at| self.is_numeric(at));
        // "The cost of 1003" and "when was order 1003 placed" are of a row, unless that is a cost.
        let is_there = |cell: &Cell| matches!(cell, Cell::Number(one) if one.value == quantity.value);
        let is_name = (self.low(at.wrapping_sub(1)) == "of"
            || self.tag(at.wrapping_sub(1)) == Some(&Tag::Entity))
            && all.iter().any(|at| self.column(*at).is_some_and(is_code))
            && !all.iter().filter_map(|at| self.column(*at)).any(|column| column.cells.iter().any(is_there));
        if !before.is_empty() || !beside_number || is_name {
            let columns = if before.is_empty() {
                all.into_iter().filter(|at| self.column(*at).is_some_and(is_code)).collect()
            } else {
                before
            };
            if !columns.is_empty() && quantity.unit.is_none() {
                if at > 0 && self.is_column(at - 1) {
                    self.take(at - 1);
                }
                return self
                    .values(at, columns.into_iter().map(|column| (column, vec![key.clone()])).collect());
            }
        }
        if let Some(values) = self.numbered(at) {
            self.take(at);
            return self.values(at, values);
        }
        // "Invoice 2014" is one, and "invoices 2014" are of a year.
        let is_one = at.checked_sub(1).is_some_and(|before| self.names_one(before));
        if is_one && dates::year(&key).is_some() && !beside_number {
            return None;
        }
        if !beside_number && let Some(year) = self.bare_year(&key) {
            self.date(at, at + 1, Test::within(Period::year(year)))?;
            return Some(at + 1);
        }
        // "At least 5 goals and 3 assists" may be at least 3.
        let compares = |test: &Test| matches!(test, Test::Number(how, _) if *how != Comparison::Equal);
        let follows = self.previous(at, |_| false).and_then(|at| self.word(at));
        let follows = matches!(follows, Some(Word::And | Word::Or));
        let last = self.conditions.last().and_then(|any| any.last()).filter(|_| follows);
        if last.is_some_and(|last| compares(&last.test)) {
            return None;
        }
        self.compare(at, at + 1, Comparison::Equal, "", quantity)?;
        self.take(at);
        Some(at + 1)
    }

    /// Returns whether a span names a row: a singular word for rows, or for the column of their names.
    fn names_one(&self, at: usize) -> bool {
        let is_label = |column: &usize| {
            self.table.label == Some(*column) || self.column(*column).is_some_and(Column::is_coded)
        };
        let names = matches!(self.tag(at), Some(Tag::Entity)) || self.columns(at).iter().any(is_label);
        names && !self.low(at).ends_with('s')
    }

    /// Returns the code that a number behind a word for its column, or "of", is the numeric part of: "invoice 1014" for INV-1014.
    pub(in crate::steps) fn numbered(&self, at: usize) -> Option<Vec<(usize, Vec<String>)>> {
        let digits = self.low(at);
        if digits.is_empty() || !digits.bytes().all(|one| one.is_ascii_digit()) {
            return None;
        }
        let before = self.previous(at, |_| false).filter(|before| self.names_one(*before));
        let of = self.low(at.wrapping_sub(1)) == "of" && digits.len() > 2;
        let columns: Vec<usize> = match before {
            Some(place) if !self.columns(place).is_empty() => self.columns(place).to_vec(),
            Some(_) => self.table.label.into_iter().collect(),
            None if of => self.table.label.into_iter().collect(),
            None => return None,
        };
        let keys = |column: &usize| {
            let column = self.column(*column).filter(|column| column.is_coded())?;
            let texts = column.cells.iter().filter_map(|cell| match cell {
                Cell::Text(texts) => texts.first(),
                _ => None,
            });
            let fits =
                |text: &&String| code_number(text).is_some_and(|own| own == digits.trim_start_matches('0'));
            let found: Vec<String> = texts.filter(fits).cloned().collect();
            (found.len() == 1).then_some(found)
        };
        let found: Vec<(usize, Vec<String>)> =
            columns.iter().filter_map(|column| Some((*column, keys(column)?))).collect();
        (found.len() == 1).then_some(found)
    }

    /// Returns a number that is a year though nothing says so: one of today's, or one as the table's dates are.
    pub(in crate::steps) fn bare_year(&self, key: &str) -> Option<i64> {
        let year = dates::year(key)?;
        let dates = self.table.columns.iter().filter(|column| column.kind == Kind::Date);
        let is_own = |cell: &Cell| matches!(cell, Cell::Date(period) if dates::civil(period.from).0 == year);
        let is_recent = (1900..2100).contains(&year);
        (is_recent || dates.flat_map(|column| &column.cells).any(is_own)).then_some(year)
    }

    pub(in crate::steps) fn is_numeric(&self, at: usize) -> bool {
        self.columns(at).iter().any(|at| self.column(*at).is_some_and(Column::is_ordered))
    }

    /// Reads "third floor", and "third floor or higher".
    pub(in crate::steps) fn ordinal(&mut self, at: usize, number: usize) -> Option<usize> {
        let (comparison, end) = match self.word(at + 2) {
            Some(Word::Behind(comparison)) => (comparison, at + 3),
            _ => (Comparison::Equal, at + 2),
        };
        self.compare(at, at + 1, comparison, "", Quantity::bare(number as f64))?;
        (at..end).for_each(|at| self.take(at));
        Some(end)
    }

    /// Reads "more than 5 rooms", "after 2010".
    pub(in crate::steps) fn comparison(
        &mut self,
        at: usize,
        comparison: Comparison,
        hint: &str,
    ) -> Option<usize> {
        let place = self.next(at + 1, |_| false);
        match self.tag(place)?.clone() {
            Tag::Quantity(quantity) => {
                self.compare(at, place + 1, comparison, hint, quantity)?;
                (at..=place).for_each(|at| self.take(at));
                Some(place + 1)
            }
            Tag::Period(period) => {
                let test = self.period_test(Word::Compare(comparison, ""), period)?;
                self.date(at, place + 1, test)?;
                (at..=place).for_each(|at| self.take(at));
                Some(place + 1)
            }
            Tag::Values(values) if comparison == Comparison::Equal => {
                self.take(at);
                self.values(place, values)
            }
            _ => None,
        }
    }

    /// Adds a comparison with the column it is about.
    pub(in crate::steps) fn compare(
        &mut self,
        at: usize,
        behind: usize,
        comparison: Comparison,
        hint: &str,
        quantity: Quantity,
    ) -> Option<()> {
        let year = if quantity.unit.is_none() && quantity.value.fract() == 0.0 {
            dates::year(&format!("{}", quantity.value))
        } else {
            None
        };
        let fits = |column: &Column| match column.kind {
            Kind::Number => measures(column, quantity),
            Kind::Date => year.is_some(),
            _ => false,
        };
        let between = |word: Word| matches!(word, Word::Compare(..) | Word::Not | Word::In | Word::Filler);
        let next = self.next(behind, |word| word == Word::In);
        let beside = self.previous(at, between).filter(|at| self.only(self.columns(*at), fits).is_some());
        let behind_it = Some(next).filter(|next| {
            (*next == behind || self.word(behind) == Some(Word::In))
                && self.only(self.columns(*next), fits).is_some()
        });
        let last = || {
            let last = self.conditions.last()?.last()?;
            let is_number = matches!(last.test, Test::Number(..) | Test::Date { .. });
            self.only(&last.columns, fits).filter(|_| self.joined && is_number)
        };
        let place = match (beside, behind_it) {
            // "with a rating above 4 and fewer than 300 pages".
            (Some(before), Some(behind)) if self.is_used(before) => Some(behind),
            // "Scored above 80 in maths."
            (Some(before), Some(behind)) if self.sureness(before) < self.sureness(behind) => Some(behind),
            (Some(before), _) => Some(before),
            (None, behind) => behind,
        };
        let column = match place {
            Some(place) => self.only(self.columns(place), fits),
            None => self
                .hinted(hint, fits)
                .or_else(|| self.shared(behind, fits))
                .or_else(last)
                .or_else(|| self.aged(at, quantity))
                .or_else(|| self.implied(at, behind, comparison, quantity, hint)),
        }?;
        if let Some(place) = place {
            self.take(place);
        }
        // The other part of a name of two words.
        let test = match (self.column(column)?.kind, year) {
            (Kind::Date, Some(year)) => {
                // "Older than 2010" is before it.
                let older = hint == "age";
                let word = match comparison {
                    Comparison::More if older => Word::Before,
                    Comparison::Less if older => Word::After,
                    other => Word::Compare(other, ""),
                };
                self.period_test(word, Period::year(year))?
            }
            _ => Test::Number(comparison, self.in_base_units(behind, quantity, column)),
        };
        let denied = std::mem::take(&mut self.denied);
        self.denied = denied;
        self.add(at, vec![column], test);
        self.denied = false;
        Some(())
    }

    /// Returns the column behind the last of several numbers: "2 or 3 rooms", "at least 2 and at most 3 rooms".
    fn shared(&self, behind: usize, fits: impl Fn(&Column) -> bool) -> Option<usize> {
        let mut at = behind;
        while matches!(self.word(at), Some(Word::And | Word::Or)) {
            let number = self.next(at + 1, |word| matches!(word, Word::Compare(..)));
            let Some(Tag::Quantity(_)) = self.tag(number) else { return None };
            at = number + 1;
        }
        self.only(self.columns(at), fits).filter(|_| at > behind)
    }

    /// Returns the column of ages for "is over 40".
    fn aged(&self, at: usize, quantity: Quantity) -> Option<usize> {
        let said = at.checked_sub(1).map_or("", |before| self.low(before));
        let is_age = quantity.unit.is_none() && matches!(said, "is" | "are" | "aged" | "anyone" | "people");
        let age = |column: &Column| column.kind == Kind::Number;
        self.hinted("age", age).filter(|_| is_age)
    }

    /// Returns an amount such as "40 million" for a column whose numbers are millions.
    fn in_base_units(&self, behind: usize, quantity: Quantity, column: usize) -> Quantity {
        let said = behind.checked_sub(1).map(|place| self.low(place)).unwrap_or_default();
        let column = self.table.column(column);
        let unit = column.and_then(|column| column.unit).filter(|unit| !unit.scale.is_empty());
        // "2000000" of millions is no number of millions.
        let greatest = column.and_then(Column::ends).map_or(f64::MAX, |(_, greatest)| greatest);
        let is_large = |unit: &Unit| quantity.value >= unit.factor && quantity.value > greatest;
        let is_scaled = said.chars().any(char::is_alphabetic) || unit.as_ref().is_some_and(is_large);
        let base = unit.map(|unit| Unit { factor: 1.0, scale: "", ..unit });
        Quantity { unit: quantity.unit.or(base.filter(|_| is_scaled)), ..quantity }
    }

    /// Returns the column that an amount must be about: the only one of its unit, or that of money.
    fn implied(
        &self,
        at: usize,
        behind: usize,
        comparison: Comparison,
        quantity: Quantity,
        hint: &str,
    ) -> Option<usize> {
        let of_price = hint.starts_with("price");
        // "Younger than 30" is about no bill.
        if !hint.is_empty() && !of_price && quantity.unit.is_none() {
            return None;
        }
        let all: Vec<usize> = (0..self.table.columns.len()).collect();
        let one = |fits: &dyn Fn(&Column) -> bool| {
            let found: Vec<usize> =
                all.iter().copied().filter(|at| self.column(*at).is_some_and(fits)).collect();
            if found.len() == 1 { found.first().copied() } else { self.whole(&found) }
        };
        let is_of_money = |column: &Column| column.is_money() || is_about_money(column);
        let Some(unit) = quantity.unit else {
            // "More than 3 employees" counts rows, and "the 5th of March" is no amount.
            let counts = matches!(
                self.tag(behind),
                Some(Tag::Entity | Tag::Unknown | Tag::Month(_) | Tag::Word(Word::Rows | Word::People))
            );
            let before = self.previous(at, |_| false);
            let is_said = of_price || before.is_none_or(|before| !self.is_column(before));
            let is_plain = !counts && is_said && (of_price || comparison != Comparison::Equal);
            let column =
                one(&|column| measures(column, quantity) && is_of_money(column)).filter(|_| is_plain)?;
            // Nobody earns more than 40.
            let is_near = |(least, greatest): (f64, f64)| (least..=greatest).contains(&quantity.value);
            let sure = of_price || self.column(column).and_then(Column::ends).is_some_and(is_near);
            return Some(column).filter(|_| sure && !self.is_of_people());
        };
        let is_price = matches!(unit.of, Dimension::Money(_));
        // Nothing is known of amounts in another currency, not even that they are no more.
        let is_other = |column: &Column| column.is_money() && !column.is_mixed();
        one(&|column| column.unit.is_some_and(|own| own.of == unit.of) && measures(column, quantity))
            .or_else(|| one(&|column| is_price && measures(column, quantity) && is_about_money(column)))
            .or_else(|| one(&|column| is_price && is_other(column)).filter(|_| !self.denied))
    }

    /// Returns whether the rows are people: what they are compared by is not what they cost.
    pub(in crate::steps) fn is_of_people(&self) -> bool {
        const OF_PEOPLE: &str = "salary wage income employee staff person people hire birth age gender surname \
            player student patient member teacher driver user applicant candidate guest";
        let names_them = OF_PEOPLE.split_whitespace().any(|word| self.table.stems.contains(&stem(word)));
        names_them || self.hinted(OF_PEOPLE, |_| true).is_some()
    }

    /// Returns whether "from" begins a range: "from 3 to 5".
    pub(in crate::steps) fn is_range(&self, at: usize) -> bool {
        let is_end =
            |at: usize| matches!(self.tag(at), Some(Tag::Quantity(_) | Tag::Period(_) | Tag::Month(_)));
        is_end(at + 1) && matches!(self.word(at + 2), Some(Word::To | Word::Until)) && is_end(at + 3)
    }

    /// Reads "between A and B".
    pub(in crate::steps) fn range(&mut self, at: usize) -> Option<usize> {
        let first = self.next(at + 1, |_| false);
        let second = self.next(first + 2, |_| false);
        if !matches!(self.word(first + 1), Some(Word::And | Word::To | Word::Until)) {
            return None;
        }
        match (self.tag(first)?.clone(), self.tag(second)?.clone()) {
            (Tag::Quantity(low), Tag::Quantity(high)) => self.between(at, second, low, high)?,
            (low, high) => {
                let second_end = period_of(&high, self.low(second), None)?;
                // "Between March and May 2024", "between 1 and 15 May 2024" has no first period of its own.
                let year = dates::civil(second_end.from).0;
                let period = period_of(&low, self.low(first), Some(year))?.through(second_end);
                self.date(at, second + 1, Test::within(period))?;
            }
        }
        (at..=second).for_each(|at| self.take(at));
        Some(second + 1)
    }

    pub(in crate::steps) fn between(
        &mut self,
        at: usize,
        end: usize,
        low: Quantity,
        high: Quantity,
    ) -> Option<()> {
        // "Between 1 and 2 million" may begin at one.
        let is_scaled = |at: usize| self.low(at).chars().any(char::is_alphabetic);
        if high.unit.is_none() && is_scaled(end) && low.value * 1_000.0 <= high.value {
            return None;
        }
        let low = Quantity { unit: low.unit.or(high.unit), ..low };
        // Two years are a period, if nothing says that they are amounts.
        let year =
            |one: Quantity| one.unit.is_none().then(|| self.bare_year(&format!("{}", one.value))).flatten();
        if let (Some(first), Some(last)) = (year(low), year(high)) {
            let is_amount = |column: &Column| column.kind == Kind::Number;
            let before = self.previous(at, |_| false);
            let beside = before.into_iter().chain([self.next(end + 1, |_| false)]);
            if !beside.into_iter().any(|place| self.only(self.columns(place), is_amount).is_some()) {
                return self.date(at, end + 1, Test::within(Period::year(first).through(Period::year(last))));
            }
        }
        let denied = self.denied;
        let place = self.conditions.len();
        self.denied = false;
        self.compare(at, end + 1, Comparison::AtLeast, "", low)?;
        let column = self.conditions.last()?.last()?.columns.clone();
        let second = match self.conditions.last()?.last()?.test {
            Test::Date { from, .. } => Test::Date {
                from: None,
                to: Some(Period::year(dates::year(&format!("{}", high.value))?).to)
                    .filter(|to| from.is_none_or(|from| *to > from)),
            },
            _ => Test::Number(Comparison::AtMost, self.in_base_units(end + 1, high, *column.first()?)),
        };
        if self.conditions.len() == place || denied {
            // Neither an alternative nor a negation of two comparisons at once is expressible.
            return None;
        }
        self.or = false;
        self.joined = false;
        self.add(at, column, second);
        Some(())
    }
}

/// Returns the digits of a code of letters and one number, without leading zeros: of "INV-1014".
fn code_number(text: &str) -> Option<&str> {
    let digits = text.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let is_code = digits.len() < text.len()
        && digits.bytes().all(|one| one.is_ascii_digit())
        && !text.chars().any(char::is_whitespace);
    Some(digits.trim_start_matches('0')).filter(|digits| is_code && !digits.is_empty())
}

/// Returns whether an amount can be compared with the numbers of a column.
fn measures(column: &Column, quantity: Quantity) -> bool {
    if column.kind != Kind::Number {
        return false;
    }
    let Some(unit) = quantity.unit else { return !column.is_mixed() || column.is_of_currencies() };
    match (column.unit, unit.of) {
        (Some(own), of) => own.of == of,
        (None, Dimension::Money(_)) => true,
        // Shares may be written as fractions of one.
        (None, Dimension::Share) => {
            column.ends().is_some_and(|(least, greatest)| least >= 0.0 && greatest > 1.0 && greatest <= 100.0)
        }
        (None, Dimension::Time) => unit.symbol == "years" && column.stems.iter().any(|stem| stem == "age"),
        (None, _) => false,
    }
}
