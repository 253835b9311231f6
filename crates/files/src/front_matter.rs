//! YAML front matter, parsed event by event. Aliases are refused: they could expand to billions of values.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};
use vademecum_protocol::document::NEVER_SEND;
use vademecum_protocol::error::excerpt;
use vademecum_util::within::Within;

/// Maximum size of a front matter in bytes.
const MAX_BYTES: usize = 64 << 10;
/// Lines of a front matter without an end that are looked at.
const MAX_LINES: usize = 1_000;
/// Maximum number of values.
const MAX_VALUES: usize = 5_000;
/// Maximum depth of lists and maps.
const MAX_DEPTH: usize = 32;

/// The fields of a text's front matter.
#[derive(Debug, Default)]
pub(crate) struct Front {
    /// The fields; empty if there are none, or if they cannot be read, but for a field that keeps the document on the device.
    pub(crate) fields: Map<String, Value>,
    /// Where the text behind it begins, in bytes.
    pub(crate) end: usize,
    /// Why it cannot be read.
    pub(crate) fault: Option<String>,
}

impl Front {
    /// A front matter that cannot be read. If it says anything about sending, the document is never sent: what it says is not known.
    fn unread(yaml: &str, end: usize, fault: &str) -> Self {
        let is_private = yaml.contains(NEVER_SEND);
        let fields = is_private.then(|| (NEVER_SEND.to_owned(), Value::from(true))).into_iter().collect();
        Self { fields, end, fault: Some(excerpt(fault, 120)) }
    }
}

/// Parses the front matter of a text: the lines between `---` in the first line and the next `---` or `...`.
pub(crate) fn front(text: &str) -> Front {
    let Some(inner) = text.split_inclusive('\n').next().filter(|line| line.trim_end() == "---") else {
        return Front::default();
    };
    let inner = text.within(inner.len()..);
    let begin = text.len() - inner.len();
    let Some(length) = length(inner) else {
        // A rule, and not the mark of a front matter, unless it says what no text would.
        let is_field = |line: &str| line.trim_start_matches(['"', '\'']).starts_with(NEVER_SEND);
        let head = inner.lines().take(MAX_LINES).any(is_field).then_some(NEVER_SEND);
        return head.map_or_else(Front::default, |head| Front::unread(head, 0, "it has no end"));
    };
    let yaml = inner.within(..length);
    let mark = inner.within(length..).split_inclusive('\n').next().map_or(0, str::len);
    let end = begin + length + mark;
    if yaml.len() > MAX_BYTES {
        return Front::unread(yaml, end, &format!("it has more than {} KB", MAX_BYTES >> 10));
    }
    match parsed(yaml) {
        Ok(Value::Object(fields)) => Front { fields, end, fault: None },
        Ok(Value::Null) => Front { end, ..Front::default() },
        Ok(_) if yaml.contains(NEVER_SEND) => Front::unread(yaml, end, "it is no list of fields"),
        // A rule, and not the mark of a front matter.
        Ok(_) => Front::default(),
        Err(fault) => Front::unread(yaml, end, &fault),
    }
}

/// Returns where a front matter ends, before the mark; none without a mark.
fn length(inner: &str) -> Option<usize> {
    let mut at = 0;
    for line in inner.split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// A list or a map that is being read.
enum Open {
    List(Vec<Value>),
    Map(Map<String, Value>, Option<String>),
}

impl Open {
    fn add(&mut self, value: Value) {
        match self {
            Self::List(items) => items.push(value),
            Self::Map(fields, name) => match name.take() {
                Some(name) => {
                    fields.insert(name, value);
                }
                None => *name = Some(vademecum_protocol::document::shown(&value)),
            },
        }
    }
}

fn parsed(yaml: &str) -> Result<Value, String> {
    let mut open: Vec<Open> = Vec::new();
    let mut values = 0;
    for event in Parser::new_from_str(yaml) {
        let (event, _) = event.map_err(|error| error.to_string())?;
        let ended = match event {
            Event::Scalar(text, style, ..) => Some(scalar(&text, style == ScalarStyle::Plain)),
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                None
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(Map::new(), None));
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(|ended| match ended {
                Open::List(items) => Value::Array(items),
                Open::Map(fields, _) => Value::Object(fields),
            }),
            Event::Alias(_) => return Err("it uses an alias".into()),
            _ => None,
        };
        values += 1;
        if values > MAX_VALUES || open.len() > MAX_DEPTH {
            return Err("it is too large".into());
        }
        if let Some(value) = ended {
            match open.last_mut() {
                Some(outer) => outer.add(value),
                None => return Ok(value),
            }
        }
    }
    Ok(Value::Null)
}

