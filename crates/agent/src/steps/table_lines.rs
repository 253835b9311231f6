//! The lines of tables in texts: their cells, and which line names the columns.

use super::code_signs::looks_like_code;
use vademecum_util::within::Within;

/// Maximum length of a column's name, in bytes.
const MAX_COLUMN: usize = 40;
/// Bounds for a guessed header: the number of rows below it, and of its cells. In tables of two columns, the first cell names the second one already.
const MIN_ROWS: usize = 3;
const MIN_COLUMNS: usize = 3;
const MAX_COLUMNS: usize = 64;

/// Returns the cells of a row.
pub(super) fn cells(line: &str) -> Vec<&str> {
    let bare = line.strip_prefix('|').unwrap_or(line);
    let bare = bare.strip_suffix('|').unwrap_or(bare);
    // A bar within a word, or between two others, separates no cells.
    let is_table = line.starts_with('|') || line.contains(" | ");
    match is_table && !line.contains("||") {
        true => bare.split('|').map(str::trim).collect(),
        false => aligned(line),
    }
}

/// Space between the columns of a table in plain text.
const GAP: &str = "   ";

/// Returns the cells of a line whose columns are aligned by spaces; none of any other line.
fn aligned(line: &str) -> Vec<&str> {
    if !line.trim().contains(GAP) || looks_like_code(line) {
        return Vec::new();
    }
    line.split(GAP).map(str::trim).filter(|cell| !cell.is_empty()).collect()
}

/// Returns whether a line is the one below the names of the columns.
pub(super) fn is_delimiter(line: &str) -> bool {
    line.contains('-') && line.chars().all(|letter| "|-: \t".contains(letter))
}

/// Returns the cells of a table's first row if they are the names of its columns: without digits, each another one that no row repeats, and above
/// numbers in half of the rows of a column. The tables of pages have no line below their header as text.
pub(super) fn guessed_header<'a>(rows: &[Vec<&'a str>]) -> Option<Vec<&'a str>> {
    let (names, body) = rows.split_first()?;
    let has_digit = |cell: &str| cell.contains(|letter: char| letter.is_ascii_digit());
    let is_name = |name: &&str| !name.is_empty() && name.len() <= MAX_COLUMN && !has_digit(name);
    let is_new = |(at, name): (usize, &&str)| {
        !names.within(..at).contains(name) && !body.iter().any(|row| row.contains(name))
    };
    let is_numeric = |at: usize| {
        let numbers = body.iter().filter(|row| row.get(at).is_some_and(|cell| has_digit(cell))).count();
        numbers * 2 >= body.len()
    };
    let fits = body.len() >= MIN_ROWS
        && (MIN_COLUMNS..=MAX_COLUMNS).contains(&names.len())
        && body.iter().all(|row| row.len() == names.len())
        && names.iter().all(is_name)
        && names.iter().enumerate().all(is_new)
        && (0..names.len()).any(is_numeric);
    fits.then(|| names.clone())
}
