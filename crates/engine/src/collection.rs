//! What is declared of a collection, and what was found out.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vademecum_index::filter::Schema;
use vademecum_protocol::error::{Error, Result};
use vademecum_text::terms::Language;

/// What a caller declares; what is absent stays as it was.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CollectionOptions {
    /// What it holds, for people and for the agent.
    pub description: Option<String>,
    /// What its words are stemmed as, by name or ISO 639-1 code; found out from the first documents unless named.
    pub language: Option<String>,
    /// The types of metadata fields: `{"year": "number", "signed": "date"}`.
    pub schema: Option<Value>,
}

/// A collection as it is kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Collection {
    pub(super) description: String,
    declared: Option<Language>,
    detected: Option<Language>,
    schema: Option<Value>,
}

impl Collection {
    /// Applies what was declared and returns the schema, if one was.
    pub(super) fn declare(&mut self, options: &CollectionOptions) -> Result<Option<Schema>> {
        // Fields that are declared already stay so.
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

    /// The schema that was declared last.
    pub(super) fn schema(&self) -> Option<Schema> {
        self.schema.as_ref().and_then(|schema| Schema::parse(schema).ok())
    }

    /// What its words are stemmed as, if that is known.
    pub(super) fn language(&self) -> Option<Language> {
        self.declared.or(self.detected)
    }

    /// Keeps the language that the first documents turned out to be in.
    pub(super) fn settle(&mut self, language: Language) {
        if self.language().is_none() && language != Language::Other {
            self.detected = Some(language);
        }
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
