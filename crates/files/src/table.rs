//! Tables. What looks like records, rows that are as wide as the first one, becomes a document per row, with its columns as metadata:
//! so each is found by itself, and can be filtered. Anything else is a text.

mod cells;
mod quotes;

use crate::documents::Read;
use crate::records::{check_count, lines, title_of};
use crate::refusal::Refusal;
use crate::text::{as_text, decoded};
use cells::{Type, is_alike};
use serde_json::{Map, Value};
use std::collections::HashSet;
use vademecum_protocol::document::{Document, Format};

/// Characters that separate cells; spreadsheets in some languages write semicolons.
const SEPARATORS: [u8; 3] = *b",;\t";
/// Maximum length of a column's name in characters.
const MAX_NAME: usize = 80;
/// Share of rows that are as wide as the first one.
const ALIKE: f64 = 0.95;

/// The trimmed cells of a row.
pub(crate) type Row = Vec<String>;

pub(crate) fn read(id: &str, name: &str, bytes: Vec<u8>) -> Result<Read, Refusal> {
    let text = decoded(name, bytes)?;
    let separator = separator_of(&text);
    let (rows, places) = rows_of(&text, separator)?;
    if rows.is_empty() {
        return Err(Refusal::without_text());
    }
    let broken = quotes::open_quote(&text, separator);
    match records(name, rows, |row| format!("{id}#{row}")) {
        Ok(mut read) => {
            let note = broken.map(|line| {
                format!("The quote in line {line} is not closed: its cell holds rows that follow.")
            });
            read.notes.extend(note);
            Ok(read)
        }
        Err(rows) => {
            let is_wide = rows.first().is_some_and(|first| first.len() > 1);
            let misfit = || (rows.len() > 1).then(|| quotes::line_at(&text, place_of_misfit(&rows, &places)));
            let line = is_wide.then(|| broken.or_else(misfit)).flatten();
            let note = line
                .map(|line| format!("It could not be read as a table (line {line}), and was added as text."));
            Ok(Read { documents: vec![as_text(id, name, text)], notes: note.into_iter().collect() })
        }
    }
}

/// Returns where the first row begins that is not as wide as the first one; otherwise it is the names that are wrong.
fn place_of_misfit(rows: &[Row], places: &[usize]) -> usize {
    let width = rows.first().map_or(0, Vec::len);
    let misfit = rows.iter().zip(places).find(|(row, _)| row.len() != width);
    misfit.map_or(places.first(), |(_, place)| Some(place)).copied().unwrap_or_default()
}

/// Makes a document of each row, whose number from 1 gives its id; returns the rows if they do not look like records.
pub(crate) fn records(name: &str, rows: Vec<Row>, id_of: impl Fn(usize) -> String) -> Result<Read, Vec<Row>> {
    let mut rows = rows.into_iter();
    let Some(first) = rows.next() else { return Err(Vec::new()) };
    let mut records: Vec<Row> = rows.collect();
    let is_data = !records.is_empty() && is_alike(&first, &records);
    let header = if is_data {
        let names = (1..=first.len()).map(|column| format!("column {column}")).collect();
        records.insert(0, first);
        names
    } else {
        first
    };
    if !are_records(&header, &records) {
        if !is_data {
            records.insert(0, header);
        }
        return Err(records);
    }
    let is_longer = |row: &&Row| row.iter().skip(header.len()).any(|cell| !cell.is_empty());
    let longer = records.iter().filter(is_longer).count();
    let dropped = (longer > 0).then(|| {
        format!("In {longer} of its rows, cells beyond the {} named columns were left out.", header.len())
    });
    let types: Vec<Type> = (0..header.len()).map(|column| Type::of(&records, column)).collect();
    let document = |(at, row): (usize, Row)| {
        let columns = || header.iter().zip(&types).zip(&row);
        let fields = columns().filter_map(|((column, kind), cell)| Some((column.clone(), kind.value(cell)?)));
        let fields: Vec<(String, Value)> = fields.collect();
        let title = title_of(&fields).unwrap_or_else(|| format!("{name}, row {}", at + 1));
        // As in the file: its order, and 2.50 rather than 2.5.
        let said = lines(columns().map(|((column, _), cell)| (column.as_str(), cell.clone())));
        let mut metadata = Map::from_iter([("file".to_owned(), Value::from(name))]);
        metadata.extend(fields);
        Document {
            title: Some(title),
            format: Some(Format::Text),
            metadata,
            ..Document::new(id_of(at + 1), said)
        }
    };
    let documents = records.into_iter().enumerate().map(document).collect();
    let note = "No header row was found: the columns are named “column 1”, “column 2” and so on.";
    Ok(Read { documents, notes: is_data.then(|| note.to_owned()).into_iter().chain(dropped).collect() })
}

