//! Types of metadata fields.

use serde::{Deserialize, Serialize};

/// The type of a field's values. Any field may contain a list of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FieldType {
    /// Text, compared by code points.
    #[serde(alias = "string[]")]
    String,
    /// A 64-bit floating-point number, as in JavaScript.
    #[serde(alias = "number[]")]
    Number,
    /// A point in time: an ISO 8601 string such as `2023`, `2023-04` or `2023-04-01T12:00:00Z`, or milliseconds since 1970.
    #[serde(alias = "date[]")]
    Date,
    /// A boolean.
    #[serde(alias = "boolean[]")]
    Boolean,
}

impl FieldType {
    /// All types.
    pub(super) const ALL: [Self; 4] = [Self::String, Self::Number, Self::Date, Self::Boolean];

    /// Returns its name in a schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Date => "date",
            Self::Boolean => "boolean",
        }
    }

    /// Parses a name, with or without the suffix `[]` of a list.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let name = name.strip_suffix("[]").unwrap_or(name);
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
