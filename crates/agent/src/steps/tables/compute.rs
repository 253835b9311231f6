//! Computes the answer of a query over all rows of a table.

use super::dates::{self, Period, civil};
use super::quantity::{Dimension, Quantity, Unit};
use super::query::{Aggregate, Ask, Comparison, Condition, First, Key, Measure, Part, Query, Test};
use super::table::{Cell, Column, Table};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use vademecum_util::within::Within;

/// A computed number.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::steps) struct Number {
    pub(in crate::steps) value: f64,
    pub(in crate::steps) unit: Option<Unit>,
    /// The day, if it is one.
    pub(in crate::steps) day: Option<Period>,
    /// Over how many rows it was computed.
    pub(in crate::steps) over: usize,
}

/// The answer of a query.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::steps) struct Computed {
    /// The rows that fulfil the conditions, and for the first of an order those, in order.
    pub(in crate::steps) rows: Vec<usize>,
    /// The numbers; several if the amounts are in different units.
    pub(in crate::steps) numbers: Vec<Number>,
    /// The different values.
    pub(in crate::steps) values: Vec<String>,
    /// The groups with their numbers.
    pub(in crate::steps) groups: Vec<(String, Vec<Number>)>,
    /// The rows of which a condition cannot be told because the value is missing.
    pub(in crate::steps) unknown: Vec<usize>,
    /// The rows that a question for all of them is about.
    pub(in crate::steps) scope: Vec<usize>,
    /// Whether `rows` are exceptions: rows in `scope` that do not fulfil the last condition.
    pub(in crate::steps) fails: bool,
    /// The number of rows without a value, so that they have no place in the order or no part in a sum of the groups.
    pub(in crate::steps) unsized_rows: usize,
    /// Whether amounts in different currencies were not compared: the first rows are those of each, and all groups are given.
    pub(in crate::steps) is_uncompared: bool,
}

impl Number {
    fn plain(value: f64, over: usize) -> Self {
        Self { value, unit: None, day: None, over }
    }
}

/// Returns whether a row fulfils a condition; `None` if the value is missing. `strict` concludes nothing of a missing text either.
fn fulfils(table: &Table, row: usize, condition: &Condition, strict: bool) -> Option<bool> {
    let mut told = None;
    for column in &condition.columns {
        let cell = table.cell(row, *column);
        let is = match (&condition.test, cell) {
            (Test::There(there), cell) => Some((*cell != Cell::Missing) == *there),
            // An amount in another currency is not known to be one in this, whatever it is.
            (Test::Number(_, than), Cell::Missing) if is_of_other(table.column(*column), *than) => {
                Some(false)
            }
            // Whether a size fits, or something is not so, cannot be told of a missing value.
            (Test::Number(comparison, _), Cell::Missing) if *comparison != Comparison::Equal => None,
            (_, Cell::Missing) if condition.negated => None,
            (Test::Boolean(_), Cell::Missing) => None,
            // What has no date of its shipping was not shipped.
            (Test::Date { .. } | Test::Month(_), Cell::Missing)
                if !table.column(*column).is_some_and(Column::is_of_event) =>
            {
                None
            }
            (Test::Among(_), Cell::Missing) if strict && Some(*column) != table.label => None,
            (_, Cell::Missing) => Some(false),
            (Test::Among(keys), Cell::Text(texts)) => Some(texts.iter().any(|text| keys.contains(text))),
            (Test::Number(comparison, than), Cell::Number(own)) => Some(
                own.beside(*than)
                    .is_some_and(|(own, than)| compares(*comparison, own.total_cmp(&than), own == than)),
            ),
            (Test::Date { from, to }, Cell::Date(own)) => {
                Some(from.is_none_or(|from| own.from >= from) && to.is_none_or(|to| own.to <= to))
            }
            (Test::Month(month), Cell::Date(own)) => {
                Some(civil(own.from).1 == *month && own.to - own.from < 32)
            }
            (Test::Boolean(wanted), Cell::Boolean(own)) => Some(wanted == own),
            _ => Some(false),
        };
        match is {
            Some(true) => return Some(!condition.negated),
            Some(false) => told = Some(condition.negated),
            None => {}
        }
    }
    told
}

/// Returns whether an amount measures something else than the numbers of a column.
fn is_of_other(column: Option<&Column>, than: Quantity) -> bool {
    let own = column.and_then(|column| column.unit);
    own.zip(than.unit).is_some_and(|(own, than)| own.of != than.of)
}

