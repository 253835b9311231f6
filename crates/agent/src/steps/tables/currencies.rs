//! Currencies of amounts that another column of their table states.

use super::money::names_money;
use super::quantity::{Dimension, Quantity, Unit, unit};
use super::table::{Cell, Column, Kind, stem};

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
