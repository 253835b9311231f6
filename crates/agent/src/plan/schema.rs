//! The metadata fields of collections.

use crate::ports::CollectionView;
use serde_json::Value;
use std::collections::BTreeMap;
use vademecum_firewall::escape::label;

/// Maximum length of a field name in a prompt, in characters.
const MAX_NAME: usize = 60;

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A number.
    Number,
    /// A date.
    Date,
    /// A boolean.
    Boolean,
    /// A string. Last, so that a numeric text is a number if the field may be either.
    String,
}

impl Kind {
    fn parse(name: &str) -> Option<Self> {
        Some(match name.strip_suffix("[]").unwrap_or(name) {
            "number" => Self::Number,
            "date" => Self::Date,
            "boolean" => Self::Boolean,
            "string" => Self::String,
            _ => return None,
        })
    }

    /// Returns its name in a schema.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Date => "date",
            Self::Boolean => "boolean",
            Self::String => "string",
        }
    }
}

/// Returns the fields of these collections with all their types.
pub(crate) fn fields<'a>(collections: &[&'a CollectionView]) -> BTreeMap<&'a str, Vec<Kind>> {
    let mut found: BTreeMap<&str, Vec<Kind>> = BTreeMap::new();
    for collection in collections {
        for (name, kinds) in collection.schema.as_object().into_iter().flatten() {
            let all = found.entry(name).or_default();
            let listed = match kinds {
                Value::Array(kinds) => kinds.iter().collect(),
                one => vec![one],
            };
            all.extend(listed.into_iter().filter_map(|kind| Kind::parse(kind.as_str()?)));
            all.sort();
            all.dedup();
        }
    }
    found
}

/// Returns whether a collection has a field, ignoring case and separators.
pub(super) fn knows(collection: &CollectionView, field: &str) -> bool {
    named(fields(&[collection]).keys().copied(), field).is_some()
}

/// Returns the field that a name refers to: an exact match, or else one that differs only in case and separators.
pub(super) fn named<'a>(fields: impl Iterator<Item = &'a str> + Clone, name: &str) -> Option<&'a str> {
    let plain = |name: &str| -> String {
        name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let exact = fields.clone().find(|field| *field == name);
    exact.or_else(|| fields.into_iter().find(|field| plain(field) == plain(name)))
}

/// Formats a collection's fields in one line: `total (number), party (string)`.
pub(crate) fn schema_line(collection: &CollectionView) -> String {
    let field = |(name, kinds): (&str, Vec<Kind>)| {
        let kinds: Vec<&str> = kinds.into_iter().map(Kind::name).collect();
        format!("{} ({})", label(name, MAX_NAME), kinds.join(" or "))
    };
    let listed: Vec<String> = fields(&[collection]).into_iter().map(field).collect();
    if listed.is_empty() { "none".into() } else { listed.join(", ") }
}
