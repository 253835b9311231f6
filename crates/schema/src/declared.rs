//! A declared type, read from its schema.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};
use vademecum_protocol::schema::{EITHER, EXTENDS, OMITS, SHARED};

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
    /// The objects of a union, by a tag.
    pub(crate) variants: Vec<Variant>,
    /// Fields that can be read of every object of a union.
    pub(crate) shared: Vec<String>,
    /// Whether it has a table alone, and no type of its own.
    pub(crate) untyped: bool,
    /// Whether Rust sends it, and is not given it.
    pub(crate) sent: bool,
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) schema: Value,
    pub(crate) required: bool,
}

/// One of the objects of a union.
#[derive(Debug)]
pub(crate) struct Variant {
    pub(crate) about: String,
    pub(crate) fields: Vec<Field>,
}

impl Variant {
    /// Returns the object that has this one of several fields.
    fn of(field: Field) -> Self {
        Self { about: String::new(), fields: vec![Field { required: true, ..field }] }
    }
}

impl Declared {
    /// Reads a type that Rust is given.
    pub(crate) fn of<T: JsonSchema>() -> Self {
        let read = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>();
        // Names of fields come in alphabetical order, but for the list of those that are always written.
        let written = sent_schema::<T>();
        Self::from(&T::schema_name(), read, &texts(written.as_value(), "required"), false)
    }

    /// Reads a type that Rust sends.
    pub(crate) fn sent<T: JsonSchema>() -> Self {
        let written = sent_schema::<T>();
        let order = texts(written.as_value(), "required");
        Self::from(&T::schema_name(), written, &order, true)
    }

    fn from(name: &str, schema: Schema, order: &[String], sent: bool) -> Self {
        let schema = schema.to_value();
        let omits = texts(&schema, OMITS);
        let mut fields = fields_of(&schema, order);
        fields.retain(|field| !omits.contains(&field.name));
        let either = texts(&schema, EITHER);
        let chosen: Vec<Field> = fields.extract_if(.., |field| either.contains(&field.name)).collect();
        let others = schema.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
        Self {
            name: name.to_owned(),
            about: description(&schema),
            extends: texts(&schema, EXTENDS),
            shared: if either.is_empty() { texts(&schema, SHARED) } else { either },
            variants: if sent {
                variants(&schema, &others)
            } else {
                chosen.into_iter().map(Variant::of).collect()
            },
            fields,
            others,
            schema,
            untyped: false,
            sent,
        }
    }

    /// Returns the tags of the objects of a union.
    pub(crate) fn tags(&self, name: &str) -> Vec<String> {
        let fields = self.variants.iter().flat_map(|variant| &variant.fields);
        let tags = fields.filter(|field| field.name == name).filter_map(|field| field.schema.get("const"));
        tags.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Adds the objects of another union.
    pub(crate) fn or<T: JsonSchema>(mut self) -> Self {
        let other = Self::sent::<T>();
        self.variants.extend(other.variants);
        self.others.extend(other.others);
        self
    }
}

fn sent_schema<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

/// Returns the fields of an object: first those that are required, each part in the given order.
pub(crate) fn fields_of(schema: &Value, order: &[String]) -> Vec<Field> {
    let required = texts(schema, "required");
    let place = |name: &str| order.iter().position(|one| one == name).unwrap_or(order.len());
    let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut fields: Vec<Field> = properties
        .into_iter()
        .map(|(name, schema)| Field { required: required.contains(&name), name, schema })
        .collect();
    fields.sort_by_key(|field| (!field.required, place(&field.name)));
    fields
}

/// Returns the objects of a union; none for another type.
fn variants(schema: &Value, others: &Map<String, Value>) -> Vec<Variant> {
    let parts = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
    let objects = parts.into_iter().flatten().map(|part| {
        // A tag is next to the reference to its object.
        let rest = referred(part).and_then(|name| others.get(name));
        let fields = [Some(part), rest].into_iter().flatten();
        Variant {
            about: description(part),
            fields: fields.flat_map(|part| fields_of(part, &texts(part, "required"))).collect(),
        }
    });
    objects.filter(|variant| !variant.fields.is_empty()).collect()
}

pub(crate) fn texts(schema: &Value, key: &str) -> Vec<String> {
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

/// Returns whether a value may be `null`.
pub(crate) fn is_nullable(schema: &Value) -> bool {
    let has_null = |key: &str, is_null: &dyn Fn(&Value) -> bool| {
        schema.get(key).and_then(Value::as_array).is_some_and(|all| all.iter().any(is_null))
    };
    has_null("type", &|name| name == "null")
        || has_null("enum", &Value::is_null)
        || has_null("anyOf", &|one| one.get("type").is_some_and(|name| name == "null"))
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
