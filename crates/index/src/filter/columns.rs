//! Metadata in columns: evaluating a filter reads one field of all documents and nothing else.
//!
//! Values are stored by type: a field with numbers in some documents and strings in others has both kinds of
//! entries, and a filter reads those its value can be compared with.

use super::date;
use super::facet::{FacetValue, Facets};
use super::schema::Schema;
use super::tree::{Text, ValueSet};
use super::value;
use super::value::FieldValue;
use crate::bitmap::Bitmap;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// The metadata of documents, numbered in the order they were pushed.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    len: usize,
    fields: BTreeMap<String, Column>,
}

/// One field of all documents.
#[derive(Debug, Clone, Default)]
pub(super) struct Column {
    /// The documents that have the field.
    pub(super) present: Bitmap,
    /// The documents in which it is a list.
    listed: Bitmap,
    numbers: Entries<f64>,
    /// Milliseconds since 1970; a date that denotes a period is stored as its beginning.
    dates: Entries<f64>,
    words: Strings,
    yes: Bitmap,
    no: Bitmap,
}

/// Values and the documents they belong to, ordered by document. A list gives several entries.
#[derive(Debug, Clone)]
struct Entries<T> {
    values: Vec<T>,
    documents: Vec<u32>,
}

/// Dictionary-encoded strings.
#[derive(Debug, Clone, Default)]
struct Strings {
    codes: HashMap<Rc<str>, u32>,
    dictionary: Vec<Rc<str>>,
    entries: Entries<u32>,
}

impl Columns {
    /// Appends the metadata of the next document. The schema of its collection distinguishes dates from
    /// strings.
    pub fn push(&mut self, metadata: &Map<String, Value>, schema: &Schema) {
        let document = self.len;
        value::each(metadata, &mut |found| {
            if found.value.is_object() {
                return;
            }
            if let Some(column) = self.fields.get_mut(found.path) {
                column.push(document, &found, schema);
            } else {
                self.fields.entry(found.path.to_owned()).or_default().push(document, &found, schema);
            }
        });
        self.len += 1;
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Counts the values of a field in the documents `within`. A document counts once for each distinct
    /// value.
    pub fn facets(&self, field: &str, within: &Bitmap) -> Facets {
        self.fields.get(field).map_or_else(Facets::default, |column| column.facets(within))
    }

    pub(super) fn column(&self, field: &str) -> Option<&Column> {
        self.fields.get(field)
    }
}

impl Column {
    fn push(&mut self, document: usize, found: &FieldValue<'_>, schema: &Schema) {
        let dated = |value| schema.is_date(found.path).then(|| value::moments(value)).flatten();
        match found.value {
            Value::Bool(true) => {
                self.yes.insert(document);
            }
            Value::Bool(false) => {
                self.no.insert(document);
            }
            value => {
                if let Some(moments) = dated(value) {
                    self.dates.push(document, moments.low);
                } else if let Some(number) = value::number(value) {
                    self.numbers.push(document, number);
                } else if let Some(text) = value.as_str() {
                    self.words.push(document, text);
                } else {
                    return;
                }
            }
        }
        self.present.insert(document);
        if found.listed {
            self.listed.insert(document);
        }
    }

    /// Adds the documents with a matching value to `found`.
    pub(super) fn select(&self, wanted: &ValueSet, found: &mut Bitmap) {
        if !wanted.numbers.is_empty() {
            self.numbers.select(found, |number, _| wanted.numbers.contains(number));
        }
        if !wanted.dates.is_empty() {
            self.dates.select(found, |moment, _| wanted.dates.contains(moment));
        }
        if wanted.booleans.contains(&true) {
            found.unite(&self.yes);
        }
        if wanted.booleans.contains(&false) {
            found.unite(&self.no);
        }
        match &wanted.strings {
            None => {}
            Some(Text::Contains(part)) => {
                let whole = self.words.codes(|word| word == part, true);
                let within = self.words.codes(|word| word.contains(part), true);
                self.words.entries.select(found, |code, document| {
                    let hits = if self.listed.contains(document) { &whole } else { &within };
                    hits.contains(code as usize)
                });
            }
            Some(text) => {
                let hits = match text {
                    Text::Among(wanted) => wanted
                        .iter()
                        .filter_map(|word| Some(*self.words.codes.get(&**word)? as usize))
                        .collect(),
                    _ => self.words.codes(|word| text.matches(word), false),
                };
                self.words.entries.select(found, |code, _| hits.contains(code as usize));
            }
        }
    }

    fn facets(&self, within: &Bitmap) -> Facets {
        let mut facets = Facets::default();
        let both = |bits: &Bitmap| {
            let mut bits = bits.clone();
            bits.intersect(within);
            bits.count()
        };
        facets.add(FacetValue::Boolean(true), both(&self.yes));
        facets.add(FacetValue::Boolean(false), both(&self.no));
        for (number, count) in self.numbers.count(within, |number| number.to_bits()) {
            facets.add(FacetValue::Number(f64::from_bits(number)), count);
        }
        for (moment, count) in self.dates.count(within, |moment| moment.to_bits()) {
            facets.add(FacetValue::Date(date::format(f64::from_bits(moment))), count);
        }
        for (code, count) in self.words.entries.count(within, |code| code) {
            if let Some(word) = self.words.dictionary.get(code as usize) {
                facets.add(FacetValue::String(word.to_string()), count);
            }
        }
        facets
    }
}

impl Strings {
    fn push(&mut self, document: usize, text: &str) {
        let code = if let Some(code) = self.codes.get(text) {
            *code
        } else {
            let (code, word) = (self.dictionary.len() as u32, Rc::<str>::from(text));
            self.dictionary.push(word.clone());
            self.codes.insert(word, code);
            code
        };
        self.entries.push(document, code);
    }

    /// Returns the codes of matching strings: each distinct string is tested once.
    fn codes(&self, wanted: impl Fn(&str) -> bool, folded: bool) -> Bitmap {
        let fits = |word: &str| if folded { wanted(&super::like::fold(word)) } else { wanted(word) };
        self.dictionary.iter().enumerate().filter(|(_, word)| fits(word)).map(|(code, _)| code).collect()
    }
}

impl<T: Copy> Entries<T> {
    fn push(&mut self, document: usize, value: T) {
        self.values.push(value);
        self.documents.push(document as u32);
    }

    fn iter(&self) -> impl Iterator<Item = (usize, T)> {
        self.documents.iter().map(|document| *document as usize).zip(self.values.iter().copied())
    }

    fn select(&self, found: &mut Bitmap, wanted: impl Fn(T, usize) -> bool) {
        for (document, value) in self.iter() {
            if wanted(value, document) {
                found.insert(document);
            }
        }
    }

    /// Counts the documents `within` that contain each value. The entries of a document are adjacent, so
    /// remembering the last document per value is enough to count duplicates once.
    fn count<K: std::hash::Hash + Eq>(
        &self,
        within: &Bitmap,
        key: impl Fn(T) -> K,
    ) -> impl Iterator<Item = (K, usize)> {
        let mut counts: HashMap<K, (usize, usize)> = HashMap::new();
        for (document, value) in self.iter().filter(|(document, _)| within.contains(*document)) {
            let (count, last) = counts.entry(key(value)).or_insert((0, usize::MAX));
            if *last != document {
                (*count, *last) = (*count + 1, document);
            }
        }
        counts.into_iter().map(|(value, (count, _))| (value, count))
    }
}

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self { values: Vec::new(), documents: Vec::new() }
    }
}
