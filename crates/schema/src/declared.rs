//! A declared type, read from its schema.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};
use vademecum_protocol::schema::{EXTENDS, OMITS};

/// A type with the schemas of its fields.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) about: String,
    /// Interfaces whose fields it has as well.
    pub(crate) extends: Vec<String>,
    /// In the order of the declaration; empty for what is no object.
    pub(crate) fields: Vec<Field>,
    /// The schema of what is no object.
    pub(crate) schema: Value,
    /// The schemas that it refers to, by name.
    pub(crate) others: Map<String, Value>,
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) schema: Value,
    pub(crate) required: bool,
}

impl Declared {
    pub(crate) fn of<T: JsonSchema>() -> Self {
        let read = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>();
        // Names of fields come in alphabetical order, but for the list of those that are always written.
        let written =
            SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
        let omits = texts(&read, OMITS);
        let required = texts(&read, "required");
        let order = texts(&written, "required");
        let place = |name: &str| order.iter().position(|one| one == name).unwrap_or(order.len());
        let properties = read.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        let field =
            |(name, schema): (String, Value)| Field { required: required.contains(&name), name, schema };
        let mut fields: Vec<Field> =
            properties.into_iter().filter(|(name, _)| !omits.contains(name)).map(field).collect();
        fields.sort_by_key(|field| (!field.required, place(&field.name)));
        Self {
            name: T::schema_name().into_owned(),
            about: description(read.as_value()),
            extends: texts(&read, EXTENDS),
            fields,
            others: read.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default(),
            schema: read.to_value(),
        }
    }
}

fn texts(schema: &Schema, key: &str) -> Vec<String> {
    let values = schema.get(key).and_then(Value::as_array);
    values.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the doc comment of what a schema describes, as one paragraph.
pub(crate) fn description(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a schema without the `null` that an absent value is in Rust.
pub(crate) fn present(schema: &Value) -> &Value {
    let is_null = |one: &Value| one.get("type").and_then(Value::as_str) == Some("null");
    match schema.get("anyOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([one, null]) if is_null(null) => one,
        _ => schema,
    }
}

/// Returns the name of the type of a schema: of an optional value, that of the value.
pub(crate) fn type_of(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(name) => Some(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        _ => None,
    }
}

/// Returns the name of the type that a schema refers to.
pub(crate) fn referred(schema: &Value) -> Option<&str> {
    schema.get("$ref").and_then(Value::as_str)?.rsplit('/').next()
}

/// Returns the values of an enumeration.
pub(crate) fn values(schema: &Value) -> Option<Vec<Value>> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return Some(values.iter().filter(|value| !value.is_null()).cloned().collect());
    }
    if let Some(value) = schema.get("const") {
        return Some(vec![value.clone()]);
    }
    let parts = schema.get("oneOf").and_then(Value::as_array)?;
    let all = parts.iter().map(values).collect::<Option<Vec<_>>>()?;
    Some(all.into_iter().flatten().collect())
}
