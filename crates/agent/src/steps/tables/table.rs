//! Tables: rows with typed columns, whatever they were read from.

use super::dates::{self, Period};
use super::money::{are_cents, cents, names_money};
use super::quantity::{
    Dimension, Dots, Quantity, Unit, dots, has_decimal_comma, scaled_count, scaled_currency, unit,
};
use serde_json::Value;
use std::collections::BTreeSet;
use std::rc::Rc;
use vademecum_protocol::document::{DocumentSummary, Hit, Span, shown};
use vademecum_text::terms::terms;

/// Texts that mean that a value is missing.
const MISSING: [&str; 12] = ["", "-", "--", "–", "—", "?", "n/a", "#n/a", "null", "nan", "(none)", "(empty)"];
/// Texts that mean the same among numbers and dates, but may be values among texts.
const MISSING_AMONG_NUMBERS: [&str; 11] =
    ["na", "none", "nil", "unknown", "tbd", "tba", "open", "pending", "missing", "not available", "x"];
/// Words of columns whose numbers are names.
const CODES: [&str; 10] = ["zip", "postcode", "postal", "plz", "phone", "tel", "isbn", "sku", "ean", "iban"];
/// Words of columns whose numbers are names if the column's name ends with them: not "no. of rooms".
const CODES_AT_END: [&str; 5] = ["id", "no", "nr", "code", "account"];
/// Texts for yes in columns that are empty for no.
const CHECKS: [&str; 6] = ["x", "✓", "✔", "☑", "✅", "•"];
/// Words of columns in which 0 and 1 are numbers.
const COUNTED: [&str; 16] = [
    "floor", "level", "quantity", "qty", "count", "number", "score", "rating", "grade", "amount", "price",
    "stock", "stage", "priority", "class", "group",
];
/// Stems of columns for what may not have happened.
const EVENTS: &str =
    "ship deliveri return end termin close cancel complet finish leav exit paid payment sold sent resolv";
/// Words of columns whose numbers are years.
const YEARS: &str = "year founded built established published released vintage made since born";
/// Least and greatest number that is a year if all of a column are.
const YEAR_RANGE: std::ops::RangeInclusive<f64> = 1900.0..=2035.0;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::steps) enum Kind {
    Number,
    Date,
    Boolean,
    Text,
}

/// A value of a column.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::steps) enum Cell {
    Missing,
    Number(Quantity),
    Date(Period),
    Boolean(bool),
    /// Texts in the form of [`key`]; several if the value is a list.
    Text(Vec<String>),
}

/// A column.
#[derive(Debug, Clone)]
pub(in crate::steps) struct Column {
    pub(in crate::steps) name: String,
    /// The stems of its name, without units.
    pub(in crate::steps) stems: Vec<String>,
    pub(in crate::steps) kind: Kind,
    pub(in crate::steps) cells: Vec<Cell>,
    /// The values as written.
    pub(in crate::steps) values: Vec<Value>,
    /// The unit of its numbers, by its name or its values.
    pub(in crate::steps) unit: Option<Unit>,
    /// Whether its dates are years.
    pub(in crate::steps) of_years: bool,
    /// Whether its commas are decimal marks.
    pub(in crate::steps) comma: bool,
    /// Whether its dates have the day first.
    pub(in crate::steps) day_first: bool,
    /// Whether no value occurs twice.
    pub(in crate::steps) is_unique: bool,
    /// Whether its numbers are amounts of money with two decimals, such as 12.50.
    pub(in crate::steps) has_cents: bool,
    /// Where its values were read, if that is in texts.
    pub(in crate::steps) places: Vec<Option<(Rc<Hit>, Span)>>,
}

/// Where a row was read.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::steps) enum Source {
    /// The row is a document.
    Document(DocumentSummary),
    /// The row is a part of a passage, at this position in its document.
    Passage(Rc<Hit>, Span),
}

/// Rows and columns.
#[derive(Debug, Clone)]
pub(in crate::steps) struct Table {
    /// How an answer calls it: its file or collection.
    pub(in crate::steps) name: String,
    /// The collection of its documents.
    pub(in crate::steps) collection: String,
    /// The files that its rows come from, as far as documents tell; of a workbook that has other tables too, with the sheets.
    pub(in crate::steps) files: Vec<(String, Vec<String>)>,
    /// The stems of its name, if that describes its rows.
    pub(in crate::steps) stems: BTreeSet<String>,
    pub(in crate::steps) columns: Vec<Column>,
    pub(in crate::steps) sources: Vec<Source>,
    /// The column that names the rows.
    pub(in crate::steps) label: Option<usize>,
}