fn compares(comparison: Comparison, order: Ordering, is_equal: bool) -> bool {
    match comparison {
        Comparison::Equal => is_equal,
        Comparison::More => !is_equal && order == Ordering::Greater,
        Comparison::AtLeast => is_equal || order == Ordering::Greater,
        Comparison::Less => !is_equal && order == Ordering::Less,
        Comparison::AtMost => is_equal || order == Ordering::Less,
    }
}

/// Returns the rows that fulfil all conditions, and those that might if no value were missing.
pub(in crate::steps) fn selected(
    table: &Table,
    conditions: &[Vec<Condition>],
    strict: bool,
) -> (Vec<usize>, Vec<usize>) {
    let (mut rows, mut unknown) = (Vec::new(), Vec::new());
    for row in 0..table.len() {
        let told: Vec<Option<bool>> = conditions
            .iter()
            .map(|any| {
                let all: Vec<Option<bool>> = any.iter().map(|one| fulfils(table, row, one, strict)).collect();
                if all.contains(&Some(true)) {
                    Some(true)
                } else if all.contains(&None) {
                    None
                } else {
                    Some(false)
                }
            })
            .collect();
        if told.iter().all(|one| *one == Some(true)) {
            rows.push(row);
        } else if !told.contains(&Some(false)) {
            unknown.push(row);
        }
    }
    (rows, unknown)
}

/// Returns the size of a cell for an order.
fn size(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Number(quantity) => Some(quantity.value),
        Cell::Date(period) => Some(period.from as f64),
        _ => None,
    }
}

/// Returns the place of a row in the order by a column: that of dates by the time of day too.
fn place(table: &Table, row: usize, column: usize) -> Option<f64> {
    let cell = table.cell(row, column);
    let time = match cell {
        Cell::Date(_) => dates::time_of_day(&table.written(row, column)).unwrap_or_default(),
        _ => 0.0,
    };
    Some(size(cell)? + time)
}

fn aggregate(how: Aggregate, values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let (least, greatest) = (values.first().copied().unwrap_or(0.0), values.last().copied().unwrap_or(0.0));
    let sum = || values.iter().sum::<f64>();
    match how {
        Aggregate::Sum => sum(),
        Aggregate::Mean => sum() / values.len().max(1) as f64,
        Aggregate::Greatest => greatest,
        Aggregate::Least => least,
        Aggregate::Spread => greatest - least,
        Aggregate::Median => {
            let half = values.len() / 2;
            let upper = values.get(half).copied().unwrap_or(0.0);
            let lower = half.checked_sub(1).and_then(|at| values.get(at)).copied().unwrap_or(upper);
            if values.len() % 2 == 1 { upper } else { (lower + upper) / 2.0 }
        }
    }
}

/// Computes a number of rows: one for each dimension of the amounts. Missing values are left out.
fn measured(table: &Table, rows: &[usize], measure: Measure) -> Vec<Number> {
    let (how, column) = match measure {
        Measure::Rows => return vec![Number::plain(rows.len() as f64, rows.len())],
        Measure::Different(column) => {
            return vec![Number::plain(different(table, rows, column).len() as f64, rows.len())];
        }
        Measure::Of(how, column) => (how, column),
    };
    let mut by_unit: Vec<(Option<Unit>, Vec<f64>)> = Vec::new();
    let (mut dates, mut ends) = (Vec::new(), BTreeMap::new());
    for row in rows {
        match table.cell(*row, column) {
            Cell::Number(one) => {
                let is_same = |unit: &Option<Unit>| unit.map(|unit| unit.of) == one.unit.map(|unit| unit.of);
                match by_unit.iter_mut().find(|(unit, _)| is_same(unit)) {
                    Some((_, values)) => values.push(one.value),
                    None => by_unit.push((one.unit, vec![one.value])),
                }
            }
            Cell::Date(period) => {
                dates.push(period.from as f64);
                ends.insert(period.from, *period);
            }
            _ => {}
        }
    }
    if !dates.is_empty() && matches!(how, Aggregate::Greatest | Aggregate::Least) {
        let (over, value) = (dates.len(), aggregate(how, &mut dates));
        return vec![Number { value, unit: None, day: ends.get(&(value as i64)).copied(), over }];
    }
    by_unit
        .into_iter()
        .map(|(unit, mut values)| {
            let over = values.len();
            Number { value: aggregate(how, &mut values), unit, day: None, over }
        })
        .collect()
}

