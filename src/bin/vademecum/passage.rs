//! A passage of a library in the form in which a Chroma collection keeps it. `chroma.js` of the package reads it.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use vademecum::document::{Chunk, SUMMARY};

/// Beginning of the names of what is kept beside the document's own metadata.
pub(crate) const OWN: &str = "vademecum:";
/// Bytes of a hash that are kept.
const HASH: usize = 12;

/// A passage to send.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Passage {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) vector: Vec<f32>,
    pub(crate) metadata: Map<String, Value>,
}

/// Returns the name of one of our own fields.
pub(crate) fn own(name: &str) -> String {
    format!("{OWN}{name}")
}

impl Passage {
    /// Converts a passage. Fields that Chroma cannot compare are added to `indirect`.
    pub(crate) fn new(
        chunk: &Chunk,
        ordinal: usize,
        vector: &[f32],
        indirect: &mut BTreeSet<String>,
    ) -> Self {
        let mut metadata = Map::new();
        let mut rest = Map::new();
        for (name, value) in &chunk.metadata {
            match kept(value) {
                _ if name.starts_with(OWN) || name.starts_with("chroma:") || name.starts_with('#') => {
                    rest.insert(name.clone(), value.clone());
                }
                Kept::Plain => drop(metadata.insert(name.clone(), value.clone())),
                Kept::Listed => {
                    // Lists of numbers can be searched for an element, and not compared by order.
                    indirect.insert(name.clone());
                    metadata.insert(name.clone(), value.clone());
                }
                Kept::Nothing => {}
                Kept::Json => drop(rest.insert(name.clone(), value.clone())),
            }
        }
        indirect.extend(rest.keys().cloned());
        metadata
            .remove(SUMMARY)
            .into_iter()
            .for_each(|summary| drop(rest.insert(SUMMARY.to_owned(), summary)));
        let mut add = |name: &str, value: Value| {
            if !value.is_null() {
                metadata.insert(own(name), value);
            }
        };
        add("docId", json!(chunk.doc_id));
        add("ordinal", json!(ordinal));
        add("title", json!(chunk.title));
        add("url", json!(chunk.url));
        add("page", json!(chunk.page));
        add("headings", if chunk.headings.is_empty() { Value::Null } else { text(&json!(chunk.headings)) });
        add("json", if rest.is_empty() { Value::Null } else { text(&Value::Object(rest)) });
        let mut hash = Sha256::new();
        hash.update(chunk.text.as_bytes());
        vector.iter().for_each(|value| hash.update(value.to_le_bytes()));
        hash.update(Value::Object(metadata.clone()).to_string());
        let hash: String = hash.finalize().iter().take(HASH).map(|byte| format!("{byte:02x}")).collect();
        metadata.insert(own("hash"), json!(hash));
        Self { id: chunk.id.clone(), text: chunk.text.clone(), vector: vector.to_vec(), metadata }
    }

    /// Returns the hash of everything else.
    pub(crate) fn hash(&self) -> Option<&str> {
        self.metadata.get(&own("hash"))?.as_str()
    }
}

fn text(value: &Value) -> Value {
    Value::String(value.to_string())
}

/// How a value is kept.
#[derive(Debug, PartialEq)]
enum Kept {
    /// As it is.
    Plain,
    /// As it is, a list of numbers.
    Listed,
    /// As JSON text.
    Json,
    /// Not at all: it is as good as absent.
    Nothing,
}

fn kept(value: &Value) -> Kept {
    match value {
        Value::Null => Kept::Nothing,
        Value::Bool(_) | Value::Number(_) | Value::String(_) => Kept::Plain,
        Value::Object(_) => Kept::Json,
        Value::Array(items) if items.is_empty() => Kept::Nothing,
        Value::Array(items) if items.iter().all(Value::is_string) => Kept::Plain,
        Value::Array(items) if items.iter().all(Value::is_boolean) => Kept::Plain,
        // A list has one type: whole numbers and others are two.
        Value::Array(items) if items.iter().all(Value::is_i64) || items.iter().all(Value::is_f64) => {
            Kept::Listed
        }
        Value::Array(_) => Kept::Json,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vademecum::document::whole_document;

    fn passage(metadata: Value) -> (Passage, BTreeSet<String>) {
        let mut chunk = whole_document("a", "The tide.").chunk;
        chunk.metadata = metadata.as_object().unwrap().clone();
        chunk.headings = vec!["Sea".into()];
        let mut indirect = BTreeSet::new();
        (Passage::new(&chunk, 3, &[0.6, 0.8], &mut indirect), indirect)
    }

    #[test]
    fn what_chroma_cannot_hold_is_kept_as_json() {
        let metadata = json!({
            "year": 2023, "draft": false, "tags": ["a", "b"], "amounts": [1, 2], "mixed": [1, "a"], "half": [1, 2.5],
            "author": { "name": "Ada" }, "none": null, "empty": [], "vademecum:docId": "forged",
        });
        let (passage, indirect) = passage(metadata);
        let rest: Value = serde_json::from_str(passage.metadata[&own("json")].as_str().unwrap()).unwrap();
        let expected = json!({
            "author": { "name": "Ada" }, "half": [1, 2.5], "mixed": [1, "a"], "vademecum:docId": "forged",
        });
        assert_eq!(rest, expected);
        assert_eq!(passage.metadata[&own("docId")], "a");
        assert_eq!(passage.metadata[&own("ordinal")], 3);
        assert_eq!(passage.metadata["tags"], json!(["a", "b"]));
        let names: Vec<&str> = indirect.iter().map(String::as_str).collect();
        assert_eq!(names, ["amounts", "author", "half", "mixed", "vademecum:docId"]);
    }

    #[test]
    fn the_hash_changes_with_text_vector_and_metadata_alone() {
        let (one, _) = passage(json!({ "year": 1 }));
        let (same, _) = passage(json!({ "year": 1 }));
        let (other, _) = passage(json!({ "year": 2 }));
        assert_eq!(one, same);
        assert_ne!(one.hash(), other.hash());
    }
}
