//! Tables of documents: each document with metadata is a row, each field a column.

use super::currencies::add_currencies;
use super::table::{Cell, Column, Kind, Source, Table, key, stem};
use crate::library::Library;
use crate::ports::CollectionView;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use vademecum_protocol::document::{DEFAULT_COLLECTION, DocumentSummary, NEVER_SEND, SUMMARY};
use vademecum_protocol::error::Result;
use vademecum_text::terms::terms;
use vademecum_util::within::Within;

/// Maximum number of documents of a collection whose rows are read.
const MAX_DOCUMENTS: usize = 100_000;
/// The field with the name of the file that a row comes from.
pub(super) const FILE: &str = "file";
/// The field with the format of that file, and the formats whose records are rows.
const TYPE: &str = "type";
const FORMATS: [&str; 4] = ["csv", "xlsx", "json", "jsonl"];
/// The field with the place of that file in a folder, if the caller notes it.
pub(super) const PATH: &str = "path";
/// The field with the name of the sheet of a workbook that a row comes from.
pub(super) const SHEET: &str = "sheet";
/// Words in names of files and collections that say nothing of their rows.
const EMPTY_NAMES: &str = "default data dataset table sheet export import file files document documents list copy final new old test sample csv tsv library records record rows untitled book1 sheet1 my the all report";

/// Maximum number of files in the name of a table.
const MAX_FILES: usize = 3;

/// A document with its fields, those of objects under their paths.
type Record = (DocumentSummary, Map<String, Value>);

/// Reads the tables of these collections.
///
/// # Errors
/// Those of the searcher.
pub(in crate::steps) fn tables(
    searcher: &Library<'_>,
    views: &[CollectionView],
    filters: Option<&Value>,
) -> Result<Vec<Table>> {
    let names: Vec<String> = searcher.collections().into_iter().map(|one| one.name).collect();
    let mut found = Vec::new();
    for view in views.iter().filter(|view| has_fields(view)) {
        let listing = searcher.listing(&view.name, filters, &names, MAX_DOCUMENTS)?;
        // A part of the rows answers no question about all of them.
        if listing.total == listing.documents.len() {
            found.extend(of_collection(&view.name, listing.documents));
        }
    }
    Ok(found)
}

fn has_fields(view: &CollectionView) -> bool {
    view.schema.as_object().is_some_and(|fields| fields.keys().any(|name| is_column(name) && name != FILE))
}

fn is_column(name: &str) -> bool {
    name != NEVER_SEND && name != SUMMARY
}

/// Groups the documents of a collection by file, and those of a workbook by sheets that have half of their fields in common. Groups with the same
/// fields are one table.
fn of_collection(collection: &str, documents: Vec<DocumentSummary>) -> Vec<Table> {
    let mut by_file: BTreeMap<Option<String>, Vec<Record>> = BTreeMap::new();
    for document in documents {
        let fields = flat(&document.metadata);
        let file = fields.get(FILE).and_then(Value::as_str).map(str::to_owned);
        if fields.keys().any(|name| name != FILE) {
            by_file.entry(file).or_default().push((document, fields));
        }
    }
    let mut by_fields: BTreeMap<BTreeSet<String>, Vec<Group>> = BTreeMap::new();
    for group in by_file.into_iter().flat_map(|(file, rows)| groups(file, rows)) {
        let fields = group.rows.iter().flat_map(|(_, fields)| fields.keys().cloned()).collect();
        by_fields.entry(fields).or_default().push(group);
    }
    by_fields.into_iter().map(|(fields, groups)| of_rows(collection, fields, groups)).collect()
}

/// The rows of a file, or of some sheets of a workbook.
struct Group {
    file: Option<String>,
    /// The names of these sheets; empty for all rows of a file.
    sheets: Vec<String>,
    rows: Vec<Record>,
}

