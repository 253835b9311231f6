//! What cells hold: numbers, dates, truth values or words.

use serde_json::{Number, Value};

type Row = Vec<String>;

/// The type that all cells of a column have, where they are not empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Text,
    Number,
    Boolean,
}

impl Type {
    pub(super) fn of(records: &[Row], column: usize) -> Self {
        let filled = || cells(records, column).filter(|cell| !cell.is_empty());
        if filled().next().is_none() {
            return Self::Text;
        }
        let mut dotted = filled().filter(|cell| cell.contains('.'));
        let is_grouped = dotted.clone().nth(1).is_some() && dotted.all(is_grouped);
        if !is_grouped && filled().all(is_number) {
            Self::Number // the reader of an answer determines what dots that may group mean
        } else if filled().all(|cell| truth(cell).is_some()) {
            Self::Boolean
        } else {
            Self::Text
        }
    }

    /// Returns the value of a cell; none if it is empty.
    pub(super) fn value(self, cell: &str) -> Option<Value> {
        if cell.is_empty() {
            return None;
        }
        Some(match self {
            Self::Number => number(cell).map_or_else(|| cell.into(), Value::Number),
            Self::Boolean => truth(cell).map_or_else(|| cell.into(), Value::Bool),
            Self::Text => cell.into(),
        })
    }
}

fn number(cell: &str) -> Option<Number> {
    if let Ok(whole) = cell.parse::<i64>() {
        return Some(whole.into());
    }
    cell.parse().ok().and_then(Number::from_f64)
}

fn truth(cell: &str) -> Option<bool> {
    [("true", true), ("false", false)]
        .into_iter()
        .find(|(word, _)| cell.eq_ignore_ascii_case(word))
        .map(|one| one.1)
}

fn cells(records: &[Row], column: usize) -> impl Iterator<Item = &str> + Clone {
    records.iter().map(move |row| row.get(column).map_or("", String::as_str))
}

fn are_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a cell is a number as programs write it: one with a leading zero is a code.
fn is_number(cell: &str) -> bool {
    let (whole, fraction) = match cell.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (cell, None),
    };
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let is_whole = are_digits(digits) && digits.len() <= 15 && (digits == "0" || !digits.starts_with('0'));
    is_whole && fraction.is_none_or(are_digits)
}

/// Returns whether dots of a number may group its digits: "45.000" may be forty-five thousand.
fn is_grouped(cell: &str) -> bool {
    let mut groups = cell.strip_prefix('-').unwrap_or(cell).split('.');
    let first = groups.next().unwrap_or_default();
    let is_first = are_digits(first) && first.len() <= 3 && !first.starts_with('0');
    is_first && groups.all(|group| group.len() == 3 && are_digits(group))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Date,
    Number,
}

/// Returns what a cell looks like, in the ways of any country; none for words.
fn look(cell: &str) -> Option<Look> {
    if is_date(cell) {
        return Some(Look::Date);
    }
    let signs = ['€', '$', '£'];
    let body = cell.strip_prefix(['-', '+']).unwrap_or(cell);
    let body = body.strip_prefix(signs).unwrap_or(body);
    let body = body.strip_prefix(char::is_whitespace).unwrap_or(body);
    let body = body.strip_suffix(|last| last == '%' || signs.contains(&last)).unwrap_or(body);
    let is_digit = |char: char| char.is_ascii_digit() || char.is_whitespace() || ".,'’".contains(char);
    (body.starts_with(|first: char| first.is_ascii_digit()) && body.chars().all(is_digit))
        .then_some(Look::Number)
}

/// Returns whether a cell is a date such as `2024-01-31`, `1/31` or `31.1.24`, with or without a time.
fn is_date(cell: &str) -> bool {
    let (day, time) = match cell.split_once(['T', ' ']) {
        Some((day, time)) => (day, Some(time)),
        None => (cell, None),
    };
    let is_time = |time: &str| {
        let time = time.strip_suffix('Z').unwrap_or(time);
        !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit() || b":.".contains(&byte))
    };
    let of_lengths = |separators: &[char], lengths: &[(usize, usize)]| {
        let parts: Vec<&str> = day.split(separators).collect();
        parts.len() == lengths.len()
            && parts
                .iter()
                .zip(lengths)
                .all(|(part, (least, most))| are_digits(part) && (*least..=*most).contains(&part.len()))
    };
    let is_day = of_lengths(&['-', '/'], &[(1, 4), (1, 2)])
        || of_lengths(&['-', '/'], &[(1, 4), (1, 2), (1, 4)])
        || of_lengths(&['.'], &[(1, 2), (1, 2), (2, 4)]);
    is_day && time.is_none_or(is_time)
}

/// Returns the look that all cells of a column have, where they are not empty.
fn look_of_all(records: &[Row], column: usize) -> Option<Look> {
    let mut looks = cells(records, column).filter(|cell| !cell.is_empty()).map(look);
    let first = looks.next()??;
    looks.all(|look| look == Some(first)).then_some(first)
}

/// Returns whether the first row looks like those below: it has numbers or dates wherever they do, and at least one.
pub(super) fn is_alike(first: &[String], below: &[Row]) -> bool {
    let valued: Vec<(usize, &str, Look)> = first
        .iter()
        .enumerate()
        .filter_map(|(column, cell)| Some((column, cell.as_str(), look_of_all(below, column)?)))
        .filter(|(_, cell, _)| !cell.is_empty())
        .collect();
    if valued.is_empty() || valued.iter().any(|(_, cell, of_all)| look(cell) != Some(*of_all)) {
        return false;
    }
    // Years, and numbers in their order, name columns.
    let is_year = |cell: &str| {
        cell.len() == 4 && are_digits(cell) && (cell.starts_with("19") || cell.starts_with("20"))
    };
    let is_other = |column: usize| cells(below, column).any(|cell| !cell.is_empty() && !is_year(cell));
    if valued.iter().all(|(_, cell, _)| is_year(cell)) && valued.iter().any(|(column, ..)| is_other(*column))
    {
        return false;
    }
    let value = |cell: &str| cell.parse::<f64>().ok();
    let is_next = |two: &[(usize, &str, Look)]| match two {
        [(_, one, _), (_, other, _)] => {
            matches!((value(one), value(other)), (Some(one), Some(other)) if (other - one).abs() == 1.0)
        }
        _ => false,
    };
    valued.len() < 2 || !valued.windows(2).all(is_next)
}
