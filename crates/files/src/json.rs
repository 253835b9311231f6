//! Records in JSON. `id`, `title`, `url`, `text` and `metadata` have the same meaning as in the library; all other fields become
//! metadata, and so do the id and the title of a record without a text.

use crate::documents::Read;
use crate::records::{Fields, check_count, lines, said, title_of};
use crate::refusal::{Code, Refusal};
use crate::text::{as_text, decoded};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::fmt;
use vademecum_protocol::document::{Document, Format};
use vademecum_protocol::error::excerpt;

/// Reads JSON Lines: an object per line.
pub(crate) fn read_lines(id: &str, name: &str, bytes: Vec<u8>) -> Result<Read, Refusal> {
    let text = decoded(name, bytes)?;
    let mut records = Records::new(id, name);
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let fields = serde_json::from_str(line).map_err(|error| {
            let message = format!(
                "Line {} is not an object ({error}). Every line must be one, as in {{\"title\": \"…\", \"text\": \"…\"}}.",
                at + 1
            );
            Refusal::new(Code::FileDamaged, message)
        })?;
        records.add(fields, &format!("line {}", at + 1), at + 1)?;
    }
    records.documents()
}

/// Minimum number of objects of a list within an object for which they are records.
const MIN_RECORDS: usize = 3;
/// Fields with a meaning of their own, which records of such a list do not have.
const KEPT: [&str; 6] = ["text", "metadata", "url", "file", "path", "neverSend"];
/// The largest number of such a list: larger ones are not exact in JavaScript.
const MOST_EXACT: f64 = 9_007_199_254_740_991.0;
/// Share of the file that such a list makes up at least, as a divisor.
const MOST_OF: usize = 2;

/// Reads a JSON file: a list of objects as records, also if it is most of an object, whose other fields are then a document of their
/// own; an object with `text` as one document; anything else as text.
pub(crate) fn read(id: &str, name: &str, bytes: Vec<u8>) -> Result<Read, Refusal> {
    let text = decoded(name, bytes)?;
    if let Ok(list) = serde_json::from_str::<Vec<Fields>>(&text)
        && !list.is_empty()
    {
        let mut records = Records::new(id, name);
        for (at, fields) in list.into_iter().enumerate() {
            records.add(fields, &format!("record {}", at + 1), at + 1)?;
        }
        return records.documents();
    }
    match serde_json::from_str::<Fields>(&text) {
        Ok(fields) if fields.0.iter().any(|(name, value)| name == "text" && value.is_string()) => {
            Ok(Read::of(document(fields, name.to_owned(), |_| id.to_owned(), name)))
        }
        Ok(fields) => match main_list(&fields) {
            // As text if they are no records, such as those with the same id.
            Some(list) => {
                Ok(read_wrapped(id, name, &text, list).unwrap_or_else(|_| Read::of(as_text(id, name, text))))
            }
            None => Ok(Read::of(as_text(id, name, text))),
        },
        Err(error) if serde_json::from_str::<serde::de::IgnoredAny>(&text).is_err() => Ok(Read {
            documents: vec![as_text(id, name, text)],
            notes: vec![format!(
                "It is not JSON ({}), and was added as text.",
                excerpt(&error.to_string(), 80)
            )],
        }),
        Err(_) => Ok(Read::of(as_text(id, name, text))),
    }
}

/// Returns the name of the list of like objects that makes up most of an object, as in many exports.
fn main_list(fields: &Fields) -> Option<&str> {
    let length = |value: &Value| value.to_string().len();
    let written: usize = fields.0.iter().map(|(name, value)| name.len() + length(value)).sum();
    let is_plain = |(name, value): (&String, &Value)| !KEPT.contains(&name.as_str()) && is_plain(value);
    let is_main = |value: &Value| {
        let Some(list) = value.as_array().filter(|list| list.len() >= MIN_RECORDS) else { return false };
        let Some(first) = list.first().and_then(Value::as_object) else { return false };
        let is_like = |one: &Value| {
            one.as_object().is_some_and(|one| {
                let shared = one.keys().filter(|key| first.contains_key(*key)).count();
                let is_said = one.values().any(|value| !said(value).trim().is_empty());
                2 * shared >= first.len().max(one.len()) && is_said && one.iter().all(is_plain)
            })
        };
        list.iter().all(is_like) && length(value) * MOST_OF >= written
    };
    fields.0.iter().find(|(_, value)| is_main(value)).map(|(name, _)| name.as_str())
}

/// Returns whether a value contains no object, and no number that JavaScript does not represent exactly, which the engine refuses.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Object(_) => false,
        Value::Array(values) => values.iter().all(is_plain),
        Value::Number(number) => number.as_f64().is_some_and(|it| it.abs() <= MOST_EXACT),
        _ => true,
    }
}