/// Groups the rows of a file: those of a workbook by sheets that are alike, in the order of the sheets; those of other files are one group.
fn groups(file: Option<String>, rows: Vec<Record>) -> Vec<Group> {
    let mut sheets: Vec<(Option<String>, Vec<Record>)> = Vec::new();
    for row in rows {
        let sheet = sheet_of(&row);
        match sheets.iter_mut().rev().find(|(own, _)| *own == sheet) {
            Some((_, rows)) => rows.push(row),
            None => sheets.push((sheet, vec![row])),
        }
    }
    let mut groups: Vec<(BTreeSet<String>, Group)> = Vec::new();
    for (sheet, rows) in sheets {
        let fields = own_fields(&rows);
        match groups.iter_mut().find(|(first, _)| are_alike(first, &fields)) {
            Some((_, group)) => {
                group.sheets.extend(sheet);
                group.rows.extend(rows);
            }
            None => {
                let sheets = sheet.into_iter().collect();
                groups.push((fields, Group { file: file.clone(), sheets, rows }));
            }
        }
    }
    if let [(_, whole)] = groups.as_mut_slice() {
        whole.sheets.clear();
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Returns the sheet of a workbook that a row comes from. Other rows may have a field of that name.
fn sheet_of((document, fields): &Record) -> Option<String> {
    let sheet = fields.get(SHEET)?.as_str()?;
    document.id.contains(&format!("#{sheet}!")).then(|| sheet.to_owned())
}

/// Returns the fields of rows, without those that tell where they come from.
fn own_fields(rows: &[Record]) -> BTreeSet<String> {
    let names = rows.iter().flat_map(|(_, fields)| fields.keys());
    names.filter(|name| ![FILE, SHEET, TYPE, PATH].contains(&name.as_str())).cloned().collect()
}

/// Returns whether two sets have half of the members of either in common.
fn are_alike(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let common = one.intersection(other).count();
    common * 2 >= one.len() && common * 2 >= other.len()
}

/// Returns the fields that only repeat which file the rows come from. `texts` returns the texts of a field in all rows.
pub(super) fn repeated<'a>(
    files: &[&str],
    texts: &dyn Fn(&str) -> Vec<Option<&'a str>>,
) -> Vec<&'static str> {
    let is_format = |text: &Option<&str>| text.is_some_and(|text| FORMATS.contains(&text));
    let last = |path: &Option<&'a str>| path.and_then(|path| path.rsplit('/').next());
    let of_files = texts(FILE);
    let is_path_of_file =
        || texts(PATH).iter().zip(&of_files).all(|(path, file)| path.is_some() && last(path) == last(file));
    let mut found = Vec::new();
    found.extend(of_files.iter().all(|file| Some(file) == of_files.first()).then_some(FILE));
    found.extend((!files.is_empty() && texts(TYPE).iter().all(is_format)).then_some(TYPE));
    found.extend((files.len() == 1 && is_path_of_file()).then_some(PATH));
    found
}

/// Returns what to call a table: its first files, or its collection if it is of none.
pub(super) fn name_of(collection: &str, files: &[&str]) -> String {
    match files.len() {
        0 => collection.to_owned(),
        count @ ..=MAX_FILES => files.within(..count).join(", "),
        count => format!("{} and {} more", files.within(..MAX_FILES).join(", "), count - MAX_FILES),
    }
}

fn of_rows(collection: &str, mut fields: BTreeSet<String>, groups: Vec<Group>) -> Table {
    let places: Vec<(String, Vec<String>)> =
        groups.iter().filter_map(|group| Some((group.file.clone()?, group.sheets.clone()))).collect();
    let files: BTreeSet<&str> = places.iter().map(|(file, _)| file.as_str()).collect();
    let files: Vec<&str> = files.into_iter().collect();
    let rows: Vec<Record> = groups.into_iter().flat_map(|group| group.rows).collect();
    let texts =
        |name: &str| rows.iter().map(|(_, fields)| fields.get(name).and_then(Value::as_str)).collect();
    for name in repeated(&files, &texts) {
        fields.remove(name);
    }
    let sheets: BTreeSet<Option<String>> = rows.iter().map(sheet_of).collect();
    if sheets.len() == 1 && !sheets.contains(&None) {
        fields.remove(SHEET);
    }
    let value = |name: &String| {
        rows.iter().map(|(_, fields)| fields.get(name).cloned().unwrap_or_default()).collect()
    };
    let mut columns: Vec<Column> = fields.iter().map(|name| Column::of(name, value(name))).collect();
    add_currencies(&mut columns);
    let titles: Vec<Value> =
        rows.iter().map(|(row, _)| row.title.clone().map_or(Value::Null, Value::String)).collect();
    let is_title = |column: &&Column| titles.iter().zip(&column.values).all(|(title, value)| title == value);
    let is_generated = |title: &Value| {
        title.as_str().is_none_or(|title| {
            files.iter().any(|file| title.starts_with(file.rsplit('/').next().unwrap_or(file)))
        })
    };
    let has_titles = titles.iter().any(|title| !is_generated(title));
    let mut label = columns.iter().position(|column| is_title(&column)).filter(|_| has_titles);
    if label.is_none() && has_titles && !fields.contains("title") {
        label = Some(columns.len());
        columns.push(Column::of("title", titles));
    }
    let name = name_of(collection, &files);
    // The name of a workbook is that of its other sheets too.
    let of_sheets: BTreeSet<&String> = places.iter().flat_map(|(_, sheets)| sheets).collect();
    let of_sheet: BTreeSet<String> = match of_sheets.iter().collect::<Vec<_>>().as_slice() {
        [sheet] => name_stems(sheet),
        _ => BTreeSet::new(),
    };
    let stems = match files.as_slice() {
        [] => name_stems(collection),
        _ if !of_sheet.is_empty() => of_sheet,
        files => files.iter().flat_map(|file| name_stems(bare(file))).collect(),
    };
    let label = label
        .filter(|at| columns.get(*at).is_some_and(|column| column.is_unique))
        .or_else(|| labelling(&columns, &stems));
    let sources = rows.into_iter().map(|(document, _)| Source::Document(document)).collect();
    Table { name, collection: collection.to_owned(), files: places, stems, columns, sources, label }
}