/// Returns whether a lowercase word says nothing by itself; "out" does in "sold out".
pub(in crate::steps) fn is_function_word(low: &str) -> bool {
    terms(low).is_empty() && !matches!(low, "out" | "off" | "up" | "down")
}

/// Returns the stem of a word; the word in lowercase if it is a stop word.
pub(in crate::steps) fn stem(word: &str) -> String {
    let low = word.to_lowercase();
    terms(&low).into_iter().next_back().map_or(low, |term| term.text)
}

/// Returns a text in the form in which values are compared: lowercase words.
pub(in crate::steps) fn key(text: &str) -> String {
    let low = text.to_lowercase().replace('’', "'");
    let words =
        low.split_whitespace().map(|word| word.trim_matches(|letter: char| ",;:()\"“”.!?".contains(letter)));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns the words of the name of a column: `hireDate`, `hire_date`, `Hire Date`.
fn words(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut before = ' ';
    for letter in name.chars() {
        if letter.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
        }
        spaced.push(if letter.is_alphanumeric() || "²€$£%°'’".contains(letter) {
            letter
        } else {
            ' '
        });
        before = letter;
    }
    spaced.split_whitespace().map(|word| word.to_lowercase().replace('’', "'")).collect()
}

/// Returns the unit that a column's name states, and the name without it.
fn without_unit(name: &str) -> (String, Option<Unit>) {
    let open = name.find(['(', '[']);
    let inner = open.and_then(|open| {
        let rest = name.get(open + 1..)?;
        let inner = rest.get(..rest.find([')', ']'])?)?;
        unit(inner.trim().trim_start_matches("in "))
            .or_else(|| scaled_currency(inner))
            .or_else(|| scaled_count(inner))
    });
    if let (Some(open), Some(unit)) = (open, inner) {
        return (name.get(..open).unwrap_or_default().to_owned(), Some(unit));
    }
    let all = words(name);
    let last =
        all.last().filter(|last| all.len() > 1 && last.chars().count() > 1).and_then(|last| unit(last));
    match last {
        Some(unit) => (all.get(..all.len() - 1).unwrap_or_default().join(" "), Some(unit)),
        None => (name.to_owned(), None),
    }
}

fn is_missing(text: &str) -> bool {
    MISSING.contains(&text.trim().to_lowercase().as_str())
}

fn is_boolean(text: &str) -> Option<bool> {
    match text.trim().to_lowercase().as_str() {
        "true" | "yes" | "y" | "ja" | "oui" | "sí" | "✓" | "✔" | "☑" | "✅" => Some(true),
        "false" | "no" | "n" | "nein" | "non" | "✗" | "✘" | "☐" | "❌" => Some(false),
        _ => None,
    }
}

/// Returns the cells of a column that has a mark for yes, or 1 and 0.
fn checks(words: &[String], values: &[Value]) -> Option<Vec<Cell>> {
    let filled: Vec<String> =
        values.iter().map(|one| shown(one).trim().to_lowercase()).filter(|one| !one.is_empty()).collect();
    let is_check = |text: &String| CHECKS.contains(&text.as_str());
    if !filled.is_empty() && filled.iter().all(is_check) {
        let cell = |value: &Value| Cell::Boolean(!shown(value).trim().is_empty());
        return Some(values.iter().map(cell).collect());
    }
    let counts = words.last().is_none_or(|last| last.ends_with('s') || COUNTED.contains(&last.as_str()));
    let has = |digit: &str| filled.iter().any(|one| one == digit);
    let is_binary = !counts && has("0") && has("1") && filled.iter().all(|one| one == "0" || one == "1");
    let cell = |value: &Value| match shown(value).trim() {
        "" => Cell::Missing,
        one => Cell::Boolean(one == "1"),
    };
    is_binary.then(|| values.iter().map(cell).collect())
}

/// Returns whether the numbers of a column of this name are names.
fn is_code(words: &[String]) -> bool {
    let is = |codes: &[&str], word: &String| codes.contains(&word.as_str());
    let last = words.iter().rfind(|word| *word != "number" || words.len() == 1);
    words.iter().any(|word| is(&CODES, word)) || last.is_some_and(|last| is(&CODES_AT_END, last))
}

