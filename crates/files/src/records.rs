//! Records, such as rows of a table: text fields are searched, all other values are filtered.

use crate::refusal::{Code, Refusal};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use std::fmt;

/// Names of title fields.
const TITLES: [&str; 5] = ["title", "name", "subject", "heading", "label"];

/// Maximum number of records of a file.
pub(crate) const MAX_RECORDS: usize = 1_000_000;

/// Fails if a file has too many records.
pub(crate) fn check_count(count: usize) -> Result<(), Refusal> {
    if count <= MAX_RECORDS {
        return Ok(());
    }
    let message = format!("It contains more than {MAX_RECORDS} records. Split it into parts.");
    Err(Refusal::new(Code::FileTooLarge, message))
}

/// The fields of a record in the order of the file, which a map would lose.
#[derive(Debug, Default)]
pub(crate) struct Fields(pub(crate) Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// Returns the value of the first title field.
pub(crate) fn title_of(fields: &[(String, Value)]) -> Option<String> {
    let (_, title) = fields.iter().find(|(name, _)| TITLES.contains(&name.to_lowercase().as_str()))?;
    let title = title.as_str()?.trim();
    (!title.is_empty()).then(|| title.to_owned())
}

/// Formats fields as lines `name: value`, so that names and values are searchable.
pub(crate) fn lines<'a>(fields: impl Iterator<Item = (&'a str, String)>) -> String {
    let lines = fields.filter(|(_, value)| !value.is_empty()).map(|(name, value)| format!("{name}: {value}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Formats a value for a line: texts without quotes, null as nothing.
pub(crate) fn said(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
