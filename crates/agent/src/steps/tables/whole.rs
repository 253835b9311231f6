//! Checks that a reading accounts for every word of its question.

use super::form::{Form, adds_up};
use super::query::{Aggregate, Ask, Condition, Key, Measure, Query};
use super::reader::is_about_money;
use super::table::Kind;
use super::tags::{Sureness, Tag};
use super::words::{
    PRICE, Word, is_beyond, is_calendar, is_filler, is_of_states, is_row, may_be_called, people_of,
};

/// A question as it was read.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::steps) struct Reading {
    pub(in crate::steps) query: Query,
    /// How much of the question the table accounts for.
    pub(in crate::steps) score: usize,
    /// The word for the rows that neither the table's name nor its columns explain.
    pub(in crate::steps) noun: Option<String>,
    /// Whether the name of the table is in the question.
    pub(in crate::steps) is_named: bool,
}

/// Columns that only tables of people have, and of people who work somewhere.
const OF_PERSONS: &str = "salari wage hire birth birthdai born dob age gender sex surnam lastnam";
const OF_JOBS: &str = "salari wage hire";
/// Names of tables of people, and of people who work somewhere.
const OF_PEOPLE: &str = "employe staff person peopl personnel worker custom client patient student member user player teacher driver guest contact candid applic particip";
const OF_WORKERS: &str = "employe staff personnel worker colleagu";

/// Returns the column whose sum is asked for.
pub(super) const fn summed(ask: &Ask) -> Option<usize> {
    match ask {
        Ask::Measure(Measure::Of(Aggregate::Sum, column))
        | Ask::Groups(_, Measure::Of(Aggregate::Sum, column), _) => Some(*column),
        _ => None,
    }
}

