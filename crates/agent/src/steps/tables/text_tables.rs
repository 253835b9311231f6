//! Tables in the texts of documents: of Markdown, of HTML as its reader writes them, of values separated by commas, and logs.

use super::currencies::add_currencies;
use super::documents::{labelling, name_stems};
use super::lines::Line;
use super::log_lines;
use super::table::{Column, Source, Table};
use serde_json::Value;
use std::collections::BTreeSet;

/// Maximum length of the name of a column, in characters.
const MAX_NAME: usize = 80;

/// A row of a text: its cells and its line.
struct Row<'l> {
    cells: Vec<String>,
    line: &'l Line,
}

/// Finds the tables of a document.
pub(in crate::steps) fn tables(lines: &[Line]) -> Vec<Table> {
    let (mut found, mut at) = (Vec::new(), 0);
    if let Some(table) = separated(lines).or_else(|| log_lines::table(lines)) {
        return vec![table];
    }
    while at < lines.len() {
        let rest = lines.get(at..).unwrap_or_default();
        match piped(rest) {
            Some((table, length)) => {
                found.extend(table);
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

/// Reads a table with vertical bars at the beginning of `lines`; returns its length.
fn piped(lines: &[Line]) -> Option<(Option<Table>, usize)> {
    let length = lines.iter().take_while(|line| line.text.contains('|')).count();
    let all = lines.get(..length).filter(|all| all.len() > 2)?;
    let is_rule =
        |line: &Line| line.text.contains('-') && line.text.chars().all(|letter| "|-: \t".contains(letter));
    let has_rule = all.get(1).is_some_and(is_rule);
    let header = cells(&all.first()?.text);
    let rows: Vec<Row<'_>> = all
        .iter()
        .skip(if has_rule { 2 } else { 1 })
        .map(|line| Row { cells: cells(&line.text), line })
        .collect();
    // Without a rule the bars may be anything, unless all lines have as many.
    let is_even = rows.iter().all(|row| row.cells.len() == header.len());
    Some(((has_rule || is_even).then(|| of_rows(&header, rows)).flatten(), length))
}

/// Splits a line at its vertical bars.
fn cells(text: &str) -> Vec<String> {
    let text = text.trim();
    let text = text.strip_prefix('|').unwrap_or(text);
    let text = if text.ends_with("\\|") { text } else { text.strip_suffix('|').unwrap_or(text) };
    let escaped = text.replace("\\|", "\u{0}");
    escaped.split('|').map(|cell| plain(&cell.replace('\u{0}', "|"))).collect()
}

/// Removes the marks of emphasis, code and links.
fn plain(cell: &str) -> String {
    let bare = cell.trim().trim_matches(['*', '`', '_']).trim();
    match (bare.strip_prefix('['), bare.find("](")) {
        (Some(_), Some(end)) if bare.ends_with(')') => bare.get(1..end).unwrap_or(bare).to_owned(),
        _ => bare.to_owned(),
    }
}

/// Reads a whole text of separated values: every line has as many, and the first one names them.
fn separated(lines: &[Line]) -> Option<Table> {
    let there: Vec<&Line> = lines.iter().filter(|line| !line.text.trim().is_empty()).collect();
    let first = there.first()?;
    let id = first.hit.chunk.doc_id.to_lowercase();
    let is_file = [".csv", ".tsv"].iter().any(|end| id.ends_with(end));
    let separator = [',', ';', '\t'].into_iter().max_by_key(|mark| first.text.matches(*mark).count())?;
    let header = split(&first.text, separator);
    let enough =
        if is_file { header.len() > 1 && there.len() > 1 } else { header.len() > 2 && there.len() > 3 };
    let rows: Vec<Row<'_>> =
        there.iter().skip(1).map(|line| Row { cells: split(&line.text, separator), line }).collect();
    let is_even = rows.iter().all(|row| row.cells.len() == header.len());
    (enough && is_even).then(|| of_rows(&header, rows)).flatten()
}

/// Splits a line of separated values, some of which may be quoted.
fn split(line: &str, separator: char) -> Vec<String> {
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            letter if letter == separator && !quoted => {
                cells.push(std::mem::take(&mut cell).trim().to_owned());
            }
            letter => cell.push(letter),
        }
    }
    cells.push(cell.trim().to_owned());
    cells
}

/// Names of columns with values of anything.
const VALUES: [&str; 6] = ["value", "values", "wert", "werte", "details", "valeur"];

/// Returns whether a table has names with their values: its rows are attributes of one thing, and no records.
fn is_of_pairs(header: &[String]) -> bool {
    matches!(header, [_, value] if VALUES.contains(&value.to_lowercase().as_str()))
}

fn of_rows(header: &[String], rows: Vec<Row<'_>>) -> Option<Table> {
    let mut names = BTreeSet::new();
    let named = |name: &String| {
        !name.is_empty() && name.chars().count() <= MAX_NAME && name.chars().any(char::is_alphabetic)
    };
    let fine = header.len() > 1
        && !rows.is_empty()
        && header.iter().all(|name| named(name) && names.insert(name.to_lowercase()));
    if is_of_pairs(header) {
        return None;
    }
    let first = rows.first().filter(|_| fine)?.line.hit.clone();
    let value = |row: &Row<'_>, at: usize| match row.cells.get(at) {
        Some(cell) if !cell.is_empty() => Value::String(cell.clone()),
        _ => Value::Null,
    };
    let column =
        |(at, name): (usize, &String)| Column::of(name, rows.iter().map(|row| value(row, at)).collect());
    let mut columns: Vec<Column> = header.iter().enumerate().map(column).collect();
    add_currencies(&mut columns);
    let sources = rows.iter().map(|row| Source::Passage(row.line.hit.clone(), row.line.span)).collect();
    let chunk = &first.chunk;
    let title = chunk.title.clone().unwrap_or_else(|| chunk.doc_id.clone());
    let heading = chunk.headings.last().filter(|heading| **heading != title);
    let file = chunk.doc_id.rsplit('/').next().unwrap_or_default();
    let file = file.rsplit_once('.').map_or(file, |(bare, _)| bare);
    let stems =
        [title.as_str(), file].into_iter().chain(heading.map(String::as_str)).flat_map(name_stems).collect();
    let name = heading.map_or(title.clone(), |heading| format!("{title}, {heading}"));
    let label = labelling(&columns, &stems);
    Some(Table {
        name,
        collection: chunk.collection.clone(),
        files: Vec::new(),
        stems,
        columns,
        sources,
        label,
    })
}
