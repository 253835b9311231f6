//! Reads questions for the first of an order: rows, or groups of them.

use super::form::Form;
use super::query::{Aggregate, Ask, Key, Measure};
use super::reader::is_about_money;
use super::table::{Column, Kind, stem};
use super::tags::{Sureness, Tag, Tagged};
use super::words::{PIECES, Word, is_row};

/// Words of columns for people.
const PERSONS: &str = "assignee agent owner employee representative rep player student teacher author driver member person staff user name \
    customer client";

/// Words of columns for what money is spent on, and for where.
const PURPOSES: &str = "category type kind group purpose class product item description";
const PAYEES: &str = "shop store merchant payee vendor supplier seller place venue city";

impl Form<'_> {
    /// Reads a superlative: returns the query for the first rows or groups of an order, and the columns to show.
    pub(in crate::steps) fn extremes(
        &mut self,
        at: usize,
        greatest: bool,
        hint: &'static str,
        aggregate: Option<(Aggregate, usize)>,
    ) -> Option<(Ask, Vec<usize>)> {
        let group = self.subject().filter(|(_, column)| self.is_group(*column));
        let group = group.or_else(|| {
            let (place, column, _) =
                *self.left(|column| matches!(column.kind, Kind::Text | Kind::Boolean)).first()?;
            let leads = self.frequent || aggregate.is_some() || place < at;
            // "The top 3 products by amount."
            let mut next = self.reader.next(at + 1, |_| false);
            if matches!(self.reader.tag(next), Some(Tag::Quantity(_))) {
                next = self.reader.next(next + 1, |_| false);
            }
            let is_ranked = self.sorted_by.is_some() && place == next;
            ((leads || is_ranked) && self.is_group(column)).then_some((place, column))
        });
        let group = group.or_else(|| {
            let who = self.find(|word| word == Word::Who)?;
            Some((who, self.persons()?))
        });
        let group = group.or_else(|| self.spent_on(at));
        self.first.greatest = greatest;
        if let Some(key) = self.period_key().filter(|_| group.is_none()) {
            let number = |column: &Column| column.kind == Kind::Number;
            let measure = if let Some((how, aggregate)) = aggregate {
                let column = self.aggregated(aggregate)?;
                Measure::Of(how, self.ordered(column)?)
            } else if self.left(number).is_empty() {
                // "The month with the most orders" counts them, "the highest expenses" are a sum.
                if self.frequent || matches!(self.reader.low(at), "most" | "fewest" | "least") {
                    Measure::Rows
                } else {
                    Measure::Of(Aggregate::Sum, self.ordered(self.measure()?)?)
                }
            } else {
                let column = self.pick(at, number)?;
                Measure::Of(Aggregate::Sum, self.ordered(column)?)
            };
            return Some((Ask::Groups(key, measure, Some(self.first)), Vec::new()));
        }
        if let (Some((place, column)), Some(by)) = (group, self.sorted_by)
            && aggregate.is_none()
        {
            // Ratings of several rows have no sum.
            let adds_up = |one: &Column| one.is_money() || is_about_money(one);
            let by = Some(by).filter(|by| self.table().column(*by).is_some_and(adds_up))?;
            self.ordered(by)?;
            self.reader.take(place);
            return Some((
                Ask::Groups(Key::Column(column), Measure::Of(Aggregate::Sum, by), Some(self.first)),
                Vec::new(),
            ));
        }
        if let Some((place, column)) = group {
            let next = self.reader.next(at + 1, |word| matches!(word, Word::In));
            let is_number = |column: &Column| column.kind == Kind::Number;
            let quantity = matches!(self.reader.low(at), "most" | "least" | "fewest" | "top");
            let of_rows =
                matches!(self.reader.tag(next), Some(Tag::Entity | Tag::Word(Word::Rows | Word::People)));
            let counts = self.frequent
                || (of_rows && quantity)
                || (!of_rows && hint.is_empty() && self.left(is_number).is_empty() && !self.adds_up());
            let counted = self.reader.only(self.reader.columns(next), |column| column.kind == Kind::Text);
            let measure = if let Some((how, aggregate)) = aggregate {
                Some(Measure::Of(how, self.aggregated(aggregate)?))
            } else if let Some(counted) =
                counted.filter(|counted| hint.is_empty() && !self.frequent && *counted != column)
            {
                // "Which make has the most models?"
                self.reader.take(next);
                let is_unique = self.table().column(counted).is_some_and(|one| one.is_unique);
                Some(if is_unique { Measure::Rows } else { Measure::Different(counted) })
            } else if counts {
                Some(Measure::Rows)
            } else if hint.is_empty() && (quantity || self.adds_up()) {
                self.reader.take(place);
                // "The most laptops" are pieces.
                let column =
                    if matches!(self.reader.tag(self.reader.next(at + 1, |_| false)), Some(Tag::Values(_))) {
                        self.reader.hinted(PIECES, is_number)?
                    } else {
                        self.pick(at, is_number).or_else(|| self.implied(at))?
                    };
                Some(Measure::Of(Aggregate::Sum, column))
            } else {
                None
            };
            match measure {
                Some(Measure::Of(_, column)) => {
                    self.ordered(column)?;
                }
                // A group without any such row has the fewest.
                Some(_) if !greatest && !self.reader.conditions.is_empty() => return None,
                _ => {}
            }
            if let Some(measure) = measure {
                self.reader.take(place);
                return Some((Ask::Groups(Key::Column(column), measure, Some(self.first)), Vec::new()));
            }
        }
        // "The highest paid manager" is no manager of the highest paid.
        let noun = (at + 1..self.len()).find(|at| {
            let is_about = self.reader.sureness(*at) == Some(Sureness::About);
            !is_about && !self.reader.is_used(*at) && !self.reader.is_filler(*at)
        });
        let is_other = |column: usize| {
            self.table().label != Some(column)
                && matches!(self.kind(column), Some(Kind::Text | Kind::Boolean))
        };
        // "The heaviest item", whose column is no property of it.
        let is_item = |at: &usize| !hint.is_empty() && is_row(self.reader.low(*at));
        if noun.filter(|at| !is_item(at)).is_some_and(|at| {
            !self.reader.columns(at).is_empty() && self.reader.columns(at).iter().copied().all(is_other)
        }) {
            return None;
        }
        // "The most orders" is no order.
        let next = self.reader.next(at + 1, |word| matches!(word, Word::In));
        let counts = matches!(self.reader.low(at), "most" | "fewest" | "least")
            && matches!(
                self.reader.tag(next),
                Some(Tag::Entity | Tag::Unknown | Tag::Word(Word::Rows | Word::People))
            );
        if aggregate.is_some() || self.frequent || counts {
            return None;
        }
        let (column, greatest) = self.extreme_column(at, greatest, hint)?;
        self.ordered(column)?;
        self.first.greatest = greatest;
        let mut select = self.selected()?;
        select.retain(|one| *one != column);
        select.push(column);
        Some((Ask::First(column, self.first), select))
    }

    /// Returns the column of what money is spent on, or where: "What did we spend most on?"
    fn spent_on(&self, at: usize) -> Option<(usize, usize)> {
        let is_spent = |one: &Tagged| matches!(one.low.as_str(), "spend" | "spent" | "pay" | "paid");
        self.reader.spans.iter().find(|one| is_spent(one))?;
        let lead = self.find(|word| matches!(word, Word::What | Word::Where))?;
        let is_date =
            matches!(self.reader.tag(at + 2), Some(Tag::Period(_) | Tag::Month(_) | Tag::Quantity(_)));
        let words = match self.reader.word(lead) {
            Some(Word::Where) => PAYEES,
            _ if self.reader.low(at + 1) == "on" && !is_date => PURPOSES,
            _ => return None,
        };
        Some((lead, self.reader.hinted(words, |column| column.kind == Kind::Text && !column.is_unique)?))
    }

    /// Returns the column of the persons that have several rows each.
    pub(in crate::steps) fn persons(&self) -> Option<usize> {
        let persons: Vec<String> = PERSONS.split_whitespace().map(stem).collect();
        let label = self.table().label.and_then(|label| self.table().column(label));
        let is_person = |one: &Column| one.stems.iter().any(|stem| persons.contains(stem));
        let column = self.reader.hinted(PERSONS, |column| column.kind == Kind::Text && !column.is_unique);
        column.filter(|_| !label.is_some_and(is_person))
    }

    /// Returns a column whose numbers have an order, at least those of each currency. There is no second of all currencies.
    fn ordered(&self, column: usize) -> Option<usize> {
        let of_currencies = self.table().column(column).is_some_and(Column::is_of_currencies);
        if of_currencies { Some(column).filter(|_| self.first.skip == 0) } else { self.sortable(column) }
    }

    /// Returns a column by which rows can be sorted: not if its amounts are of different currencies.
    pub(in crate::steps) fn sortable(&self, column: usize) -> Option<usize> {
        Some(column).filter(|at| self.table().column(*at).is_some_and(|column| !column.is_mixed()))
    }
}