/// Returns the column whose values name the rows.
pub(super) fn labelling(columns: &[Column], stems: &BTreeSet<String>) -> Option<usize> {
    let fits = |column: &Column| {
        column.kind == Kind::Text
            && column.is_unique
            && column.cells.iter().all(|cell| *cell != Cell::Missing)
    };
    let named = |column: &Column| {
        column.stems.iter().any(|stem| ["name", "titl", "label", "subject"].contains(&stem.as_str()))
    };
    let with =
        |test: &dyn Fn(&Column) -> bool| columns.iter().position(|column| fits(column) && test(column));
    let is_written = |value: &Value| value.as_str().is_some_and(|text| text.chars().any(char::is_alphabetic));
    let like_table = |column: &Column| column.stems.iter().any(|stem| stems.contains(stem));
    with(&named)
        .or_else(|| with(&like_table))
        .or_else(|| with(&|column| column.values.iter().all(is_written)))
        .or_else(|| with(&|column| column.values.iter().all(|value| value.is_string())))
        .or_else(|| with(&|_| true))
}

/// Returns the name of a file without folders and extension.
fn bare(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(bare, _)| bare)
}

/// Returns the stems of the words of a name that describe its rows.
pub(super) fn name_stems(name: &str) -> BTreeSet<String> {
    let spaced: String =
        name.chars().map(|letter| if letter.is_alphabetic() { letter } else { ' ' }).collect();
    let empty: BTreeSet<&str> = EMPTY_NAMES.split(' ').collect();
    let words = spaced.split_whitespace().map(str::to_lowercase);
    words
        .filter(|word| {
            word.as_str() != DEFAULT_COLLECTION
                && !empty.contains(word.as_str())
                && word.len() > 2
                && !terms(word).is_empty()
        })
        .map(|word| stem(&word))
        .collect()
}

/// Returns the fields with those of objects under their paths.
pub(super) fn flat(metadata: &Map<String, Value>) -> Map<String, Value> {
    let mut found = Map::new();
    for (name, value) in metadata.iter().filter(|(name, _)| is_column(name)) {
        match value {
            Value::Object(inner) => {
                found
                    .extend(flat(inner).into_iter().map(|(inner, value)| (format!("{name}.{inner}"), value)));
            }
            value => {
                found.insert(name.clone(), value.clone());
            }
        }
    }
    found
}

/// Returns whether a question may be about the fields, values or names of a collection.
pub(in crate::steps) fn may_concern(
    question: &str,
    searcher: &Library<'_>,
    view: &CollectionView,
    is_related: &dyn Fn(&str, &str) -> bool,
) -> bool {
    let said: BTreeSet<String> = question
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty() && !terms(word).is_empty())
        .map(stem)
        .collect();
    let fields: Vec<&String> = view
        .schema
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name)
        .filter(|name| is_column(name))
        .collect();
    let stems: BTreeSet<String> = fields
        .iter()
        .flat_map(|name| Column::of(name, Vec::new()).stems)
        .chain(name_stems(&view.name))
        .collect();
    if stems
        .iter()
        .any(|own| said.iter().any(|said| said == own || is_related(said, own) || alike(said, own)))
    {
        return true;
    }
    let asked = format!(" {} ", key(&question.replace([',', '?', '!', ';', ':'], " ")));
    fields.iter().any(|name| {
        searcher.values(&view.name, name, None).iter().any(|(value, _)| {
            let text = value
                .as_str()
                .map(|text| if name.as_str() == FILE { bare(text).to_owned() } else { text.to_owned() });
            text.is_some_and(|text| {
                let words = key(&text);
                let is_said = !words.is_empty() && asked.contains(&format!(" {words} "));
                is_said || name_stems(&text).iter().any(|own| said.contains(own))
            })
        })
    })
}

fn alike(one: &str, two: &str) -> bool {
    let (short, long) = if one.len() < two.len() { (one, two) } else { (two, one) };
    short.len() >= 4 && long.contains(short)
}