impl Column {
    /// Determines the type of a column by its values.
    pub(in crate::steps) fn of(name: &str, values: Vec<Value>) -> Self {
        let (bare, stated) = without_unit(name);
        let all = words(&bare);
        let mut stems: Vec<String> =
            all.iter().filter(|word| !is_function_word(word)).map(|word| stem(word)).collect();
        if stems.is_empty() {
            stems.clone_from(&all);
        }
        let is_code = is_code(&all);
        let texts: Vec<String> = values
            .iter()
            .filter(|one| one.is_string())
            .filter_map(|one| one.as_str())
            .map(str::to_owned)
            .collect();
        let there: Vec<&String> = texts.iter().filter(|text| !is_missing(text)).collect();
        let marks = dots(&there.iter().map(|text| text.as_str()).collect::<Vec<_>>());
        let comma = marks == Dots::Thousands || there.iter().any(|text| has_decimal_comma(text));
        let told = there.iter().find_map(|text| dates::has_day_first(text));
        // Where no day is greater than 12, few countries but the United States have the month first, and they write slashes.
        let is_dashed = || !there.is_empty() && there.iter().all(|text| dates::has_dashes(text));
        let day_first = told.unwrap_or_else(is_dashed);
        let is_listed = values.iter().any(|one| one.is_array() || one.is_object());
        let has = |test: &dyn Fn(&Value) -> bool| values.iter().any(test);
        let mut column = Self {
            name: name.to_owned(),
            stems,
            kind: Kind::Text,
            cells: Vec::new(),
            values: Vec::new(),
            unit: stated,
            of_years: false,
            comma,
            day_first,
            is_unique: false,
            has_cents: false,
            places: Vec::new(),
        };
        let number = |value: &Value| match value {
            Value::Number(number) => number.as_f64().map(Quantity::bare),
            Value::String(text) => Quantity::parse(text, comma),
            _ => None,
        };
        let date = |value: &Value| value.as_str().and_then(|text| dates::parse(text, day_first));
        let boolean = |value: &Value| value.as_bool().or_else(|| is_boolean(value.as_str()?));
        let fits = |reads: &dyn Fn(&Value) -> bool| !is_listed && is_of_one_kind(&values, reads);
        if let Some(cells) = checks(&all, &values) {
            (column.kind, column.cells) = (Kind::Boolean, cells);
        } else if fits(&|value| boolean(value).is_some()) {
            column.kind = Kind::Boolean;
            column.cells =
                values.iter().map(|one| boolean(one).map_or(Cell::Missing, Cell::Boolean)).collect();
        } else if fits(&|value| date(value).is_some()) {
            column.kind = Kind::Date;
            column.cells = values.iter().map(|one| date(one).map_or(Cell::Missing, Cell::Date)).collect();
        } else if !is_code && marks != Dots::Unclear && fits(&|value| number(value).is_some()) {
            let numbers: Vec<Option<Quantity>> = values.iter().map(number).collect();
            column.set_numbers(&numbers, &all);
        } else {
            column.cells = values.iter().map(text_cell).collect();
        }
        if !has(&|value| !value.is_null()) {
            column.cells = values.iter().map(|_| Cell::Missing).collect();
        }
        let mut seen = BTreeSet::new();
        let filled = values.iter().filter(|one| !one.is_null()).map(|one| key(&shown(one)));
        // A "value" may be anything.
        column.has_cents = names_money(&column.stems) && column.stems != ["valu"] && are_cents(&values);
        column.is_unique = filled.clone().all(|one| seen.insert(one)) && seen.len() > 1;
        column.values = values;
        column
    }

