//! The type of a metadata field.

use serde::{Deserialize, Serialize};

/// What a field holds. Any field may hold a list of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldType {
    /// Text, compared letter by letter.
    #[serde(alias = "string[]")]
    String,
    /// A 64-bit floating-point number, as in JavaScript.
    #[serde(alias = "number[]")]
    Number,
    /// A moment, from an ISO 8601 string or milliseconds since 1970.
    #[serde(alias = "date[]")]
    Date,
    /// True or false.
    #[serde(alias = "boolean[]")]
    Boolean,
}

impl FieldType {
    /// All types.
    pub(super) const ALL: [Self; 4] = [Self::String, Self::Number, Self::Date, Self::Boolean];

    /// Its name in a schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Date => "date",
            Self::Boolean => "boolean",
        }
    }

    /// Reads its name, as that of a list as well.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let name = name.strip_suffix("[]").unwrap_or(name);
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
