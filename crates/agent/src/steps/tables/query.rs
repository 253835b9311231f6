//! A question over a table, as data.

use super::dates::Period;
use super::quantity::Quantity;

/// A comparison of sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::steps) enum Comparison {
    More,
    AtLeast,
    Less,
    AtMost,
    Equal,
}

/// What is tested of a cell.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::steps) enum Test {
    /// One of these texts, in the form of keys.
    Among(Vec<String>),
    Number(Comparison, Quantity),
    /// Within a period: before its end, from its beginning.
    Date {
        from: Option<i64>,
        to: Option<i64>,
    },
    /// In this month of any year.
    Month(u32),
    Boolean(bool),
    /// Whether there is a value.
    There(bool),
}

/// A condition on a row: on one column, or on any of several.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::steps) struct Condition {
    pub(in crate::steps) columns: Vec<usize>,
    pub(in crate::steps) test: Test,
    pub(in crate::steps) negated: bool,
}

/// How numbers are summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::steps) enum Aggregate {
    Sum,
    Mean,
    Median,
    Greatest,
    Least,
    /// The difference between the greatest and the least.
    Spread,
}

/// What is computed of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::steps) enum Measure {
    /// Their number.
    Rows,
    /// The number of different values.
    Different(usize),
    Of(Aggregate, usize),
}

/// The part of a date by which rows are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::steps) enum Part {
    Day,
    Month,
    Quarter,
    Year,
}

/// What rows are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::steps) enum Key {
    Column(usize),
    Date(usize, Part),
}

/// The first rows or groups of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::steps) struct First {
    /// Whether the greatest come first.
    pub(in crate::steps) greatest: bool,
    /// How many before them are left out: 1 for "the second largest".
    pub(in crate::steps) skip: usize,
    /// How many; those that are equal to the last are added.
    pub(in crate::steps) count: usize,
}

/// What is asked of the rows that fulfil the conditions.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::steps) enum Ask {
    /// The rows.
    Rows,
    /// Whether there are any.
    Any,
    /// Whether all that fulfil the conditions before the last one fulfil that too.
    All,
    /// A number.
    Measure(Measure),
    /// Their share, in percent, of the rows that fulfil the first so many conditions.
    Share(usize),
    /// The different values of a column.
    Different(usize),
    /// The first rows by a column.
    First(usize, First),
    /// A number for each group; only the first groups if wanted.
    Groups(Key, Measure, Option<First>),
}

/// A question over a table.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::steps) struct Query {
    /// All must be fulfilled; of each, one alternative.
    pub(in crate::steps) conditions: Vec<Vec<Condition>>,
    pub(in crate::steps) ask: Ask,
    /// The columns that are asked for.
    pub(in crate::steps) select: Vec<usize>,
}

impl Query {
    /// Returns whether two values of a column are compared.
    pub(in crate::steps) fn compares(&self) -> bool {
        let Ask::Groups(Key::Column(key), _, Some(First { count: 2, .. })) = self.ask else { return false };
        self.conditions.iter().flatten().any(|one| {
            let is_pair = matches!(&one.test, Test::Among(keys) if keys.len() == 2);
            one.columns == [key] && !one.negated && is_pair
        })
    }
}

impl Test {
    /// Returns whether no single value fulfils both tests.
    pub(in crate::steps) fn excludes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Among(_), Self::Among(_)) | (Self::Month(_), Self::Month(_)) => true,
            (Self::Number(Comparison::Equal, one), Self::Number(Comparison::Equal, two)) => one != two,
            (
                Self::Date { from: Some(from), to: Some(to) },
                Self::Date { from: Some(other_from), to: Some(other_to) },
            ) => to <= other_from || other_to <= from,
            _ => false,
        }
    }

    /// A date in a period.
    pub(in crate::steps) fn within(period: Period) -> Self {
        Self::Date { from: Some(period.from), to: Some(period.to) }
    }
}

impl Aggregate {
    /// Returns what an answer calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Mean => "average",
            Self::Median => "median",
            Self::Greatest => "maximum",
            Self::Least => "minimum",
            Self::Spread => "difference between maximum and minimum",
        }
    }
}

impl Part {
    /// Returns what an answer calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
        }
    }
}