/// Reads the objects of one list of an object as records, and its other fields as a document.
fn read_wrapped(id: &str, name: &str, text: &str, list: &str) -> Result<Read, Refusal> {
    let damaged = |error: serde_json::Error| Refusal::new(Code::FileDamaged, error.to_string());
    let mut parser = serde_json::Deserializer::from_str(text);
    let (rest, list) = Wrapped { list }.deserialize(&mut parser).map_err(damaged)?;
    let mut records = Records::new(id, name);
    for (at, fields) in list.into_iter().enumerate() {
        records.add(fields, &format!("record {}", at + 1), at + 1)?;
    }
    let mut read = records.documents()?;
    let about = lines(rest.iter().map(|(name, value)| (name.as_str(), said(value))));
    if !about.is_empty() {
        read.documents.insert(0, as_text(&format!("{id}#"), name, about));
    }
    Ok(read)
}

/// Reads an object as the records of one of its lists, in the order of the file, and its other fields.
struct Wrapped<'a> {
    list: &'a str,
}

impl<'de> DeserializeSeed<'de> for Wrapped<'_> {
    type Value = (Vec<(String, Value)>, Vec<Fields>);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Wrapped<'_> {
    type Value = (Vec<(String, Value)>, Vec<Fields>);

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut rest, mut records) = (Vec::new(), Vec::new());
        while let Some(name) = map.next_key::<String>()? {
            if name == self.list {
                records = map.next_value()?;
            } else {
                rest.push((name, map.next_value()?));
            }
        }
        Ok((rest, records))
    }
}

struct Records<'a> {
    file_id: &'a str,
    file: &'a str,
    seen: HashSet<String>,
    documents: Vec<Document>,
}

impl<'a> Records<'a> {
    fn new(file_id: &'a str, file: &'a str) -> Self {
        Self { file_id, file, seen: HashSet::new(), documents: Vec::new() }
    }

    fn add(&mut self, fields: Fields, place: &str, number: usize) -> Result<(), Refusal> {
        let id =
            |own: Option<String>| format!("{}#{}", self.file_id, own.unwrap_or_else(|| number.to_string()));
        let document = document(fields, format!("{}, {place}", self.file), id, self.file);
        if !self.seen.insert(document.id.clone()) {
            let message =
                format!("In {place}, the id “{}” is repeated. Each record needs its own.", document.id);
            return Err(Refusal::new(Code::FileDamaged, message));
        }
        self.documents.push(document);
        check_count(self.documents.len())
    }

    fn documents(self) -> Result<Read, Refusal> {
        if self.documents.is_empty() {
            return Err(Refusal::without_text());
        }
        Ok(Read { documents: self.documents, notes: Vec::new() })
    }
}

