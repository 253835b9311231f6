//! Records in JSON. `id`, `title`, `url`, `text` and `metadata` have the same meaning as in the library; all other fields become
//! metadata.

use crate::documents::Read;
use crate::records::{Fields, check_count, lines, said, title_of};
use crate::refusal::{Code, Refusal};
use crate::text::{as_text, decoded};
use serde_json::{Map, Value};
use std::collections::HashSet;
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

/// Reads a JSON file: a list of objects as records, an object with `text` as one document, anything else as text.
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
        Ok(_) => Ok(Read::of(as_text(id, name, text))),
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
                own_id = Some(said(&value)).filter(|id| !id.is_empty());
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
        let titled = own_title.map(|title| ("title".to_owned(), Value::from(title)));
        let fields: Vec<(String, Value)> =
            titled.into_iter().chain(rest.iter().cloned()).chain(nested.clone()).collect();
        lines(fields.iter().map(|(name, value)| (name.as_str(), said(value))))
    });
    let mut metadata = Map::from_iter([("file".to_owned(), Value::from(file))]);
    metadata.extend(rest);
    metadata.extend(nested);
    Document {
        title: Some(title),
        url,
        format: Some(Format::Text),
        metadata,
        ..Document::new(id(own_id), text)
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
