//! What JSON schemas have no word for: values that JavaScript alone has. Each names its TypeScript type and the kind of
//! `options.js` that checks it. Fields that hold a function's name in Rust and the function itself in JavaScript are declared
//! by these.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// Key of a schema's TypeScript type.
pub const TYPE: &str = "x-ts";
/// Key of the kind that checks a value in JavaScript.
pub const KIND: &str = "x-kind";
/// Key of the interfaces whose fields an interface has as well.
pub const EXTENDS: &str = "x-extends";
/// Key of fields of a flattened struct that an interface does not have.
pub const OMITS: &str = "x-omits";
/// Key of fields that can be read of every object of a union: those without it have it as `undefined`.
pub const SHARED: &str = "x-shared";

/// Key of fields of which an object has exactly one.
pub const EITHER: &str = "x-either";

/// Key of fields whose default JavaScript applies.
pub const DEFAULT: &str = "x-default";

/// Largest integer that a number of JavaScript holds exactly.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Declares types of values that JavaScript alone has.
#[macro_export]
macro_rules! host_types {
    ($($(#[$doc:meta])* $name:ident: $ts:expr, $kind:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $name;

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::schema::host_type($ts, $kind)
            }
        }
    )*};
}

/// Returns the schema of a value that JavaScript alone has.
pub fn host_type(ts: &str, kind: &str) -> Schema {
    json_schema!({ TYPE: ts, KIND: kind })
}

host_types! {
    /// A condition on metadata, in any of its spellings.
    Filter: "Filter", "filters";
    /// Types of metadata fields.
    FieldTypes: "Record<string, FieldType | `${FieldType}[]`>", r#"data("an object such as { year: \"number\" }")"#;
    /// A function that writes a step's prompt.
    PromptFunction: "PromptFunction", "func";
    /// A step of the caller's.
    StepFunction: "StepFunction", "func";
    /// A function that writes a prompt about chunks.
    ChunksPromptFunction: "ChunksPromptFunction", "func";
    /// A model that answers.
    Llm: "Llm", "func";
    /// A function, or an object, that searches.
    Searcher: "Searcher", "searcher";
    /// A function that ranks.
    Reranker: "Reranker", "func";
    /// A function that finds answers in chunks.
    Reader: "Reader", "func";
    /// A function that ranks, or the model.
    RerankerOrLlm: "Reranker | \"llm\"", "reranker";
    /// Collections to choose from.
    Choices: "(string | { name: string; description?: string })[]", "choices";
    /// The turns of a conversation.
    History: "readonly Turn[]", "turns(TURN)";
    /// The question of a turn: empty where the turn sums up others.
    TurnQuestion: "string", "text";
    /// Metadata of a document, or of an event.
    Metadata: "Metadata", "metadata";
    /// An object of any values.
    Fields: "Record<string, any>", "any";
    /// An object of any values, or null.
    FieldsOrNull: "Record<string, any> | null", "any";
    /// What each retriever found of a hit.
    Explanation: "{ keyword: Arm | null; vector: Arm | null; via: string[] }", "any";
    /// An error, as plain data.
    Failure: "{ code: string; message: string }", "any";
    /// The same, with whether another try may succeed.
    RetryableFailure: "{ code: string; message: string; retryable: boolean }", "any";
    /// Types of metadata fields: one where declared, else those found.
    FoundTypes: "Record<string, FieldType | FieldType[]>", "any";
    /// Who wrote a question.
    Writer: "Exclude<By, \"function\">", "oneOf(\"llm\", \"rule\")";
    /// Text of whole characters.
    WellFormed: "string", "wellFormed(string)";
    /// Text of whole characters that is not blank.
    WellFormedName: "string", "wellFormed(text)";
    /// A code of an error.
    Code: "Code", "any";
    /// What ends a call.
    Signal: "AbortSignal", "signal";
}

/// A name: text that is not blank.
#[derive(Debug, Clone, Default)]
pub struct Name;

impl JsonSchema for Name {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Name".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1 })
    }
}
