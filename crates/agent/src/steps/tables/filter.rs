//! The conditions of a query as a filter on metadata.

use super::dates::civil;
use super::documents::{FILE, SHEET};
use super::query::{Comparison, Condition, Test};
use super::table::{Cell, Table};
use serde_json::{Value, json};

/// Returns the filter that selects the same documents, together with the run's own filter; `None` if a condition is not
/// expressible, because the engine does not read amounts and dates from texts.
pub(in crate::steps) fn filter(
    table: &Table,
    conditions: &[Vec<Condition>],
    own: Option<&Value>,
) -> Option<Option<Value>> {
    let mut all: Vec<Value> = own.cloned().into_iter().collect();
    if !table.files.is_empty() {
        let (split, whole): (Vec<_>, Vec<_>) = table.files.iter().partition(|(_, sheets)| !sheets.is_empty());
        let whole: Vec<&String> = whole.into_iter().map(|(file, _)| file).collect();
        let is_in = |field: &str, names: Value| json!({ "field": field, "operator": "in", "value": names });
        let mut places: Vec<Value> = split
            .into_iter()
            .map(|(file, sheets)| json!({ "and": [is_in(FILE, json!([file])), is_in(SHEET, json!(sheets))] }))
            .collect();
        places.extend((!whole.is_empty()).then(|| is_in(FILE, json!(whole))));
        all.push(match places.as_slice() {
            [place] => place.clone(),
            _ => json!({ "or": places }),
        });
    }
    for any in conditions {
        let either: Vec<Value> = any
            .iter()
            .map(|one| condition(table, one))
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect();
        all.push(json!({ "or": either }));
    }
    Some((!all.is_empty()).then_some(Value::Array(all)))
}

fn condition(table: &Table, one: &Condition) -> Option<Vec<Value>> {
    let of = |at: &usize| {
        let column = table.column(*at)?;
        let field = |operator: &str, value: Value| json!({ "field": column.name, "operator": operator, "value": value });
        let are = |test: fn(&Value) -> bool| column.values.iter().all(|value| value.is_null() || test(value));
        match &one.test {
            Test::Among(keys) => {
                let holds = |cell: &Cell| matches!(cell, Cell::Text(texts) if texts.iter().any(|text| keys.contains(text)));
                let rows = column.cells.iter().zip(&column.values).filter(|(cell, _)| holds(cell));
                let values: Vec<&Value> = rows.map(|(_, value)| value).collect();
                let is_plain = values.iter().all(|value| value.is_string());
                is_plain.then(|| field(if one.negated { "not_in" } else { "in" }, json!(values)))
            }
            Test::Number(comparison, quantity) if are(Value::is_number) && !one.negated => {
                let operator = match comparison {
                    Comparison::More => ">",
                    Comparison::AtLeast => ">=",
                    Comparison::Less => "<",
                    Comparison::AtMost => "<=",
                    Comparison::Equal => "=",
                };
                Some(field(operator, json!(quantity.value)))
            }
            Test::Date { from, to }
                if are(|value| value.as_str().is_some_and(|text| text.len() == 10)) && !one.negated =>
            {
                let day = |days: i64| {
                    let (year, month, day) = civil(days);
                    json!(format!("{year:04}-{month:02}-{day:02}"))
                };
                let ends = [from.map(|from| field(">=", day(from))), to.map(|to| field("<", day(to)))];
                Some(json!({ "and": ends.into_iter().flatten().collect::<Vec<_>>() }))
            }
            Test::Boolean(wanted) if are(Value::is_boolean) => {
                Some(field("=", json!(*wanted != one.negated)))
            }
            Test::There(there) => Some(field("exists", json!(*there != one.negated))),
            _ => None,
        }
    };
    one.columns.iter().map(of).collect()
}
