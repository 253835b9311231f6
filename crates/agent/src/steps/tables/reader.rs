//! A tagged question while it is read: which of its words are accounted for, and the columns that they name.

use super::money::names_money;
use super::quantity::Quantity;
use super::query::{Comparison, Condition, Test};
use super::table::{Cell, Column, Kind, Table, stem};
use super::tags::{Sureness, Tag, Tagged};
use super::words::Word;

/// Words of columns for the whole of a row's money.
const WHOLE: [&str; 6] = ["total", "amount", "sum", "revenu", "net", "gross"];

/// A question while it is read.
#[derive(Debug)]
pub(in crate::steps) struct Reader<'a> {
    pub(in crate::steps) table: &'a Table,
    pub(in crate::steps) spans: Vec<Tagged>,
    /// The spans that are accounted for.
    pub(in crate::steps) used: Vec<bool>,
    /// All must be fulfilled; of each, one alternative.
    pub(in crate::steps) conditions: Vec<Vec<Condition>>,
    /// The span at which each of them begins.
    pub(in crate::steps) places: Vec<usize>,
    /// A negation that applies to the next condition.
    pub(in crate::steps) denied: bool,
    /// An "or" since the last condition.
    pub(in crate::steps) or: bool,
    /// Only "and", "or" and commas since the last condition.
    pub(in crate::steps) joined: bool,
    /// An "and" has joined two values of one column, so that a row needs only one of them.
    pub(in crate::steps) merged: bool,
}

impl<'a> Reader<'a> {
    pub(in crate::steps) fn new(table: &'a Table, spans: Vec<Tagged>) -> Self {
        let used = vec![false; spans.len()];
        Self {
            table,
            spans,
            used,
            conditions: Vec::new(),
            places: Vec::new(),
            denied: false,
            or: false,
            joined: false,
            merged: false,
        }
    }

    pub(in crate::steps) fn tag(&self, at: usize) -> Option<&Tag> {
        self.spans.get(at).map(|one| &one.tag)
    }

    pub(in crate::steps) fn word(&self, at: usize) -> Option<Word> {
        match self.tag(at) {
            Some(Tag::Word(word) | Tag::Both(word, _)) => Some(*word),
            _ => None,
        }
    }

    pub(in crate::steps) fn low(&self, at: usize) -> &str {
        self.spans.get(at).map_or("", |one| one.low.as_str())
    }

    pub(in crate::steps) fn is_used(&self, at: usize) -> bool {
        self.used.get(at).copied().unwrap_or(true)
    }

    pub(in crate::steps) fn take(&mut self, at: usize) {
        if let Some(used) = self.used.get_mut(at) {
            *used = true;
        }
    }

    pub(in crate::steps) fn is_filler(&self, at: usize) -> bool {
        matches!(self.word(at), Some(Word::Filler | Word::Auxiliary))
    }

    /// Returns the columns that a span names.
    pub(in crate::steps) fn columns(&self, at: usize) -> &[usize] {
        match self.tag(at) {
            Some(Tag::Columns(columns, _) | Tag::Both(_, columns)) => columns,
            _ => &[],
        }
    }

    pub(in crate::steps) fn sureness(&self, at: usize) -> Option<Sureness> {
        match self.tag(at) {
            Some(Tag::Columns(_, sureness)) => Some(*sureness),
            Some(Tag::Both(..)) => Some(Sureness::Name),
            _ => None,
        }
    }

