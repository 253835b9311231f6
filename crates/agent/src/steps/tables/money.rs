//! Money in tables: the names of columns about it, amounts with cents, and currencies that another column states.

use super::quantity::{Dimension, Quantity, Unit, unit};
use super::table::{Cell, Column, Kind, stem};
use serde_json::Value;

/// Stems of these names.
const MONEY: [&str; 22] = [
    "amount", "total", "price", "cost", "sum", "valu", "fee", "salari", "revenu", "budget", "payment",
    "rent", "incom", "wage", "fare", "spend", "expens", "profit", "pay", "balanc", "sale", "turnov",
];

/// Returns whether the stems of a column's name are about money.
pub(super) fn names_money(stems: &[String]) -> bool {
    stems.iter().any(|stem| MONEY.contains(&stem.as_str()))
}

/// Returns whether numbers have two decimals at most, and one of them just two.
pub(super) fn are_cents(values: &[Value]) -> bool {
    let mut decimals = values.iter().filter_map(|one| {
        let text = one.as_number()?.to_string();
        Some(text.split_once('.').filter(|(_, rest)| *rest != "0").map_or(0, |(_, rest)| rest.len()))
    });
    decimals.clone().any(|count| count == 2) && decimals.all(|count| count <= 2)
}

/// Writes an amount of money with two decimals.
pub(super) fn cents(amount: f64) -> String {
    format!("{amount:.2}")
}

/// Gives amounts of money without a unit the currency that another column states for each row.
pub(super) fn add_currencies(columns: &mut [Column]) {
    let named = stem("currency");
    let currency = |cell: &Cell| match cell {
        Cell::Text(texts) => unit(texts.first()?).filter(|unit| matches!(unit.of, Dimension::Money(_))),
        _ => None,
    };
    let fits = |column: &&Column| {
        column.stems.contains(&named)
            && column.cells.iter().all(|cell| *cell == Cell::Missing || currency(cell).is_some())
    };
    let stating: Vec<&Column> = columns.iter().filter(fits).collect();
    let [stating] = stating.as_slice() else { return };
    let units: Vec<Option<Unit>> = stating.cells.iter().map(currency).collect();
    let is_bare = |cell: &Cell| !matches!(cell, Cell::Number(Quantity { unit: Some(_), .. }));
    for column in columns.iter_mut().filter(|column| {
        column.kind == Kind::Number && names_money(&column.stems) && column.cells.iter().all(is_bare)
    }) {
        for (cell, unit) in column.cells.iter_mut().zip(&units) {
            if let Cell::Number(one) = cell {
                one.unit = *unit;
            }
        }
        let first = units.iter().flatten().next().copied();
        column.unit =
            first.filter(|first| units.iter().all(|unit| unit.is_some_and(|unit| unit.of == first.of)));
    }
}
