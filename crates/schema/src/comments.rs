//! What is said of a declared type and of its fields.

use crate::declared::{description, present, referred, type_of};
use serde_json::{Map, Value};

/// Letters of a line.
pub(crate) const WIDTH: usize = 125;

/// Returns what is said of a field: its doc comment, its default and its range.
pub(crate) fn about(schema: &Value, others: &Map<String, Value>) -> String {
    let mut said = vec![description(schema)];
    said.extend(default(schema).filter(|_| !said.iter().any(|text| text.contains("Default:"))));
    said.extend(range(resolved(schema, others)));
    said.join(" ")
}

fn resolved<'a>(schema: &'a Value, others: &'a Map<String, Value>) -> &'a Value {
    let schema = present(schema);
    referred(schema).and_then(|name| others.get(name)).unwrap_or(schema)
}

fn default(schema: &Value) -> Option<String> {
    // A default of `false` that is not written is not in the schema either.
    let default = match schema.get("default") {
        None if schema.get("type").is_some_and(|name| name == "boolean") => &Value::Bool(false),
        default => default?,
    };
    let shown = match default {
        Value::Null => return None,
        Value::String(text) if text.is_empty() => return None,
        Value::Number(number) => shown(number.as_f64()?),
        Value::Object(fields) if fields.values().all(Value::is_null) => return None,
        Value::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| {
                    Some(format!("{name}: {}", value.as_f64().map_or(value.to_string(), shown)))
                })
                .collect::<Option<_>>()?;
            format!("`{{ {} }}`", fields.join(", "))
        }
        Value::String(text) => format!("`{text}`"),
        other => format!("`{other}`"),
    };
    Some(format!("Default: {shown}."))
}

/// Greatest value that is worth saying: beyond lies what a number can hold at all.
const MOST: f64 = u32::MAX as f64;

fn range(schema: &Value) -> Option<String> {
    let end = |key: &str| schema.get(key).and_then(Value::as_f64);
    if let Some(least) = end("exclusiveMinimum") {
        return Some(format!("Above {}.", shown(least)));
    }
    let least = end("minimum")?;
    match end("maximum").filter(|most| *most < MOST) {
        Some(most) => Some(format!("From {} to {}.", shown(least), shown(most))),
        None if least > 0.0 || type_of(schema) == Some("number") => {
            Some(format!("At least {}.", shown(least)))
        }
        None => None,
    }
}

/// Returns a number as a person writes it: thousands apart.
fn shown(number: f64) -> String {
    let text = number.to_string();
    let (whole, rest) = text
        .split_once('.')
        .map_or((text.as_str(), String::new()), |(whole, rest)| (whole, format!(".{rest}")));
    let digits = whole.trim_start_matches('-');
    let grouped: String = digits
        .chars()
        .enumerate()
        .flat_map(|(at, digit)| {
            let comma = at > 0 && (digits.len() - at).is_multiple_of(3);
            comma.then_some(',').into_iter().chain([digit])
        })
        .collect();
    format!("{}{grouped}{rest}", if number < 0.0 { "-" } else { "" })
}

/// Returns a comment of as many lines as the text needs.
pub(crate) fn comment(text: &str, indent: &str) -> String {
    if indent.len() + text.len() + 7 <= WIDTH {
        return format!("{indent}/** {text} */\n");
    }
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if indent.len() + 4 + line.len() + word.len() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    let body: String = lines.iter().map(|line| format!("{indent} * {line}\n")).collect();
    format!("{indent}/**\n{body}{indent} */\n")
}