/// Returns the value of a scalar by YAML's core schema. Dates stay texts, written by ISO 8601.
fn scalar(text: &str, is_plain: bool) -> Value {
    if !is_plain {
        return text.into();
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return true.into(),
        "false" | "False" | "FALSE" => return false.into(),
        _ => {}
    }
    let is_numeric = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    if let Some(whole) = text.parse::<i64>().ok().filter(|_| is_numeric) {
        return whole.into();
    }
    if let Some(number) = text.parse().ok().filter(|_| is_numeric).and_then(Number::from_f64) {
        return Value::Number(number);
    }
    iso(text).unwrap_or_else(|| text.to_owned()).into()
}

/// Writes `2024-05-06 07:08:09 +0200` as `2024-05-06T07:08:09+02:00`; none for anything else.
fn iso(text: &str) -> Option<String> {
    let (day, rest) = text.split_once(' ')?;
    let is_of = |text: &str, shape: &str| {
        text.len() == shape.len()
            && text
                .bytes()
                .zip(shape.bytes())
                .all(|(byte, wanted)| if wanted == b'0' { byte.is_ascii_digit() } else { byte == wanted })
    };
    let (time, zone) = rest.split_once(' ').unwrap_or((rest, ""));
    if !is_of(day, "0000-00-00") || !(is_of(time, "00:00:00") || is_of(time, "00:00")) {
        return None;
    }
    let digits = zone.trim_start_matches(['+', '-']);
    let zone = match digits.split_at_checked(2) {
        Some((hours, minutes)) if is_of(digits, "0000") => {
            format!("{}{hours}:{minutes}", zone.get(..1).unwrap_or_default())
        }
        _ => zone.to_owned(),
    };
    Some(format!("{day}T{time}{zone}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fields(yaml: &str) -> Value {
        Value::Object(front(&format!("---\n{yaml}\n---\nText.")).fields)
    }

    #[test]
    fn scalars_have_the_types_of_the_core_schema() {
        let read = fields(
            "a: 1\nb: 1.5\nc: '1'\nd: yes\ne: ~\nf: true\ng: 1e3\nh: 12:30\ni: inf\nnested: {x: [1, {y: z}]}",
        );
        assert_eq!(
            read,
            json!({ "a": 1, "b": 1.5, "c": "1", "d": "yes", "e": null, "f": true, "g": 1000.0, "h": "12:30", "i": "inf",
                    "nested": { "x": [1, { "y": "z" }] } })
        );
    }

    #[test]
    fn times_are_written_by_iso_8601() {
        let read = fields(
            "a: 2024-05-06 07:08:09 +0200\nb: 2024-05-06\nc: 2024-05-06 07:08\nd: 2024-05-06T07:08:09Z",
        );
        assert_eq!(
            read,
            json!({ "a": "2024-05-06T07:08:09+02:00", "b": "2024-05-06", "c": "2024-05-06T07:08", "d": "2024-05-06T07:08:09Z" })
        );
    }

    #[test]
    fn aliases_and_great_depth_are_refused() {
        let laughs = "---\na: &a [x]\nb: [*a, *a]\n---\n";
        assert_eq!(front(laughs).fault.as_deref(), Some("it uses an alias"));
        let deep = format!("---\na: {}\n---\n", "[".repeat(100));
        assert!(front(&deep).fault.is_some());
    }

    #[test]
    fn a_front_matter_that_cannot_be_read_and_speaks_of_sending_keeps_the_document_on_the_device() {
        let large = format!("a: {}\nneverSend: true", "x".repeat(MAX_BYTES));
        let faults = [
            ("tags: [sea\nneverSend: true", "illegal"),
            ("a: &a x\nb: *a\nneverSend: true", "alias"),
            (large.as_str(), "64 KB"),
            ("neverSend true", "fields"),
        ];
        for (yaml, expected) in faults {
            let read = front(&format!("---\n{yaml}\n---\nText."));
            assert_eq!(Value::Object(read.fields), json!({ "neverSend": true }), "{expected}");
            let fault = read.fault.unwrap();
            assert!(fault.contains(expected), "{fault}");
        }
        let open = front("---\nneverSend: true\n\nText.");
        assert_eq!((open.fields["neverSend"].clone(), open.end), (json!(true), 0));
        assert!(open.fault.is_some());
        let harmless = front(&format!("---\na: {}\n---\nText.", "x".repeat(MAX_BYTES)));
        assert!(harmless.fields.is_empty() && harmless.fault.is_some());
        assert!(front("---\nText about neverSend.\n").fields.is_empty());
    }

    #[test]
    fn a_rule_in_the_first_line_is_no_front_matter() {
        for text in ["---\nText.", "---\njust words\n---\n", "Text.\n---\na: 1\n---\n", ""] {
            let read = front(text);
            assert!(read.fields.is_empty() && read.fault.is_none() && read.end == 0, "{text}");
        }
        assert_eq!(front("---\n---\nText.").end, 8);
    }
}
