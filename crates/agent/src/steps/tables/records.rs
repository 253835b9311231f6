//! Fields that the texts of documents state: lines such as `Total: €1,200`, and amounts and dates in sentences, each with the
//! place where it was read.

use super::currencies::add_currencies;
use super::dates;
use super::documents::{FILE, labelling, name_of, name_stems, repeated};
use super::lines::Line;
use super::quantity::Quantity;
use super::table::{Column, Kind, Source, Table, stem};
use crate::steps::rules::words::capitalised;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use vademecum_protocol::document::{DocumentSummary, Hit, Span};
use vademecum_text::sentence::sentences;
use vademecum_text::terms::terms;

/// Maximum number of words of the name of a field.
const MAX_WORDS: usize = 4;
/// Maximum length of the value of a field, in characters.
const MAX_VALUE: usize = 120;
/// Maximum number of words between an amount and the word that it belongs to.
const MAX_BETWEEN: usize = 4;
/// Words between an amount and the noun or verb that it belongs to.
const BETWEEN: &str = "is was are were be been of for at to on by about approximately around exactly only up a an the its total amounts \
    amounting comes will would costs in from until as";

/// A document with its lines.
#[derive(Debug)]
pub(in crate::steps) struct Text {
    pub(in crate::steps) document: DocumentSummary,
    pub(in crate::steps) lines: Vec<Line>,
}

/// A value with its place.
#[derive(Debug, Clone)]
struct Stated {
    value: Value,
    place: (Rc<Hit>, Span),
}

/// Returns the names of the fields that a text states.
pub(in crate::steps) fn names(text: &Text) -> BTreeSet<String> {
    text.lines
        .iter()
        .flat_map(|line| field(line).into_iter().chain(in_sentences(line)))
        .map(|(name, _)| name)
        .collect()
}

/// The fields of a document, those of its text and those of its metadata.
struct Record {
    document: DocumentSummary,
    fields: BTreeMap<String, Stated>,
    known: BTreeMap<String, Value>,
}

/// Reads documents of a collection as rows with the fields that their texts and metadata state. Documents that have half of their
/// fields in common are one table.
pub(in crate::steps) fn tables(
    collection: &str,
    texts: Vec<Text>,
    metadata: &dyn Fn(&DocumentSummary) -> BTreeMap<String, Value>,
) -> Vec<Table> {
    let mut unsure: BTreeSet<String> = BTreeSet::new();
    let mut kinds: Vec<(BTreeSet<String>, Vec<Record>)> = Vec::new();
    for text in texts {
        let mut fields: BTreeMap<String, Stated> = BTreeMap::new();
        for (name, stated) in
            text.lines.iter().flat_map(|line| field(line).into_iter().chain(in_sentences(line)))
        {
            match fields.get(&name) {
                // A document that states a field twice in different ways has no single value of it.
                Some(known) if known.value != stated.value => {
                    unsure.insert(name);
                }
                Some(_) => {}
                None => {
                    fields.insert(name, stated);
                }
            }
        }
        if fields.is_empty() {
            continue;
        }
        let names: BTreeSet<String> = fields.keys().cloned().collect();
        let known = metadata(&text.document);
        let record = Record { document: text.document, fields, known };
        let is_alike = |of: &BTreeSet<String>| {
            let common = of.intersection(&names).count();
            common * 2 >= names.len() && common * 2 >= of.len()
        };
        match kinds.iter_mut().find(|(of, _)| is_alike(of)) {
            Some((_, records)) => records.push(record),
            None => kinds.push((names, vec![record])),
        }
    }
    kinds.into_iter().filter_map(|(_, records)| table(collection, records, &unsure)).collect()
}

fn table(collection: &str, rows: Vec<Record>, unsure: &BTreeSet<String>) -> Option<Table> {
    if rows.len() < 2 {
        return None;
    }
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for Record { fields, .. } in &rows {
        fields.keys().for_each(|name| *names.entry(name.clone()).or_default() += 1);
    }
    // What one document in passing states is no field of all.
    names.retain(|name, count| *count > 1 && *count * 2 >= rows.len() && !unsure.contains(name));
    let mut columns: Vec<Column> = Vec::new();
    for name in names.keys() {
        let values = rows
            .iter()
            .map(|Record { fields, .. }| fields.get(name).map_or(Value::Null, |one| one.value.clone()))
            .collect();
        let places =
            rows.iter().map(|Record { fields, .. }| fields.get(name).map(|one| one.place.clone())).collect();
        columns.push(Column { places, ..Column::of(name, values) });
    }
    if columns.is_empty() {
        return None;
    }
    let texts = |name: &str| -> Vec<Option<&str>> {
        rows.iter().map(|Record { known, .. }| known.get(name).and_then(Value::as_str)).collect()
    };
    // None if a row is of no file.
    let of_files = texts(FILE).into_iter().collect::<Option<BTreeSet<&str>>>();
    let files: Vec<&str> = of_files.into_iter().flatten().collect();
    let repeated = repeated(&files, &texts);
    let is_stated = |name: &String| names.keys().any(|stated| stated.eq_ignore_ascii_case(name));
    let known: BTreeSet<&String> = rows.iter().flat_map(|Record { known, .. }| known.keys()).collect();
    for name in known.into_iter().filter(|name| !is_stated(name) && !repeated.contains(&name.as_str())) {
        columns.push(Column::of(
            name,
            rows.iter().map(|Record { known, .. }| known.get(name).cloned().unwrap_or_default()).collect(),
        ));
    }
    add_currencies(&mut columns);
    let titles: Vec<Value> = rows
        .iter()
        .map(|Record { document: row, .. }| {
            Value::String(row.title.clone().unwrap_or_else(|| row.id.clone()))
        })
        .collect();
    let has_title = columns.iter().any(|column| column.name.eq_ignore_ascii_case("title"));
    if !has_title {
        columns.push(Column::of("title", titles));
    }
    let mut stems = name_stems(collection);
    // A word of all titles is what the documents are: "Invoice 17".
    let of_titles: Vec<BTreeSet<String>> = rows
        .iter()
        .map(|Record { document: row, .. }| row.title.as_deref().map(name_stems).unwrap_or_default())
        .collect();
    if let Some(first) = of_titles.first() {
        stems.extend(first.iter().filter(|stem| of_titles.iter().all(|one| one.contains(*stem))).cloned());
    }
    let label = columns
        .iter()
        .position(|column| column.name.eq_ignore_ascii_case("title") && column.kind == Kind::Text);
    let label = label.or_else(|| labelling(&columns, &stems));
    let name = name_of(collection, &files);
    let files = files.into_iter().map(|file| (file.to_owned(), Vec::new())).collect();
    let sources = rows.into_iter().map(|Record { document, .. }| Source::Document(document)).collect();
    Some(Table { name, collection: collection.to_owned(), files, stems, columns, sources, label })
}

