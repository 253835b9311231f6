//! Declared and detected settings of a collection.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vademecum_index::filter::Schema;
use vademecum_protocol::error::{Error, Result};
use vademecum_text::terms::Language;

/// What is declared of a collection; what is absent stays as it was.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CollectionOptions {
    /// What the collection holds, for people and for the agent.
    pub description: Option<String>,
    /// Language by which words are stemmed, as an English name or ISO 639-1 code. Default: detected for each document; for those whose text does not tell, from the first documents.
    #[cfg_attr(feature = "schema", schemars(with = "Option<vademecum_protocol::schema::Name>"))]
    pub language: Option<String>,
    /// Types of metadata fields, such as `{ year: "number", signed: "date" }`; those declared earlier stay. Any field may hold a list.
    #[cfg_attr(feature = "schema", schemars(with = "Option<vademecum_protocol::schema::FieldTypes>"))]
    pub schema: Option<Value>,
}

/// The stored settings of a collection.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Collection {
    pub(super) description: String,
    declared: Option<Language>,
    detected: Option<Language>,
    schema: Option<Value>,
}

impl Collection {
    /// Applies a declaration. Returns the merged schema if it contains one.
    pub(super) fn declare(&mut self, options: &CollectionOptions) -> Result<Option<Schema>> {
        // Fields declared earlier remain declared.
        let merged = options.schema.as_ref().map(|fresh| merged(self.schema.as_ref(), fresh));
        let schema = merged.as_ref().map(Schema::parse).transpose()?;
        let language = options.language.as_deref().map(|name| {
            Language::parse(name).ok_or_else(|| {
                Error::invalid("language", "a language's English name or ISO 639-1 code", format!("{name:?}"))
            })
        });
        if let Some(language) = language.transpose()? {
            self.declared = Some(language);
        }
        if let Some(description) = &options.description {
            self.description.clone_from(description);
        }
        if merged.is_some() {
            self.schema = merged;
        }
        Ok(schema)
    }

    /// Returns the declared schema.
    pub(super) fn schema(&self) -> Option<Schema> {
        self.schema.as_ref().and_then(|schema| Schema::parse(schema).ok())
    }

    /// Returns the languages that further documents may have.
    pub(super) const fn languages(&self) -> Languages {
        Languages { declared: self.declared, detected: self.detected }
    }

    /// Returns the language, declared or detected, if there is one.
    pub(super) fn language(&self) -> Option<Language> {
        self.declared.or(self.detected)
    }

    /// Sets the detected language, unless one is set already.
    pub(super) fn set_detected(&mut self, language: Language) {
        if self.language().is_none() && language != Language::Other {
            self.detected = Some(language);
        }
    }
}

/// The languages of a collection's documents, while some are added.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Languages {
    declared: Option<Language>,
    detected: Option<Language>,
}

impl Languages {
    /// Returns the language of a document: the declared one, or else its own; if its text does not tell for certain, as of a table or
    /// code, that of the first document in which one was detected. A document marked `neverSend` does not affect the others.
    pub(super) fn of(&mut self, text: &str, is_never_sent: bool) -> Language {
        if let Some(declared) = self.declared {
            return declared;
        }
        let (found, is_sure) = Language::detect_with_certainty(text);
        if self.detected.is_none() && !is_never_sent && found != Language::Other {
            self.detected = Some(found);
        }
        if is_sure { found } else { self.detected.unwrap_or(found) }
    }
}

fn merged(known: Option<&Value>, fresh: &Value) -> Value {
    match (known, fresh) {
        (Some(Value::Object(known)), Value::Object(fresh)) => {
            let mut fields = known.clone();
            fields.extend(fresh.clone());
            Value::Object(fields)
        }
        _ => fresh.clone(),
    }
}