    fn set_numbers(&mut self, numbers: &[Option<Quantity>], words: &[String]) {
        let values = || numbers.iter().flatten();
        let bare = values().all(|one| one.unit.is_none() && one.value.fract() == 0.0) && self.unit.is_none();
        let years = YEARS.split(' ').map(stem).collect::<BTreeSet<_>>();
        let named = words.iter().any(|word| years.contains(&stem(word)));
        let all_within = values().all(|one| YEAR_RANGE.contains(&one.value));
        let named_within = named && values().all(|one| (1000.0..2200.0).contains(&one.value));
        if bare && (named_within || all_within) {
            (self.kind, self.of_years) = (Kind::Date, true);
            let cell = |one: &Quantity| Cell::Date(Period::year(one.value as i64));
            self.cells = numbers.iter().map(|one| one.as_ref().map_or(Cell::Missing, cell)).collect();
            return;
        }
        self.kind = Kind::Number;
        let stated = self.unit;
        let with_unit = |one: &Quantity| Quantity { unit: one.unit.or(stated), ..*one };
        let units: Vec<Option<Unit>> = values().map(|one| with_unit(one).unit).collect();
        let first = units.first().copied().flatten();
        self.unit = first.filter(|first| units.iter().flatten().all(|unit| unit.of == first.of));
        let unit = self.unit;
        let cell = |one: &Quantity| {
            let one = with_unit(one);
            // All numbers of a column are in one unit, as far as they measure the same.
            match (one.unit, unit) {
                (Some(own), Some(unit)) if own.of == unit.of && own.factor != unit.factor => {
                    Cell::Number(Quantity { value: one.value * own.factor / unit.factor, unit: Some(unit) })
                }
                _ => Cell::Number(one),
            }
        };
        self.cells = numbers.iter().map(|one| one.as_ref().map_or(Cell::Missing, cell)).collect();
    }

    /// Returns whether its numbers are amounts of money.
    pub(in crate::steps) fn is_money(&self) -> bool {
        self.kind == Kind::Number
            && self.cells.iter().any(|cell| {
                matches!(
                    cell,
                    Cell::Number(Quantity { unit: Some(Unit { of: Dimension::Money(_), .. }), .. })
                )
            })
    }

    /// Returns whether its numbers measure different things, or are in different currencies.
    pub(in crate::steps) fn is_mixed(&self) -> bool {
        let mut units = self.cells.iter().filter_map(|cell| match cell {
            Cell::Number(one) => Some(one.unit.map(|unit| unit.of)),
            _ => None,
        });
        units.next().is_some_and(|first| units.any(|one| one != first))
    }

    /// Returns whether its numbers are amounts of money in several currencies, each of which has an order.
    pub(in crate::steps) fn is_of_currencies(&self) -> bool {
        let is_money = |cell: &Cell| match cell {
            Cell::Number(one) => one.unit.is_some_and(|unit| matches!(unit.of, Dimension::Money(_))),
            _ => true,
        };
        self.is_mixed() && self.cells.iter().all(is_money)
    }

    /// Returns the least and the greatest of its numbers.
    pub(in crate::steps) fn ends(&self) -> Option<(f64, f64)> {
        let numbers = self.cells.iter().filter_map(|cell| match cell {
            Cell::Number(one) => Some((one.value, one.value)),
            _ => None,
        });
        numbers.reduce(|one, two| (one.0.min(two.0), one.1.max(two.1)))
    }

    /// Returns whether a value is a list of several texts.
    pub(in crate::steps) fn has_lists(&self) -> bool {
        self.cells.iter().any(|cell| matches!(cell, Cell::Text(texts) if texts.len() > 1))
    }

    /// Returns whether it has a value for every row.
    pub(in crate::steps) fn is_full(&self) -> bool {
        self.cells.iter().all(|cell| *cell != Cell::Missing)
    }

    /// Returns whether its values are codes that name rows: one word each with a number, and no two the same.
    pub(in crate::steps) fn is_coded(&self) -> bool {
        let is_code = |cell: &Cell| match cell {
            Cell::Missing => true,
            Cell::Text(texts) => texts.iter().all(|text| {
                text.ends_with(|letter: char| letter.is_ascii_digit()) && !text.contains(char::is_whitespace)
            }),
            _ => false,
        };
        self.kind == Kind::Text && self.is_unique && self.cells.iter().all(is_code)
    }

    /// Returns whether its dates are of something that may not have happened, so that a missing one says so: "shipped".
    pub(in crate::steps) fn is_of_event(&self) -> bool {
        let happened = |word: &String| word.ends_with("ed") && word.len() > 3;
        words(&self.name).iter().any(happened)
            || self.stems.iter().any(|stem| EVENTS.split(' ').any(|one| one == stem))
    }

    /// Returns whether it can be sorted by size.
    pub(in crate::steps) fn is_ordered(&self) -> bool {
        matches!(self.kind, Kind::Number | Kind::Date)
    }
}

