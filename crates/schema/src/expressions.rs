//! The TypeScript types of values, of their schemas.

use crate::comments::{about, comment};
use crate::declared::{
    Field, description, fields_of, is_nullable, present, referred, texts, type_of, values,
};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use vademecum_protocol::schema::TYPE;

/// What the type of a value depends on beside its schema.
pub(crate) struct Expressions<'a> {
    /// The schemas that others refer to, by name.
    pub(crate) others: &'a Map<String, Value>,
    /// Whether a type of this name is declared.
    pub(crate) known: &'a dyn Fn(&str) -> bool,
    /// Whether Rust sends the value: then `null` is a value, and an absent one is not `undefined`.
    pub(crate) sent: bool,
}

impl Expressions<'_> {
    /// Returns the type of a value.
    pub(crate) fn ts_type(&self, schema: &Value, indent: &str) -> String {
        let ts = self.present_type(present(schema), indent);
        if self.sent && is_nullable(schema) { format!("{ts} | null") } else { ts }
    }

    fn present_type(&self, schema: &Value, indent: &str) -> String {
        if let Some(ts) = schema.get(TYPE).and_then(Value::as_str) {
            return ts.to_owned();
        }
        if let Some(name) = referred(schema) {
            return match self.others.get(name) {
                Some(other) if !(self.known)(name) => self.ts_type(other, indent),
                _ => name.to_owned(),
            };
        }
        if let Some(values) = values(schema) {
            return union(&values);
        }
        if let Some(parts) = schema.get("anyOf").and_then(Value::as_array) {
            let parts: BTreeSet<String> = parts.iter().map(|part| self.ts_type(part, indent)).collect();
            return parts.into_iter().collect::<Vec<_>>().join(" | ");
        }
        match type_of(schema) {
            Some("boolean") => "boolean".to_owned(),
            Some("integer" | "number") => "number".to_owned(),
            Some("string") => "string".to_owned(),
            Some("array") => self.array(schema, indent),
            Some("object") => self.object(schema, indent),
            _ => "unknown".to_owned(),
        }
    }

    fn array(&self, schema: &Value, indent: &str) -> String {
        if let Some(items) = schema.get("prefixItems").and_then(Value::as_array) {
            let items: Vec<String> = items.iter().map(|item| self.ts_type(item, indent)).collect();
            return format!("[{}]", items.join(", "));
        }
        let item = schema.get("items").map_or("unknown".to_owned(), |items| self.ts_type(items, indent));
        let end = |key: &str| schema.get(key).and_then(Value::as_u64);
        if let (Some(least), Some(most)) = (end("minItems"), end("maxItems"))
            && least == most
        {
            return format!("[{}]", (0..most).map(|_| item.as_str()).collect::<Vec<_>>().join(", "));
        }
        let is_closed = item.starts_with(['{', '[']) && item.ends_with(['}', ']']);
        if item.contains([' ', '|']) && !is_closed { format!("({item})[]") } else { format!("{item}[]") }
    }

    fn object(&self, schema: &Value, indent: &str) -> String {
        let fields = schema.get("properties").and_then(Value::as_object);
        if let (None, Some(values)) = (fields, schema.get("additionalProperties")) {
            return format!("Record<string, {}>", self.ts_type(values, indent));
        }
        let required = texts(schema, "required");
        if self.sent {
            let deeper = format!("{indent}  ");
            let members: String =
                fields_of(schema, &required).iter().map(|field| self.member(field, &deeper)).collect();
            return format!("{{\n{members}{indent}}}");
        }
        let fields = fields.into_iter().flatten().map(|(name, schema)| {
            let ts = self.ts_type(schema, indent);
            if required.contains(name) {
                format!("{name}: {ts}")
            } else {
                format!("{name}?: {ts} | undefined")
            }
        });
        format!("{{ {} }}", fields.collect::<Vec<_>>().join("; "))
    }

    /// Returns the line of a field, below its comment.
    pub(crate) fn member(&self, field: &Field, indent: &str) -> String {
        let Field { name, schema, required } = field;
        let ts = self.ts_type(schema, indent);
        let about = if self.sent { description(schema) } else { about(schema, self.others) };
        let about = if about.is_empty() { about } else { comment(&about, indent) };
        match (self.sent, *required) {
            (false, false) => {
                let ts = if ts.contains("=>") { format!("({ts})") } else { ts };
                format!("{about}{indent}{name}?: {ts} | undefined;\n")
            }
            (true, false) => format!("{about}{indent}{name}?: {};\n", ts.trim_end_matches(" | null")),
            _ => format!("{about}{indent}{name}: {ts};\n"),
        }
    }
}

/// Returns the union of values.
pub(crate) fn union(values: &[Value]) -> String {
    values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ")
}