impl Form<'_> {
    /// Checks that every word is accounted for.
    pub(in crate::steps) fn finish(&mut self, ask: Ask, select: Vec<usize>) -> Option<Reading> {
        let is_named = self.entity().is_some();
        let table = self.table();
        // "All who are customers": what people are called may select some of them.
        let is_of = |names: &str, columns: &str| {
            let has = |all: &str, stem: &String| all.split(' ').any(|one| one == stem);
            table.stems.iter().any(|stem| has(names, stem))
                || table.columns.iter().flat_map(|column| &column.stems).any(|stem| has(columns, stem))
        };
        let is_people = |low: &str| match people_of(low) {
            (true, _) => is_of(OF_PEOPLE, OF_PERSONS),
            (_, true) => is_of(OF_WORKERS, OF_JOBS),
            _ => false,
        };
        let concerned = self.concerned(&ask, &select);
        // "When was Dev hired and where does he work?"
        let asks = |at: usize| {
            let word = self.reader.word(at);
            matches!(
                word,
                Some(Word::When | Word::Where | Word::What | Word::HowMany | Word::HowMuch | Word::How(_))
            )
        };
        if (1..self.len()).any(|at| asks(at) && self.reader.word(at - 1) == Some(Word::And)) {
            return None;
        }
        if self.mixes_alternatives() {
            return None;
        }
        let mut noun = None;
        for at in 0..self.len() {
            if self.reader.is_used(at) {
                continue;
            }
            match self.reader.tag(at)? {
                Tag::Entity => {}
                Tag::Word(word) => match word {
                    // "Still open", not "still here".
                    Word::Filler if is_of_states(self.reader.low(at)) => {
                        let next = self.reader.next(at + 1, |word| word == Word::In);
                        let is_state = next < self.len() && self.reader.is_used(next);
                        is_state.then_some(())?;
                    }
                    Word::Filler | Word::Auxiliary | Word::And | Word::Different | Word::Rows => {}
                    // "Who spent more than 300 in total" asks for no rows.
                    Word::Overall if matches!(ask, Ask::Measure(_) | Ask::Groups(..)) => {}
                    Word::Which
                    | Word::What
                    | Word::Who
                    | Word::When
                    | Word::Where
                    | Word::List
                    | Word::Any => {}
                    Word::HowMuch
                    | Word::HowMany
                    | Word::How(_)
                    | Word::In
                    | Word::To
                    | Word::From
                    | Word::By => {}
                    Word::People if is_people(self.reader.low(at)) => {}
                    Word::People if noun.is_none() => noun = Some(self.reader.low(at).to_owned()),
                    _ => return None,
                },
                // "Contracts that have ended" are not all contracts.
                Tag::Columns(columns, Sureness::About) => {
                    let is_date =
                        |at: &usize| table.column(*at).is_some_and(|column| column.kind == Kind::Date);
                    let is_used = columns.iter().any(|column| concerned.contains(column));
                    let by = self.reader.word(at + 1) == Some(Word::By) || is_filler(self.reader.low(at));
                    if columns.iter().all(is_date) && !is_used && !by {
                        return None;
                    }
                }
                // What the rows are called.
                Tag::Columns(columns, _) if table.label.is_some_and(|label| columns.contains(&label)) => {}
                // "How much did we pay", where another column tells who paid.
                Tag::Columns(columns, _)
                    if summed(&ask).is_some()
                        && adds_up(self.reader.low(at))
                        && columns.iter().all(|at| self.kind(*at) == Some(Kind::Text)) => {}
                // In "a textile item", the noun is one for rows, not for a column.
                Tag::Columns(_, Sureness::Name)
                    if is_row(self.reader.low(at))
                        && at.checked_sub(1).is_some_and(|before| {
                            matches!(self.reader.tag(before), Some(Tag::Values(_)))
                        }) => {}
                // Another word about a column that is used.
                Tag::Columns(columns, _) if columns.iter().any(|column| concerned.contains(column)) => {}
                Tag::Unknown if noun.is_none() && !is_named && self.names_rows(at) => {
                    noun = Some(self.reader.low(at).to_owned());
                }
                _ => return None,
            }
        }
        // The prices of pieces add up to nothing.
        if summed(&ask).is_some_and(|column| self.is_of_pieces(column)) {
            return None;
        }
        let query = Query { conditions: std::mem::take(&mut self.reader.conditions), ask, select };
        let is_narrowed = !query.conditions.is_empty();
        let is_computed = !matches!(query.ask, Ask::Rows | Ask::Any | Ask::All);
        if !is_narrowed && !is_computed && !is_named {
            return None;
        }
        let worth = |at: usize| match self.reader.tag(at) {
            Some(Tag::Values(_) | Tag::Entity | Tag::Columns(_, Sureness::Name)) => 3,
            Some(Tag::Columns(_, Sureness::Part) | Tag::Both(..)) => 2,
            Some(Tag::Columns(..)) => 1,
            _ => 0,
        };
        // "The most expensive month": of all columns only those of money have prices.
        let is_priced =
            self.extreme.is_some_and(|(_, _, hint)| hint == PRICE) && self.is_of_money(&query.ask);
        let score =
            query.conditions.len() + (0..self.len()).map(worth).sum::<usize>() + usize::from(is_priced);
        // The words must have something to do with the table.
        (score > usize::from(!is_computed)).then_some(Reading { query, score, noun, is_named })
    }

    /// Returns whether rows or groups are ordered by money.
    fn is_of_money(&self, ask: &Ask) -> bool {
        let column = match ask {
            Ask::First(column, _) | Ask::Groups(_, Measure::Of(_, column), Some(_)) => *column,
            _ => return false,
        };
        self.table().column(column).is_some_and(|column| column.is_money() || is_about_money(column))
    }

    /// Returns whether alternatives on different columns are combined with other conditions: what "or" joins is ambiguous then.
    fn mixes_alternatives(&self) -> bool {
        let conditions = &self.reader.conditions;
        let differ = |any: &Vec<Condition>| {
            any.iter().skip(1).any(|one| {
                any.first().is_some_and(|first| first.columns.iter().all(|at| !one.columns.contains(at)))
            })
        };
        conditions.len() > 1 && conditions.iter().any(differ)
    }

    /// Returns the columns that the query uses.
    pub(in crate::steps) fn concerned(&self, ask: &Ask, select: &[usize]) -> Vec<usize> {
        let conditions = self.reader.conditions.iter().flatten().flat_map(|one| one.columns.clone());
        let of = |measure: &Measure| match measure {
            Measure::Rows => None,
            Measure::Different(column) | Measure::Of(_, column) => Some(*column),
        };
        let asked = match ask {
            Ask::Rows | Ask::Any | Ask::All | Ask::Share(_) => Vec::new(),
            Ask::Different(column) | Ask::First(column, _) => vec![*column],
            Ask::Measure(measure) => of(measure).into_iter().collect(),
            Ask::Groups(Key::Column(column) | Key::Date(column, _), measure, _) => {
                of(measure).into_iter().chain([*column]).collect()
            }
        };
        conditions.chain(asked).chain(select.iter().copied()).collect()
    }

    /// Returns whether an unknown word is where the rows are named: "which cars", "all red cars", "the cheapest flights". "The
    /// height of cars" asks for what the table does not have.
    pub(in crate::steps) fn names_rows(&self, at: usize) -> bool {
        let mut before = self.reader.previous(at, |_| false);
        while let Some(place) = before
            && matches!(self.reader.tag(place), Some(Tag::Values(_) | Tag::Opposite(_) | Tag::Quantity(_)))
        {
            before = self.reader.previous(place, |_| false);
        }
        let leads = |word: Word| {
            matches!(word, Word::Which | Word::List | Word::HowMany | Word::Any | Word::Extreme(..))
                || matches!(word, Word::Top(_) | Word::Different | Word::Frequent(_) | Word::Share)
        };
        let is_lead = match before {
            // "Cars with seven seats", but not "Describe the car".
            None => self.reader.low(at).ends_with('s'),
            // "The average price of cars."
            Some(place) if self.reader.low(place) == "of" => self
                .reader
                .previous(place, |_| false)
                .is_some_and(|place| !self.reader.columns(place).is_empty()),
            // "The average grocery bill", but not "the average temperature in Berlin".
            Some(place) if matches!(self.reader.word(place), Some(Word::Aggregate(_))) => {
                let stems = self.table().columns.iter().flat_map(|column| &column.stems).collect();
                may_be_called(self.reader.low(at), &stems)
            }
            Some(place) => self.reader.word(place).is_some_and(leads),
        };
        is_lead
            && !is_beyond(self.reader.low(at))
            && !is_calendar(self.reader.low(at))
            && self.reader.low(self.reader.next(at + 1, |_| false)) != "of"
            && self.reader.low(at).chars().all(|letter| letter.is_alphabetic() || letter == '-')
    }
}
