//! Schemas: metadata fields and their types, declared by the user or inferred from documents.

use super::field_type::FieldType;
use super::value;
use serde::Deserialize;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::rc::Rc;
use vademecum_protocol::document::NEVER_SEND;
use vademecum_protocol::error::Error;
use vademecum_protocol::error::Result;
use vademecum_protocol::error::excerpt;
use vademecum_text::nearest::nearest;
use vademecum_util::vec_map;

/// Maximum number of fields listed in an error message.
const LISTED: usize = 20;

/// The name under which a schema holds the types of fields that it does not know. No metadata has such a field: names of fields
/// have no control characters where they are written by people.
const ANY: &str = "\0";

/// Per collection: its metadata fields.
pub(crate) type Schemas = vec_map::Map<Rc<str>, Schema>;

/// The types of a field: one if declared, else all that occur in documents, or in the merged collections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum Field {
    Declared(FieldType),
    /// Sorted.
    Seen(Vec<FieldType>),
}

/// The metadata fields of a collection, ordered by name. In JSON, a declared field is the name of its type,
/// an inferred one a list of types: `{"year": "number", "note": ["string", "number"]}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Schema(BTreeMap<String, Field>);

impl Schema {
    /// Parses a user's declaration: `{"year": "number", "parties": "string[]"}`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for anything but an object of type names.
    pub fn parse(declared: &Value) -> Result<Self> {
        const EXPECTED: &str = "`string`, `number`, `date` or `boolean` (or a list of them, as `string[]`)";
        let fields = declared.as_object().ok_or_else(|| {
            Error::invalid("schema", "an object such as {\"year\": \"number\"}", value::describe(declared))
        })?;
        let field = |(field, kind): (&String, &Value)| {
            let argument = || format!("schema.{}", excerpt(field, 80));
            let name =
                kind.as_str().ok_or_else(|| Error::invalid(argument(), EXPECTED, value::describe(kind)))?;
            let kind = FieldType::parse(name).ok_or_else(|| {
                let near = nearest(name, FieldType::ALL.map(FieldType::name))
                    .map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
                Error::invalid(argument(), EXPECTED, format!("`{}`{near}", excerpt(name, 40)))
            })?;
            Ok((field.clone(), Field::Declared(kind)))
        };
        fields.iter().map(field).collect::<Result<_>>().map(Self)
    }

    /// Checks a document's metadata against the declared fields. Other fields may have any type.
    ///
    /// # Errors
    /// [`Error::MetadataType`] for a value of another type.
    pub fn check(&self, id: &str, metadata: &Map<String, Value>) -> Result<()> {
        let mut wrong = None;
        value::each(metadata, &mut |found| {
            let Some(Field::Declared(declared)) = self.0.get(found.path) else { return };
            let fits = match declared {
                FieldType::Date => value::moments(found.value).is_some(),
                kind => value::type_of(found.value) == Some(*kind),
            };
            if !fits && wrong.is_none() {
                wrong = Some(Error::MetadataType {
                    id: id.to_owned(),
                    field: excerpt(found.path, 80),
                    expected: declared.name(),
                    got: value::describe(found.value),
                });
            }
        });
        wrong.map_or(Ok(()), Err)
    }

    /// Infers the types of undeclared fields from a document's metadata.
    pub fn observe(&mut self, metadata: &Map<String, Value>) {
        value::each(metadata, &mut |found| {
            let Some(kind) = value::type_of(found.value) else { return };
            match self.0.get_mut(found.path) {
                Some(Field::Seen(kinds)) => {
                    if !kinds.contains(&kind) {
                        kinds.push(kind);
                        kinds.sort_unstable();
                    }
                }
                Some(Field::Declared(_)) => {}
                None => {
                    self.0.insert(found.path.to_owned(), Field::Seen(vec![kind]));
                }
            }
        });
    }

    /// Merges the fields of another collection, for a search over both. A field gets the types it has in
    /// either.
    pub fn merge(&mut self, other: &Self) {
        for (name, theirs) in &other.0 {
            let both = match self.0.get(name) {
                Some(mine) if mine != theirs => Field::Seen(vec_map::set(mine.types().chain(theirs.types()))),
                _ => theirs.clone(),
            };
            self.0.insert(name.clone(), both);
        }
    }

    /// Declares the field that marks documents as `neverSend`, so that filters accept it in either case.
    pub(crate) fn know_never_send(&mut self) {
        self.0.insert(NEVER_SEND.to_owned(), Field::Declared(FieldType::Boolean));
    }

    /// Accepts any field, for collections whose fields are not known.
    pub fn accept_any(&mut self) {
        let types = vec![FieldType::String, FieldType::Number, FieldType::Boolean];
        self.0.insert(ANY.to_owned(), Field::Seen(vec_map::set(types)));
    }

    /// Returns the declared fields only.
    pub(crate) fn declared(&self) -> Self {
        let mut declared = self.clone();
        declared.0.retain(|_, field| matches!(field, Field::Declared(_)));
        declared
    }

    /// Adds fields, replacing those of the same name.
    pub(crate) fn take(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Returns whether there are no fields.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the types of a field.
    ///
    /// # Errors
    /// [`Error::UnknownField`], with the nearest name, if there is no such field.
    pub fn types(&self, field: &str) -> Result<Vec<FieldType>> {
        let known = self.0.get(field).or_else(|| self.0.get(ANY)).ok_or_else(|| self.unknown(field))?;
        Ok(known.types().collect())
    }

    /// Returns whether values of this field that can be parsed as dates are dates.
    pub(super) fn is_date(&self, field: &str) -> bool {
        match self.0.get(field) {
            Some(Field::Declared(kind)) => *kind == FieldType::Date,
            Some(Field::Seen(kinds)) => kinds.contains(&FieldType::Date),
            None => false,
        }
    }

    /// Returns whether this field or one nested in it exists.
    pub(super) fn reaches(&self, field: &str) -> bool {
        self.0.contains_key(field) || self.0.contains_key(ANY) || {
            let inside = format!("{field}.");
            self.0.range(inside.clone()..).next().is_some_and(|(name, _)| name.starts_with(&inside))
        }
    }

    fn unknown(&self, field: &str) -> Error {
        let names = || self.0.keys().map(String::as_str);
        let near = nearest(field, names())
            .map_or(String::new(), |near| format!(" (did you mean `{}`?)", excerpt(near, 80)));
        let listed: Vec<String> = names().take(LISTED).map(|name| excerpt(name, 80)).collect();
        let known = match self.0.len() {
            0 => "none, as no document has metadata yet".to_owned(),
            count if count > LISTED => format!("{} and {} more", listed.join(", "), count - LISTED),
            _ => listed.join(", "),
        };
        Error::UnknownField { field: excerpt(field, 80), nearest: near, known }
    }
}

impl Field {
    fn types(&self) -> impl Iterator<Item = FieldType> {
        FieldType::ALL.into_iter().filter(|kind| match self {
            Self::Declared(declared) => declared == kind,
            Self::Seen(kinds) => kinds.contains(kind),
        })
    }
}