/// Reads a line `Name: value`.
fn field(line: &Line) -> Option<(String, Stated)> {
    let bare = line.text.trim().trim_start_matches(['-', '*', '+', '>', '|', ' ']);
    let (name, value) = bare.split_once(':')?;
    let name = name.trim_matches(['*', '_', '`', ' ', '\t']);
    let value = value.trim_matches(['*', '_', '`', ' ', '\t', '|']);
    let words = name.split_whitespace().count();
    let fine = (1..=MAX_WORDS).contains(&words)
        && name.chars().next().is_some_and(char::is_alphabetic)
        && !name.contains(['.', '!', '?', '/'])
        && !value.is_empty()
        && value.chars().count() <= MAX_VALUE;
    let stated = Stated { value: Value::String(value.to_owned()), place: (line.hit.clone(), line.span) };
    fine.then(|| (capitalised(&name.to_lowercase()), stated))
}

/// Reads the amounts with a unit and the dates in sentences, under the noun or verb before them, or the noun behind them.
fn in_sentences(line: &Line) -> Vec<(String, Stated)> {
    let mut found = Vec::new();
    if field(line).is_some() {
        return found;
    }
    for bytes in sentences(&line.text) {
        let Some(sentence) = line.text.get(bytes.clone()) else { continue };
        let words: Vec<&str> = sentence
            .split_whitespace()
            .map(|word| word.trim_matches(|letter: char| ",;:()\"!?“”".contains(letter)))
            .collect();
        let before = line.text.get(..bytes.start).map_or(0, |text| text.encode_utf16().count());
        let start = line.span.start + before;
        let place = (line.hit.clone(), Span { start, end: start + sentence.encode_utf16().count() });
        let mut at = 0;
        while at < words.len() {
            let rest = words.get(at..).unwrap_or_default();
            let Some((text, length)) = value(rest) else {
                at += 1;
                continue;
            };
            if let Some(name) = name(words.get(..at).unwrap_or_default()) {
                found.push((name, Stated { value: Value::String(text), place: place.clone() }));
            }
            at += length;
        }
    }
    found
}

/// Reads an amount with a unit, or a date, at the beginning of words.
fn value(words: &[&str]) -> Option<(String, usize)> {
    let text = |length: usize| Some(words.get(..length)?.join(" ").trim_end_matches('.').to_owned());
    let has_digit =
        |word: &&str| word.starts_with(|letter: char| letter.is_ascii_digit() || "$€£¥₹-(".contains(letter));
    let begins = words.first().is_some_and(|word| has_digit(word) || dates::month(word).is_some());
    if !begins && !words.get(1).is_some_and(has_digit) {
        return None;
    }
    let bare: Vec<&str> = words.iter().take(5).map(|word| word.trim_end_matches('.')).collect();
    if let Some((_, length)) = dates::written(&bare) {
        return Some((text(length)?, length));
    }
    let first = text(1)?;
    if !first.chars().any(|letter| letter.is_ascii_digit())
        && !words.get(1)?.starts_with(|letter: char| letter.is_ascii_digit())
    {
        return None;
    }
    if dates::parse(&first, false).is_some() {
        return Some((first, 1));
    }
    [3, 2, 1].into_iter().find_map(|length| {
        let text = text(length)?;
        Quantity::parse(&text, false)?.unit?;
        Some((text, length))
    })
}

/// Returns the noun or verb that an amount behind these words belongs to.
fn name(before: &[&str]) -> Option<String> {
    let near = before.iter().rev().take(MAX_BETWEEN + 1);
    let word = near
        .map(|word| word.to_lowercase())
        .find(|word| !BETWEEN.split_whitespace().any(|one| one == word))?;
    let is_word = word.chars().all(char::is_alphabetic) && !terms(&word).is_empty();
    is_word.then(|| stem_name(&word))
}

/// Returns the same name for all forms of a word: "cost", "costs".
fn stem_name(word: &str) -> String {
    let short = word.strip_suffix('s').filter(|short| stem(short) == stem(word)).unwrap_or(word);
    capitalised(short)
}
