//! Finds verbs that are true of all rows of a table and therefore select none: "minutes spent on it", "firings done in May".

use super::dates;
use super::quantity::Dimension;
use super::table::{Column, Kind, stem};
use super::tags::{Sureness, Tag, Tagged, Vocabulary};
use super::tokens::{Token, is_verb};
use vademecum_util::within::Within;

/// Verbs of doing, which select rows only where a column contains whether something was done.
const DONE: [&str; 5] = ["done", "performed", "conducted", "applied", "spread"];
/// Verbs before the name of the table, which is a place: "brought to the repair shop".
const PLACED: [&str; 12] = [
    "brought", "seen", "caught", "counted", "noted", "logged", "kept", "stored", "recorded", "entered",
    "listed", "taken",
];
/// Verbs before a currency: "billed in EUR".
const BILLED: [&str; 7] = ["billed", "invoiced", "charged", "quoted", "paid", "priced", "bought"];
/// Words in the names of columns that contain states or planned dates.
const STATES: &str = "due deadline plan planned schedule scheduled cancel cancelled skipped status state result outcome progress stage \
    condition done complete completed finished resolved closed open active";
/// Words of columns for a length of time.
const TIMES: &str = "minutes hours days time duration";

/// Returns whether a question names a year or a month.
fn names_time(all: &[Token]) -> bool {
    let is_month = |token: &Token| token.low != "may" && dates::month(&token.low).is_some();
    all.iter().any(|token| dates::year(&token.low).is_some() || is_month(token) || token.text == "May")
}

/// Returns whether a verb is in the perfect, as in "have been sent". Planned rows do not fulfil it.
fn follows_perfect(all: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| all.get(before));
    before.is_some_and(|before| ["have", "has", "been"].contains(&before.low.as_str()))
}

impl Vocabulary<'_> {
    /// Returns whether a token is a verb that is true of all rows; `found` contains the tags of the words before it.
    pub(super) fn is_deed(&self, all: &[Token], at: usize, found: &[Tagged]) -> bool {
        let Some(token) = all.get(at) else { return false };
        let is = |words: &[&str]| words.contains(&token.low.as_str());
        let is_free = || !self.is_told(all, at);
        let is_done = || is(&DONE) && is_verb(all, at) && names_time(all) && self.are_done() && is_free();
        let is_placed = || is(&PLACED) && self.is_before_place(all, at) && is_free();
        let is_billed = || is(&BILLED) && self.is_before_currency(all, at) && is_free();
        let is_sent = || self.is_event_of_rows(token) && !follows_perfect(all, at);
        is_done()
            || is_placed()
            || (token.low == "spent" && found.iter().rev().any(|span| self.is_time(span)))
            || is_billed()
            || is_sent()
    }

    /// Returns whether all rows are things that were done: each has its only date, and no column tells that some were not.
    fn are_done(&self) -> bool {
        let mut dates = self.table.columns.iter().filter(|column| column.kind == Kind::Date);
        dates.next().is_some_and(Column::is_full) && dates.next().is_none() && !self.has_states()
    }

    /// Returns whether a column contains states, so that some rows may not be done.
    fn has_states(&self) -> bool {
        let states: Vec<String> = STATES.split(' ').map(stem).collect();
        self.table.columns.iter().any(|column| {
            column.kind == Kind::Boolean || column.stems.iter().any(|stem| states.contains(stem))
        })
    }

    /// Returns whether a preposition follows, and the name of the table: "to the repair shop".
    fn is_before_place(&self, all: &[Token], at: usize) -> bool {
        let rest = all.within(at + 1..);
        let is_preposition =
            rest.first().is_some_and(|next| ["to", "in", "at", "into", "by"].contains(&next.low.as_str()));
        let mut behind =
            rest.iter().skip(1).filter(|token| !["the", "our", "my"].contains(&token.low.as_str()));
        is_preposition && behind.next().is_some_and(|token| self.table.stems.contains(&token.stem))
    }

    /// Returns whether a span names a column for a length of time.
    fn is_time(&self, span: &Tagged) -> bool {
        let Tag::Columns(columns, sureness) = &span.tag else { return false };
        let times: Vec<String> = TIMES.split(' ').map(stem).collect();
        let is_time = |at: &usize| {
            self.table.column(*at).is_some_and(|column| {
                let is_named = column.stems.iter().any(|stem| times.contains(stem));
                let has_unit = column.unit.is_some_and(|unit| unit.of == Dimension::Time);
                column.kind == Kind::Number && (is_named || has_unit)
            })
        };
        *sureness >= Sureness::Part && columns.iter().all(is_time)
    }

    /// Returns whether "in" and a value of a column of currencies follow.
    fn is_before_currency(&self, all: &[Token], at: usize) -> bool {
        let is_in = all.get(at + 1).is_some_and(|next| next.low == "in");
        let Some(value) = all.get(at + 2..).map(|rest| self.value(rest, false)) else { return false };
        let is_currency = |column: &usize| self.stems(*column).iter().any(|own| *own == stem("currency"));
        is_in
            && matches!(value, Some((Tag::Values(values), _)) if values.iter().all(|(column, _)| is_currency(column)))
    }

    /// Returns whether a verb says that the event happened which each row is, with its date: "sent" of shipments. Not if some have no date.
    fn is_event_of_rows(&self, token: &Token) -> bool {
        let dates = self.table.columns.iter().filter(|column| column.kind == Kind::Date).count();
        let Some((columns, Sureness::About)) = self.related(token) else { return false };
        let is_of_rows = |at: &usize| {
            let has_all = self
                .table
                .column(*at)
                .is_some_and(|column| column.kind == Kind::Date && !column.of_years && column.is_full());
            let is_named = self.stems(*at).iter().any(|own| {
                self.table.stems.iter().any(|stem| stem == own || self.meanings.is_noun_for(stem, own))
            });
            has_all && is_named
        };
        dates == 1 && columns.iter().all(is_of_rows)
    }
}