/// Creates the document of a record. `id` receives the record's own id: `id`, or `_id` in BEIR's sets.
fn document(
    fields: Fields,
    title: String,
    id: impl FnOnce(Option<String>) -> String,
    file: &str,
) -> Document {
    let (mut own_id, mut own_title, mut url, mut text, mut nested) = (None, None, None, None, Map::new());
    let mut rest = Vec::new();
    for (name, value) in fields.0 {
        match (name.as_str(), value) {
            ("id" | "_id", value @ (Value::String(_) | Value::Number(_))) => {
                own_id = Some(value).filter(|id| !said(id).is_empty());
            }
            ("id" | "_id" | "metadata", Value::Null) => {}
            ("title", Value::String(value)) if !value.is_empty() => own_title = Some(value),
            ("url", Value::String(value)) => url = Some(value),
            ("text", Value::String(value)) => text = Some(value),
            ("metadata", Value::Object(values)) => nested = values,
            ("title" | "url" | "text", Value::Null) => {}
            (_, value) => rest.push((name, value)),
        }
    }
    let title = own_title.clone().or_else(|| title_of(&rest)).unwrap_or(title);
    let text = text.unwrap_or_else(|| {
        // Without a text it is a row, which tells its fields, and has them as metadata.
        let given = [("id", own_id.clone()), ("title", own_title.map(Value::from))];
        let given = given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        rest.splice(0..0, given);
        let fields = rest.iter().map(|(name, value)| (name.as_str(), said(value)));
        lines(fields.chain(nested.iter().map(|(name, value)| (name.as_str(), said(value)))))
    });
    let mut metadata = Map::from_iter([("file".to_owned(), Value::from(file))]);
    metadata.extend(rest);
    metadata.extend(nested);
    Document {
        title: Some(title),
        url,
        format: Some(Format::Text),
        metadata,
        ..Document::new(id(own_id.as_ref().map(said)), text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn jsonl(text: &str) -> Result<Vec<Document>, Refusal> {
        read_lines("b.jsonl", "b.jsonl", text.as_bytes().to_vec()).map(|read| read.documents)
    }

    #[test]
    fn fields_other_than_text_title_id_and_url_become_metadata() {
        let text = "{\"id\":7,\"title\":\"T\",\"text\":\"x\",\"url\":\"u\",\"metadata\":{\"a\":1},\"b\":[2]}\r\n\r\n{\"name\":\"N\",\"size\":3}\n";
        let read = jsonl(text).unwrap();
        let of = |at: usize| {
            let one: &Document = &read[at];
            (one.id.as_str(), one.title.as_deref().unwrap(), one.text.as_str(), one.url.as_deref())
        };
        assert_eq!(of(0), ("b.jsonl#7", "T", "x", Some("u")));
        assert_eq!(json!(read[0].metadata), json!({ "file": "b.jsonl", "b": [2], "a": 1 }));
        assert_eq!(of(1), ("b.jsonl#3", "N", "name: N\nsize: 3", None));
    }

    #[test]
    fn a_record_without_text_tells_its_id_and_title_too() {
        let read = jsonl("{\"year\":1952,\"id\":7,\"title\":\"Ponds\"}").unwrap();
        assert_eq!((&*read[0].id, &*read[0].text), ("b.jsonl#7", "id: 7\ntitle: Ponds\nyear: 1952"));
        assert_eq!(
            json!(read[0].metadata),
            json!({ "file": "b.jsonl", "id": 7, "title": "Ponds", "year": 1952 })
        );
    }

    #[test]
    fn a_list_of_like_objects_that_is_most_of_an_object_is_records() {
        let text = r#"{"by": "Ann", "count": 3, "loans": [
            {"id": "L-1", "item": "Tent", "due": "2025-02-10", "to": "Ole"},
            {"id": "L-2", "item": "Saw", "due": "2025-02-12", "to": null},
            {"id": "L-3", "item": "Drill", "due": "2025-02-14", "to": "Ada", "note": "wet"}], "open": true}"#;
        let documents = read("c.json", "c.json", text.as_bytes().to_vec()).unwrap().documents;
        let ids: Vec<&str> = documents.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["c.json#", "c.json#L-1", "c.json#L-2", "c.json#L-3"]);
        assert_eq!(documents[0].text, "by: Ann\ncount: 3\nopen: true");
        assert_eq!(documents[1].text, "id: L-1\nitem: Tent\ndue: 2025-02-10\nto: Ole");
    }

    #[test]
    fn objects_that_differ_contain_others_or_are_few_stay_one_text() {
        for text in [
            r#"{"name": "p", "version": "1.0.0", "license": "MIT", "description": "A long one.", "people": [{"a": 1}, {"a": 2}, {"a": 3}]}"#,
            r#"{"list": [{"a": 1, "b": 2}, {"c": 1, "d": 2}, {"e": 1, "f": 2}]}"#,
            r#"{"list": [{"a": {"x": 1}}, {"a": {"x": 2}}, {"a": {"x": 3}}]}"#,
            r#"{"list": [{"text": "a", "by": 1}, {"text": "b", "by": 2}, {"text": "", "by": 3}]}"#,
            r#"{"list": [{"a": 9007199254740993}, {"a": 1}, {"a": 2}]}"#,
            r#"{"list": [{"a": null}, {"a": 1}, {"a": 2}]}"#,
            r#"{"list": [{"a": [9007199254740993]}, {"a": 1}, {"a": 2}]}"#,
            r#"{"list": [{"neverSend": true, "a": 1}, {"a": 1}, {"a": 2}]}"#,
            r#"{"list": [{"a": 1}, {"a": 2}]}"#,
            r#"{"list": [{"id": 1, "a": 1}, {"id": 1, "a": 2}, {"id": 2, "a": 2}]}"#,
        ] {
            let documents = read("c.json", "c.json", text.as_bytes().to_vec()).unwrap().documents;
            assert_eq!((documents.len(), documents[0].text.as_str()), (1, text));
        }
    }

    #[test]
    fn errors_name_the_line() {
        assert!(jsonl("{\"a\":1}\n[1]").unwrap_err().message.contains("Line 2 is not an object"));
        assert!(jsonl("{\"id\":1}\n{\"id\":1}").unwrap_err().message.contains("“b.jsonl#1”"));
        assert_eq!(jsonl("\n\n").unwrap_err().code, Code::FileWithoutText);
    }

    #[test]
    fn a_list_of_objects_is_records_and_other_json_is_text() {
        let ids = |text: &str| -> Vec<String> {
            let read = read("c.json", "c.json", text.as_bytes().to_vec()).unwrap();
            read.documents.into_iter().map(|one| one.id).collect()
        };
        assert_eq!(ids("[{\"id\":\"x\",\"text\":\"a\"},{\"text\":\"b\"}]"), ["c.json#x", "c.json#2"]);
        assert_eq!(ids("{\"text\":\"one\",\"year\":1}"), ["c.json"]);
        for text in ["{\"a\":1}", "[1,2]", "[]", "{broken"] {
            assert_eq!(ids(text), ["c.json"], "{text}");
        }
    }
}