/// Returns the trimmed cells of rows, without rows that hold nothing, and the byte at which each begins.
fn rows_of(text: &str, separator: u8) -> Result<(Vec<Row>, Vec<usize>), Refusal> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .from_reader(text.as_bytes());
    let (mut rows, mut places) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let record =
            record.map_err(|error| Refusal::damaged(&format!("a table ({error})"), "a spreadsheet"))?;
        let row: Row = record.iter().map(|cell| cell.trim().to_owned()).collect();
        if row.iter().any(|cell| !cell.is_empty()) {
            rows.push(row);
            places.push(record.position().map_or(0, |place| place.byte() as usize));
            check_count(rows.len())?;
        }
    }
    Ok((rows, places))
}

/// Returns what separates the cells of the first line, outside of quotes.
fn separator_of(text: &str) -> u8 {
    let line = text.split(['\r', '\n']).next().unwrap_or_default();
    let mut counts = [0usize; SEPARATORS.len()];
    let mut is_quoted = false;
    for byte in line.bytes() {
        is_quoted ^= byte == b'"';
        let found = SEPARATORS.iter().zip(&mut counts).filter(|(known, _)| !is_quoted && **known == byte);
        found.for_each(|(_, count)| *count += 1);
    }
    let [comma, ..] = SEPARATORS;
    let most = SEPARATORS.into_iter().zip(counts).reduce(|most, one| if one.1 > most.1 { one } else { most });
    most.map_or(comma, |(separator, _)| separator)
}

