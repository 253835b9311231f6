//! Spreadsheets: each sheet is a table, by the rules of [`crate::table`], or a page where it does not look like records.

use crate::archive::{Archive, protected};
use crate::documents::Read;
use crate::records::check_count;
use crate::refusal::{Code, Refusal};
use crate::table::{Row, records};
use crate::xml::escaped;
use calamine::{DataRef, ExcelDateTime, Reader, SheetType, SheetVisible, Xlsx};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;
use vademecum_protocol::document::{Document, Format};

/// Bytes that a file may have when unpacked.
const MAX_UNPACKED: u64 = 512 << 20;
/// Cells of a sheet, empty ones included.
const MAX_CELLS: usize = 20_000_000;
/// Bytes of text of a sheet.
const MAX_TEXT: usize = 256 << 20;
/// The beginning of a file in the format before 2007, in which also files with a password are wrapped.
const COMPOUND: &[u8] = &[0xD0, 0xCF, 0x11, 0xE0];

pub(crate) fn read(id: &str, name: &str, bytes: &[u8]) -> Result<Read, Refusal> {
    if bytes.starts_with(COMPOUND) {
        return Err(protected("Excel", ".xlsx"));
    }
    let mut archive = Archive::open(bytes, "a spreadsheet", "Excel")?;
    archive.check_size(MAX_UNPACKED)?;
    let damaged = |_| Refusal::damaged("a spreadsheet", "Excel");
    let mut book = Xlsx::new(Cursor::new(bytes)).map_err(damaged)?;
    let sheets = book.sheets_metadata().to_vec();
    let mut all = Read::default();
    for sheet in sheets.iter().filter(|sheet| sheet.typ == SheetType::WorkSheet) {
        if sheet.visible != SheetVisible::Visible {
            all.notes.push(format!("The sheet “{}” is hidden, and was left out.", sheet.name));
            continue;
        }
        let rows = rows(&mut book, &sheet.name)?;
        let (above, rows) = without_titles(rows);
        if rows.is_empty() {
            continue;
        }
        let read = records(name, rows, |row| format!("{id}#{}!{row}", sheet.name));
        let mut read = read.unwrap_or_else(|rows| Read::of(page(id, name, &sheet.name, &rows)));
        for document in &mut read.documents {
            document.metadata.insert("sheet".to_owned(), sheet.name.clone().into());
            if let Some(above) = &above {
                document.metadata.entry("table").or_insert_with(|| above.clone().into());
            }
        }
        all.documents.append(&mut read.documents);
        all.notes.extend(read.notes.into_iter().map(|note| format!("Sheet “{}”: {note}", sheet.name)));
        check_count(all.documents.len())?;
    }
    if all.documents.is_empty() {
        return Err(Refusal::without_text());
    }
    Ok(all)
}

fn too_large(sheet: &str) -> Refusal {
    let message = format!(
        "The sheet “{sheet}” has more than {MAX_CELLS} cells, or {} MB of text. Split it into several files.",
        MAX_TEXT >> 20
    );
    Refusal::new(Code::FileTooLarge, message)
}

/// Returns the rows of a sheet that hold something, with the columns that hold something.
fn rows(book: &mut Xlsx<Cursor<&[u8]>>, sheet: &str) -> Result<Vec<Row>, Refusal> {
    let damaged = |_| Refusal::damaged("a spreadsheet", "Excel");
    let mut cells: BTreeMap<u32, Vec<(u32, String)>> = BTreeMap::new();
    let mut columns = BTreeSet::new();
    let mut reader = book.worksheet_cells_reader(sheet).map_err(damaged)?;
    // A text that is shared is stored once and copied for every cell that has it.
    let (mut count, mut bytes) = (0usize, 0usize);
    while let Some(cell) = reader.next_cell().map_err(damaged)? {
        let text = said(cell.get_value());
        if !text.is_empty() {
            (count, bytes) = (count + 1, bytes.saturating_add(text.len()));
            if count > MAX_CELLS || bytes > MAX_TEXT {
                return Err(too_large(sheet));
            }
            let (row, column) = cell.get_position();
            columns.insert(column);
            cells.entry(row).or_default().push((column, text));
            check_count(cells.len())?;
        }
    }
    if cells.len().saturating_mul(columns.len()) > MAX_CELLS {
        return Err(too_large(sheet));
    }
    let columns: Vec<u32> = columns.into_iter().collect();
    let dense = |filled: Vec<(u32, String)>| {
        let mut row = vec![String::new(); columns.len()];
        for (column, text) in filled {
            if let Some(cell) = columns.binary_search(&column).ok().and_then(|at| row.get_mut(at)) {
                *cell = text;
            }
        }
        row
    };
    Ok(cells.into_values().map(dense).collect())
}

/// Divides rows into the words above a table, if there are any, and the table, whose unnamed columns get numbers.
fn without_titles(mut rows: Vec<Row>) -> (Option<String>, Vec<Row>) {
    let filled = |row: &Row| row.iter().filter(|cell| !cell.is_empty()).count();
    let widest = rows.iter().map(filled).max().unwrap_or(0);
    let titles = rows.iter().take_while(|row| filled(row) < 2 && widest > 1).count();
    let table = rows.split_off(titles);
    let above: Vec<String> = rows.into_iter().flatten().filter(|cell| !cell.is_empty()).collect();
    let mut table = table.into_iter();
    let named = table.next().map(|mut header| {
        if filled(&header) * 2 > header.len() {
            for (at, name) in header.iter_mut().enumerate().filter(|(_, name)| name.is_empty()) {
                *name = format!("column {}", at + 1);
            }
        }
        header
    });
    ((!above.is_empty()).then(|| above.join(" ")), named.into_iter().chain(table).collect())
}

/// Makes one document of a sheet that does not look like records.
fn page(id: &str, name: &str, sheet: &str, rows: &[Row]) -> Document {
    let mut html = format!("<h1>{}</h1>\n<table>\n", escaped(sheet));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
        html.push_str(&format!("<tr>{}</tr>\n", cells.concat()));
    }
    html.push_str("</table>\n");
    Document {
        title: Some(format!("{name}, {sheet}")),
        format: Some(Format::Html),
        ..Document::new(format!("{id}#{sheet}"), html)
    }
}

/// Returns what a cell says, without the format that it is shown in.
fn said(cell: &DataRef<'_>) -> String {
    match cell {
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            text.trim().to_owned()
        }
        DataRef::SharedString(text) => text.trim().to_owned(),
        DataRef::Bool(truth) => truth.to_string(),
        DataRef::DateTime(time) => dated(time),
        DataRef::Error(_) | DataRef::Empty => String::new(),
    }
}

fn dated(time: &ExcelDateTime) -> String {
    if time.is_duration() {
        return time.as_f64().to_string();
    }
    let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
    let clock = match (hour, minute, second) {
        (0, 0, 0) => return format!("{year:04}-{month:02}-{day:02}"),
        (_, _, 0) => format!("{hour:02}:{minute:02}"),
        _ => format!("{hour:02}:{minute:02}:{second:02}"),
    };
    // A time without a day is a fraction of the first one.
    if time.as_f64() < 1.0 { clock } else { format!("{year:04}-{month:02}-{day:02} {clock}") }
}