/// Returns whether all values are readable, apart from those that are missing.
fn is_of_one_kind(values: &[Value], reads: &dyn Fn(&Value) -> bool) -> bool {
    let among_numbers = |text: &str| MISSING_AMONG_NUMBERS.contains(&text.trim().to_lowercase().as_str());
    let (mut read, mut missing) = (0, 0);
    for value in values {
        match value {
            Value::Null => {}
            Value::String(text) if is_missing(text) => {}
            value if reads(value) => read += 1,
            Value::String(text) if among_numbers(text) => missing += 1,
            _ => return false,
        }
    }
    read > 0 && missing <= read
}

fn text_cell(value: &Value) -> Cell {
    let texts: Vec<String> = match value {
        Value::Null => Vec::new(),
        Value::Array(parts) => parts.iter().map(|part| key(&shown(part))).collect(),
        Value::String(text) if is_missing(text) => Vec::new(),
        one => {
            let text = shown(one);
            let whole = key(&text);
            let parts: Vec<String> =
                text.split([';', '|']).map(key).filter(|part| !part.is_empty()).collect();
            if parts.len() > 1 { parts } else { vec![whole] }
        }
    };
    let texts: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    if texts.is_empty() { Cell::Missing } else { Cell::Text(texts) }
}

impl Table {
    /// Returns a column.
    pub(in crate::steps) fn column(&self, at: usize) -> Option<&Column> {
        self.columns.get(at)
    }

    /// Returns a cell.
    pub(in crate::steps) fn cell(&self, row: usize, column: usize) -> &Cell {
        self.columns.get(column).and_then(|column| column.cells.get(row)).unwrap_or(&Cell::Missing)
    }

    /// Returns a value as written, amounts of money with their decimals; empty if it is missing.
    pub(in crate::steps) fn written(&self, row: usize, column: usize) -> String {
        let Some(column) = self.columns.get(column) else { return String::new() };
        match column.values.get(row) {
            Some(Value::Number(amount)) if column.has_cents => amount.as_f64().map(cents).unwrap_or_default(),
            value => value.map(shown).unwrap_or_default(),
        }
    }

    /// Returns the number of rows.
    pub(in crate::steps) fn len(&self) -> usize {
        self.sources.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(name: &str, values: Value) -> Column {
        Column::of(name, values.as_array().unwrap().clone())
    }

    #[test]
    fn the_type_of_a_column_follows_from_its_values() {
        for (name, values, kind) in [
            ("Price", json!(["€1,200.00", "n/a", "€900.50", null]), Kind::Number),
            ("Price", json!(["1.200", "900,50", "on request"]), Kind::Text),
            ("Due", json!(["14.03.2025", "", "02.04.2025"]), Kind::Date),
            ("Year", json!([1999, 2004]), Kind::Date),
            ("Weight", json!([1305, 2471]), Kind::Number),
            ("Paid", json!(["yes", "no", null]), Kind::Boolean),
            ("order_id", json!([1001, 1002]), Kind::Text),
            ("Phone", json!(["0221", "030"]), Kind::Text),
            ("Name", json!(["Anna", "May"]), Kind::Text),
        ] {
            assert_eq!(of(name, values.clone()).kind, kind, "{name} {values}");
        }
    }

    #[test]
    fn a_unit_comes_from_the_name_or_the_values() {
        let symbol = |column: &Column| column.unit.map_or("", |unit| unit.symbol);
        assert_eq!(symbol(&of("Weight (kg)", json!([5]))), "kg");
        assert_eq!(symbol(&of("price_eur", json!([5]))), "EUR");
        assert_eq!(
            of("Budget ($M)", json!([5])).unit.map(|unit| (unit.symbol, unit.factor)),
            Some(("USD", 1e6))
        );
        assert_eq!(symbol(&of("Total", json!(["$5", "$6"]))), "USD");
        let mixed = of("Weight", json!(["500 g", "2 kg"]));
        assert_eq!(mixed.cells.get(1), Some(&Cell::Number(Quantity { value: 2000.0, unit: unit("g") })));
        assert_eq!(of("Total", json!(["$5", "€6"])).unit, None);
        assert_eq!(of("hireDate", json!(["2024-01-01"])).stems, ["hire", "date"]);
    }
}