/// Returns whether names are all there and differ, above rows of which nearly all are as wide.
fn are_records(names: &[String], records: &[Row]) -> bool {
    if names.len() < 2 || records.is_empty() {
        return false;
    }
    let different: HashSet<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let is_named = !different.contains("") && different.len() == names.len();
    let is_short = names.iter().all(|name| name.chars().count() <= MAX_NAME);
    let alike = records.iter().filter(|row| row.len() == names.len()).count();
    is_named && is_short && alike as f64 >= ALIKE * records.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(text: &str) -> Read {
        read("a.csv", "a.csv", text.as_bytes().to_vec()).unwrap()
    }

    fn metadata(read: &Read, at: usize) -> Value {
        Value::Object(read.documents[at].metadata.clone())
    }

    #[test]
    fn a_table_of_records_becomes_a_document_per_row_with_values_of_its_columns_type() {
        let read = csv(
            "name,zip,amount,paid,due\nACME,01234,10.5,true,2024-01-02\nGlobex,99999,-3,FALSE,2024-12-31\nHooli,10000,,true,\n",
        );
        let ids: Vec<_> =
            read.documents.iter().map(|one| (one.id.as_str(), one.title.as_deref().unwrap())).collect();
        assert_eq!(ids, [("a.csv#1", "ACME"), ("a.csv#2", "Globex"), ("a.csv#3", "Hooli")]);
        let globex = serde_json::json!({ "file": "a.csv", "name": "Globex", "zip": "99999", "amount": -3, "paid": false, "due": "2024-12-31" });
        assert_eq!(metadata(&read, 1), globex);
        let hooli = serde_json::json!({ "file": "a.csv", "name": "Hooli", "zip": "10000", "paid": true });
        assert_eq!(metadata(&read, 2), hooli, "an empty cell is no value");
        assert!(read.documents[0].text.starts_with("name: ACME\nzip: 01234\namount: 10.5"));
    }

    #[test]
    fn the_text_of_a_row_is_as_in_the_file() {
        let read = csv("region,2023,2022,paid\nNorth, 2260.70 ,12,TRUE\nSouth,,7,FALSE\n");
        assert_eq!(read.documents[0].text, "region: North\n2023: 2260.70\n2022: 12\npaid: TRUE");
        assert_eq!(read.documents[1].text, "region: South\n2022: 7\npaid: FALSE");
        assert_eq!(read.documents[0].metadata["2023"], 2260.7);
    }

    #[test]
    fn semicolons_and_tabs_separate_cells_if_the_first_line_has_more_of_them() {
        assert_eq!(csv("a;b\n1,5;2\n").documents[0].metadata["a"], "1,5");
        assert_eq!(csv("a\tb\n1\t2\n").documents[0].metadata["b"], 2);
        assert_eq!(csv("a,b\n45.000,1\n52.500,2\n").documents[0].metadata["a"], "45.000", "dots may group");
        assert_eq!(csv("a,b\n45.125,1\n52.5,2\n").documents[0].metadata["a"], 45.125);
    }

    #[test]
    fn quoted_cells_hold_separators_line_ends_and_doubled_quotes() {
        let read = csv("a,b\r\n\"1,5\",\"say \"\"hi\"\"\"\r\n\"two\nlines\",x\r\n");
        assert_eq!(read.documents[0].metadata["b"], "say \"hi\"");
        assert_eq!(read.documents[1].metadata["a"], "two\nlines");
    }

    #[test]
    fn rows_without_a_header_are_all_kept_in_numbered_columns() {
        let read = csv("Ada,31,Bonn\nBen,44,Kiel\n");
        let ada =
            serde_json::json!({ "file": "a.csv", "column 1": "Ada", "column 2": 31, "column 3": "Bonn" });
        assert_eq!((read.documents.len(), metadata(&read, 0)), (2, ada));
        assert!(read.notes[0].starts_with("No header row"));
        for text in [
            "03.01.2025;1.234,50 €\n04.01.2025;9,99 €\n",
            "5,5,x\n6,7,y\n",
            "2024-01-02,a\n2024-02-02,b\n",
            "Ada,,31\nBen,3,44\n",
        ] {
            assert_eq!((csv(text).documents.len(), csv(text).notes.len()), (2, 1), "{text}");
        }
        for text in [
            "name,age\nAda,31\n",
            "region,2022,2023\nNorth,5,6\n",
            "region,2023\nNorth,5\n",
            "week,1,2\na,5,6\n",
            "a,b\nx,y\n",
            "id,2024\n7,5\n",
        ] {
            assert_eq!((csv(text).documents.len(), csv(text).notes.len()), (1, 0), "{text}");
        }
    }

    #[test]
    fn cells_beyond_the_header_are_noted() {
        let rows = "1,2\n".repeat(40);
        assert_eq!(csv(&format!("a,b\n{rows}3,4,\n")).notes, [""; 0]);
        let notes = csv(&format!("a,b\n{rows}3,4,five\n")).notes;
        assert!(notes[0].starts_with("In 1 of its rows"), "{notes:?}");
    }

    #[test]
    fn a_quote_that_is_not_closed_is_noted_with_its_line_and_so_is_what_keeps_a_file_from_being_a_table() {
        let notes = |text: &str| csv(text).notes.join(" ");
        let not_closed =
            |line: usize| format!("The quote in line {line} is not closed: its cell holds rows that follow.");
        assert_eq!(notes("id,note\n1,\"never closed\n2,b\n"), not_closed(2));
        let closed_by_the_next = "id,note\r\n1,\"two\r\nlines\"\r\n2,\"not closed\r\n3,\"b\"\r\n";
        assert_eq!(notes(closed_by_the_next), not_closed(4));
        assert_eq!(notes("id,note\n1,\"two\nlines\"\n2,\"\"\"so\"\" said\"\n"), "");
        let as_text =
            |line: usize| format!("It could not be read as a table (line {line}), and was added as text.");
        assert_eq!(notes("a,b,c\n1,2,3\n4,\"5,6\n7,8,9\n"), as_text(3));
        assert_eq!(notes("a,b\n1,2\n\n3\n"), as_text(4));
        assert_eq!(notes("a,b\r1,2\r\r3\r"), as_text(4));
        assert_eq!(notes("a,a\n1,2\n"), as_text(1));
        assert_eq!(notes("a,\"b\n1,2\n"), as_text(1));
        for text in ["one column\nonly\n", "just,a,header\n"] {
            assert_eq!(notes(text), "", "nobody expects a table");
        }
    }

    #[test]
    fn a_file_that_does_not_look_like_records_stays_one_text() {
        for text in [
            "one column\nonly\n",
            "a,,c\n1,2,3\n",
            "a,a\n1,2\n",
            "just,a,header\n",
            "a,b\n1,2\nthen a long tale without commas\nand more\n",
        ] {
            let read = csv(text);
            assert_eq!((read.documents.len(), read.documents[0].id.as_str()), (1, "a.csv"), "{text}");
            assert_eq!(read.documents[0].text, text);
        }
    }
}