    pub(in crate::steps) fn column(&self, at: usize) -> Option<&'a Column> {
        self.table.column(at)
    }

    /// Returns the word of a span that is not also the name of a column.
    fn mere_word(&self, at: usize) -> Option<Word> {
        match self.tag(at) {
            Some(Tag::Word(word)) => Some(*word),
            _ => None,
        }
    }

    /// Returns the first span behind `at` that is no filler and fulfils `skips` neither.
    pub(in crate::steps) fn next(&self, at: usize, skips: impl Fn(Word) -> bool) -> usize {
        let skipped = |at: usize| self.is_filler(at) || self.mere_word(at).is_some_and(&skips);
        (at..self.spans.len()).find(|at| !skipped(*at)).unwrap_or(self.spans.len())
    }

    /// Returns the last span before `at` that is no filler and fulfils `skips` neither.
    pub(in crate::steps) fn previous(&self, at: usize, skips: impl Fn(Word) -> bool) -> Option<usize> {
        let skipped = |at: usize| self.is_filler(at) || self.mere_word(at).is_some_and(&skips);
        (0..at).rev().find(|at| !skipped(*at))
    }

    pub(in crate::steps) fn add(&mut self, at: usize, columns: Vec<usize>, test: Test) {
        let condition = Condition { columns, test, negated: self.denied };
        let beside = self.joined
            && !self.denied
            && self.conditions.last().and_then(|any| any.last()).is_some_and(|last| {
                let same = last.columns == condition.columns && !last.negated;
                // A row has no two values of a column, unless they are lists: "Berlin and Munich" are alternatives.
                let one = |at: &usize| self.column(*at).is_some_and(|column| !column.has_lists());
                same && condition.columns.iter().all(one) && last.test.excludes(&condition.test)
            });
        self.merged |= beside && !self.or;
        match self.conditions.last_mut() {
            Some(any) if beside || (self.or && !self.denied) => any.push(condition),
            _ => {
                self.conditions.push(vec![condition]);
                self.places.push(at);
            }
        }
        (self.or, self.joined) = (false, true);
    }

    pub(in crate::steps) fn is_column(&self, at: usize) -> bool {
        !self.columns(at).is_empty()
    }

    pub(in crate::steps) fn there(&mut self, at: usize, there: bool) -> Option<()> {
        let column = self.only(self.columns(at), |_| true)?;
        self.take(at);
        let denied = std::mem::take(&mut self.denied);
        // "No stops" of a number that may be zero.
        let zero = Quantity::bare(0.0);
        let is_zero = |cell: &Cell| matches!(cell, Cell::Number(one) if one.value == 0.0);
        let counts = self.column(column).is_some_and(|column| column.cells.iter().any(is_zero));
        let test = match counts {
            true if there => Test::Number(Comparison::More, zero),
            true => Test::Number(Comparison::Equal, zero),
            false => Test::There(there),
        };
        self.add(at, vec![column], test);
        self.denied = denied;
        Some(())
    }

    /// Returns the only column that fits, or the one with the shortest name.
    pub(in crate::steps) fn only(&self, columns: &[usize], fits: impl Fn(&Column) -> bool) -> Option<usize> {
        let fitting: Vec<usize> =
            columns.iter().copied().filter(|at| self.column(*at).is_some_and(&fits)).collect();
        let length = |at: &usize| self.column(*at).map_or(0, |column| column.stems.len());
        let least = fitting.iter().map(length).min()?;
        let mut shortest = fitting.iter().filter(|at| length(at) == least);
        let first = shortest.next().copied();
        first.filter(|_| shortest.next().is_none()).or_else(|| self.whole(&fitting))
    }

    /// Returns the only one of several columns for a whole: a total rather than a price.
    pub(in crate::steps) fn whole(&self, columns: &[usize]) -> Option<usize> {
        let is_whole = |at: &&usize| {
            self.column(**at)
                .is_some_and(|column| column.stems.iter().any(|stem| WHOLE.contains(&stem.as_str())))
        };
        let mut found = columns.iter().filter(is_whole);
        let first = found.next().copied();
        first.filter(|_| found.next().is_none())
    }

    /// Returns the only column that has one of these words in its name.
    pub(in crate::steps) fn hinted(&self, hint: &str, fits: impl Fn(&Column) -> bool) -> Option<usize> {
        // The first words are the best.
        hint.split_whitespace().map(stem).find_map(|stem| {
            let has = |column: &Column| column.stems.contains(&stem);
            let columns: Vec<usize> =
                (0..self.table.columns.len()).filter(|at| self.column(*at).is_some_and(has)).collect();
            self.only(&columns, &fits)
        })
    }

    /// Returns the date that the rows are of: the one named like the table, or just "date".
    pub(in crate::steps) fn main_date(&self, dates: &[usize]) -> Option<usize> {
        let one = |fits: &dyn Fn(&Column) -> bool| {
            let mut found = dates.iter().filter(|at| self.column(**at).is_some_and(fits));
            let first = found.next().copied();
            first.filter(|_| found.next().is_none())
        };
        one(&|column| column.stems.iter().any(|stem| self.table.stems.contains(stem)))
            .or_else(|| one(&|column| column.stems == ["date"]))
            .or_else(|| one(&|_| true))
            .or_else(|| one(&|column| column.cells.iter().all(|cell| *cell != Cell::Missing)))
    }

    /// Returns whether a column groups the rows: "by status".
    pub(in crate::steps) fn is_grouping(&self, at: usize) -> bool {
        let before = self.previous(at, |_| false).and_then(|before| self.word(before));
        matches!(before, Some(Word::By | Word::Per))
    }

    /// Returns whether a value, amount or date follows that the name of a column before it belongs to.
    pub(in crate::steps) fn starts_condition(&self, at: usize) -> bool {
        let next = self.next(at, |word| {
            matches!(
                word,
                Word::In
                    | Word::Before
                    | Word::After
                    | Word::Since
                    | Word::Until
                    | Word::By
                    | Word::From
                    | Word::Between
                    | Word::To
            )
        });
        let is_value = matches!(
            self.tag(next),
            Some(Tag::Values(_) | Tag::Quantity(_) | Tag::Period(_) | Tag::Month(_) | Tag::Range(..))
        );
        is_value || matches!(self.tag(next), Some(Tag::Word(Word::Compare(..) | Word::Between)))
    }

    /// Returns whether a span is the predicate of a sentence about rows: "are managers", "have a manager", but not "what is the price".
    pub(in crate::steps) fn is_predicate(&self, at: usize) -> bool {
        let of_rows = |word: &str| {
            matches!(word, "is" | "are" | "was" | "were" | "has" | "have" | "had" | "having" | "with" | "not")
        };
        let before = (0..at).rev().find(|at| {
            !matches!(self.low(*at), "a" | "an" | "any" | "some" | "still" | "already" | "currently" | "been")
        });
        let Some(before) = before.filter(|before| of_rows(self.low(*before))) else { return false };
        // "What is the price", "who is the manager".
        let asks = |lead: usize| {
            let word = self.word(lead);
            matches!(
                word,
                Some(Word::What | Word::Who | Word::When | Word::Where | Word::How(_) | Word::HowMuch)
            )
        };
        self.low(before) == "not" || self.previous(before, |_| false).is_some_and(|lead| !asks(lead))
    }

    /// Returns whether a negation or an "or" has found nothing to apply to.
    pub(in crate::steps) fn is_open(&self) -> bool {
        self.denied || self.or
    }
}

/// Returns whether a column has numbers, and a name about money.
pub(in crate::steps) fn is_about_money(column: &Column) -> bool {
    column.kind == Kind::Number && names_money(&column.stems)
}