/// Returns the different values of a column, each as first written, in order of first occurrence.
fn different(table: &Table, rows: &[usize], column: usize) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for row in rows {
        let cell = table.cell(*row, column);
        let written = table.written(*row, column);
        let parts: Vec<(String, String)> = match cell {
            Cell::Missing => Vec::new(),
            Cell::Text(texts) if texts.len() > 1 => {
                texts.iter().map(|text| (text.clone(), text.clone())).collect()
            }
            Cell::Text(texts) => texts.iter().map(|text| (text.clone(), written.clone())).collect(),
            _ => vec![(written.to_lowercase(), written.clone())],
        };
        found.extend(
            parts.into_iter().filter(|(key, _)| seen.insert(key.clone())).map(|(_, written)| written),
        );
    }
    found
}

/// Returns the first of an order, with those that are equal to the last of them.
fn first<T: Clone>(mut sized: Vec<(f64, T)>, wanted: First) -> Vec<T> {
    sized.sort_by(|(one, _), (two, _)| if wanted.greatest { two.total_cmp(one) } else { one.total_cmp(two) });
    // "The second largest" is the second size, whatever number of rows has the first.
    let mut sizes: Vec<f64> = sized.iter().map(|(size, _)| *size).collect();
    sizes.dedup();
    let skipped: Vec<f64> = sizes.into_iter().take(wanted.skip).collect();
    sized.retain(|(size, _)| !skipped.contains(size));
    let last = wanted.count.checked_sub(1).and_then(|last| sized.get(last)).map(|(size, _)| *size);
    let mut taken = 0;
    sized.retain(|(size, _)| {
        taken += 1;
        taken <= wanted.count || Some(*size) == last
    });
    sized.into_iter().map(|(_, one)| one).collect()
}

/// Returns the names of a row's groups with a text by which they are sorted.
pub(in crate::steps) fn groups_of(table: &Table, row: usize, key: Key) -> Vec<(String, String)> {
    match key {
        Key::Column(column) => match table.cell(row, column) {
            Cell::Missing => Vec::new(),
            Cell::Text(texts) if texts.len() > 1 => {
                texts.iter().map(|text| (text.clone(), text.clone())).collect()
            }
            Cell::Text(texts) => {
                texts.iter().map(|text| (text.clone(), table.written(row, column))).collect()
            }
            Cell::Number(one) => vec![(format!("{:020.4}", one.value + 1e12), table.written(row, column))],
            Cell::Date(one) => {
                vec![(format!("{:020}", one.from + 1_000_000_000), table.written(row, column))]
            }
            Cell::Boolean(one) => vec![(one.to_string(), table.written(row, column))],
        },
        Key::Date(column, part) => match table.cell(row, column) {
            Cell::Date(period) => {
                let (year, month, day) = civil(period.from);
                let name = match part {
                    Part::Year => format!("{year}"),
                    Part::Quarter => format!("{year} Q{}", month.div_ceil(3)),
                    Part::Month => format!("{year}-{month:02}"),
                    Part::Day => format!("{year}-{month:02}-{day:02}"),
                };
                vec![(name.clone(), name)]
            }
            _ => Vec::new(),
        },
    }
}

/// Computes the answer of a query.
pub(in crate::steps) fn compute(table: &Table, query: &Query) -> Computed {
    let strict = matches!(query.ask, Ask::Any | Ask::All);
    let (rows, unknown) = selected(table, &query.conditions, strict);
    let mut computed = Computed { unknown, ..Computed::default() };
    match &query.ask {
        Ask::Rows | Ask::Any => {}
        Ask::All => {
            let of = query.conditions.len().saturating_sub(1);
            let (of_all, wanted) = query.conditions.split_at(of.min(query.conditions.len()));
            let (scope, unsure) = selected(table, of_all, false);
            let fulfilling = selected(table, wanted, true).0;
            let fails = |row: &&usize| !rows.contains(row) && !computed.unknown.contains(row);
            computed.rows = scope.iter().filter(fails).copied().collect();
            // A row that may be meant does not matter if it fulfils the condition.
            computed.unknown.retain(|row| scope.contains(row));
            computed.unknown.extend(unsure.into_iter().filter(|row| !fulfilling.contains(row)));
            computed.fails = !computed.rows.is_empty();
            if !computed.fails && computed.unknown.is_empty() {
                computed.rows.clone_from(&scope);
            }
            computed.scope = scope;
            return computed;
        }
        Ask::Measure(measure) => computed.numbers = measured(table, &rows, *measure),
        Ask::Share(of) => {
            let all = selected(table, query.conditions.within(..*of), false).0.len();
            let share = 100.0 * rows.len() as f64 / all.max(1) as f64;
            computed.numbers = vec![Number::plain(share, all)];
        }
        Ask::Different(column) => computed.values = different(table, &rows, *column),
        Ask::First(column, wanted) => {
            let of = |row: usize| match table.cell(row, *column) {
                Cell::Number(one) => one.unit.map(|unit| unit.of),
                _ => None,
            };
            let sized: Vec<(f64, usize)> =
                rows.iter().filter_map(|row| Some((place(table, *row, *column)?, *row))).collect();
            computed.unsized_rows = rows.len() - sized.len();
            let mut dimensions: Vec<Option<Dimension>> = Vec::new();
            for (_, row) in &sized {
                if !dimensions.contains(&of(*row)) {
                    dimensions.push(of(*row));
                }
            }
            computed.is_uncompared = dimensions.len() > 1;
            let those =
                |unit: Option<Dimension>| sized.iter().copied().filter(|one| of(one.1) == unit).collect();
            computed.rows = dimensions.into_iter().flat_map(|unit| first(those(unit), *wanted)).collect();
            if wanted.count >= table.len() {
                // All rows are listed in order.
                computed.unsized_rows = 0;
                computed.rows.extend(rows.iter().filter(|row| size(table.cell(**row, *column)).is_none()));
            }
            return computed;
        }
        Ask::Groups(key, measure, wanted) => {
            let mut by: BTreeMap<String, (String, Vec<usize>)> = BTreeMap::new();
            for row in &rows {
                for (sorted, name) in groups_of(table, *row, *key) {
                    by.entry(sorted).or_insert_with(|| (name, Vec::new())).1.push(*row);
                }
            }
            let groups: Vec<(String, Vec<Number>, Vec<usize>)> = by
                .into_values()
                .map(|(name, rows)| (name, measured(table, &rows, *measure), rows))
                .filter(|(_, numbers, _)| !numbers.is_empty())
                .collect();
            if let Measure::Of(_, column) = measure {
                let lacks = |row: &&usize| *table.cell(**row, *column) == Cell::Missing;
                computed.unsized_rows = rows.iter().filter(lacks).count();
            }
            let mut units =
                groups.iter().flat_map(|(_, numbers, _)| numbers).map(|one| one.unit.map(|unit| unit.of));
            let first_unit = units.next();
            computed.is_uncompared = wanted.is_some() && units.any(|unit| Some(unit) != first_unit);
            if let Some(wanted) = wanted.filter(|_| !computed.is_uncompared) {
                let sized = groups.into_iter().filter_map(|one| Some((one.1.first()?.value, one))).collect();
                let groups = first(sized, wanted);
                computed.rows = groups.iter().flat_map(|(.., rows)| rows.clone()).collect();
                computed.groups = groups.into_iter().map(|(name, numbers, _)| (name, numbers)).collect();
                return computed;
            }
            computed.groups = groups.into_iter().map(|(name, numbers, _)| (name, numbers)).collect();
        }
    }
    computed.rows = rows;
    computed
}

#[cfg(test)]
mod tests {
    use super::super::table::{Column, Source};
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};
    use vademecum_protocol::document::DocumentSummary;

    /// A row as the oracle knows it: a name, an amount and a day.
    type Plain = (Option<u8>, Option<i32>, Option<u32>);

    fn name(number: u8) -> String {
        format!("Name {number}")
    }

    fn table(rows: &[Plain]) -> Table {
        let column =
            |name: &str, value: &dyn Fn(&Plain) -> Value| Column::of(name, rows.iter().map(value).collect());
        let source = |at: usize| {
            Source::Document(DocumentSummary {
                id: at.to_string(),
                collection: "c".into(),
                title: None,
                url: None,
                metadata: Map::new(),
                chunks: 1,
            })
        };
        let day = |number: u32| format!("2024-{:02}-{:02}", number % 12 + 1, number % 28 + 1);
        Table {
            name: "c".into(),
            collection: "c".into(),
            files: Vec::new(),
            stems: BTreeSet::new(),
            columns: vec![
                column("name", &|row| row.0.map_or(Value::Null, |one| json!(name(one)))),
                // As a spreadsheet would write it: "€1,234.00".
                column("amount", &|row| row.1.map_or(json!("n/a"), |one| json!(format!("€{one}.50")))),
                column("day", &|row| row.2.map_or(Value::Null, |one| json!(day(one)))),
            ],
            sources: (0..rows.len()).map(source).collect(),
            label: None,
        }
    }

    fn close(one: f64, two: f64) -> bool {
        (one - two).abs() <= 1e-6 * (1.0 + two.abs())
    }

    proptest! {
        #[test]
        fn aggregates_are_those_of_a_plain_loop(
            rows in prop::collection::vec((prop::option::of(0u8..4), prop::option::of(0i32..1_000), prop::option::of(0u32..400)), 1..40),
            least in 0i32..1_000, wanted in 0u8..4, denied: bool, count in 1usize..5, greatest: bool,
        ) {
            // Columns without any value have no type.
            prop_assume!(rows.iter().any(|row| row.1.is_some()) && rows.iter().any(|row| row.0.is_some()));
            let table = table(&rows);
            let conditions = vec![
                vec![Condition { columns: vec![1], test: Test::Number(Comparison::AtLeast, Quantity::bare(f64::from(least))), negated: false }],
                vec![Condition { columns: vec![0], test: Test::Among(vec![name(wanted).to_lowercase()]), negated: denied }],
            ];
            let fits = |row: &&Plain| {
                row.1.is_some_and(|amount| f64::from(amount) + 0.5 >= f64::from(least)) && row.0.is_some_and(|one| (one == wanted) != denied)
            };
            let kept: Vec<&Plain> = rows.iter().filter(fits).collect();
            let amounts: Vec<f64> = kept.iter().filter_map(|row| row.1).map(|one| f64::from(one) + 0.5).collect();
            let asked = |ask: Ask| compute(&table, &Query { conditions: conditions.clone(), ask, select: Vec::new() });
            let all = asked(Ask::Rows);
            let expected: Vec<usize> = rows.iter().enumerate().filter(|(_, row)| fits(row)).map(|(at, _)| at).collect();
            prop_assert_eq!(&all.rows, &expected);
            let of = |how: Aggregate| asked(Ask::Measure(Measure::Of(how, 1))).numbers.first().map(|one| one.value);
            if amounts.is_empty() {
                prop_assert_eq!(of(Aggregate::Sum), None);
            } else {
                let sum: f64 = amounts.iter().sum();
                let max = amounts.iter().copied().fold(f64::MIN, f64::max);
                let min = amounts.iter().copied().fold(f64::MAX, f64::min);
                prop_assert!(close(of(Aggregate::Sum).unwrap(), sum));
                prop_assert!(close(of(Aggregate::Mean).unwrap(), sum / amounts.len() as f64));
                prop_assert_eq!((of(Aggregate::Greatest), of(Aggregate::Least)), (Some(max), Some(min)));
                // Half of the values are on either side of the median.
                let median = of(Aggregate::Median).unwrap();
                let below = amounts.iter().filter(|one| **one < median).count();
                let above = amounts.iter().filter(|one| **one > median).count();
                prop_assert!(below * 2 <= amounts.len() && above * 2 <= amounts.len());
            }
            // Groups add up to the whole, each to its own rows.
            let groups = asked(Ask::Groups(Key::Column(0), Measure::Of(Aggregate::Sum, 1), None)).groups;
            for (group, numbers) in &groups {
                let own: f64 = kept.iter().filter(|row| row.0.map(name).as_ref() == Some(group)).filter_map(|row| row.1).map(|one| f64::from(one) + 0.5).sum();
                prop_assert!(close(numbers.first().unwrap().value, own));
            }
            let whole: f64 = groups.iter().map(|(_, numbers)| numbers.first().unwrap().value).sum();
            prop_assert!(close(whole, amounts.iter().sum()));
            // The first rows: nothing that is left out is before them, and ties are in.
            let top = asked(Ask::First(1, First { greatest, skip: 0, count })).rows;
            let amount = |row: &usize| rows.get(*row).and_then(|row| row.1).unwrap_or_default();
            prop_assert!(top.len() >= count.min(kept.len()));
            for out in expected.iter().filter(|row| !top.contains(row)) {
                let is_before = |row: &usize| (amount(row) > amount(out)) == greatest && amount(row) != amount(out);
                prop_assert!(top.iter().all(is_before));
            }
        }
    }
}
