//! Parses JSON as models write it: fenced, within prose, with trailing commas, truncated, or with alternative keys.

use super::thoughts::after_thoughts;
use serde_json::Value;
use std::ops::Range;
use vademecum_util::within::Within;

/// Maximum nesting depth.
const MAX_DEPTH: usize = 64;

/// Maximum number of bytes read in search of JSON, counting repeated reads; a reply that needs more is an attack.
const MAX_READ: usize = 4 << 20;
/// The cost of a try at a bracket, in bytes.
const TRY_COST: usize = 256;
/// Number of bytes at the end of a reply that are always searched.
const TAIL: usize = 16 << 10;

/// Returns the first object in a text that `read` accepts, or else the first such list. A list of bare numbers within other text
/// is a citation and ignored.
///
/// Every opening bracket is tried as strict JSON first, and then with comments and trailing commas removed, Python literals and
/// single quotes converted, and truncated JSON closed.
pub fn find<T>(text: &str, read: impl Fn(&Value) -> Option<T>) -> Option<T> {
    // The reply is what follows the thoughts of a reasoning model.
    let body = after_thoughts(text);
    let (all_read, found) = find_in(body, &read);
    if found.is_some() || all_read {
        return found;
    }
    let last = body.ceil_char_boundary(body.len().saturating_sub(TAIL));
    find_in(body.get(last..)?, &read).1
}

/// Works as [`find`]; also returns whether the whole text was read.
fn find_in<T>(text: &str, read: &impl Fn(&Value) -> Option<T>) -> (bool, Option<T>) {
    let mut left = MAX_READ;
    let mut lists: Vec<(Range<usize>, Value)> = Vec::new();
    let mut from = 0;
    while let Some(start) = next_bracket(text, from) {
        from = start + 1;
        let Some(candidate) = text.get(start..).filter(|_| left > 0) else { break };
        let (taken, value) = value_at(candidate);
        left = left.saturating_sub(taken + TRY_COST);
        match value {
            Some(list @ Value::Array(_)) => {
                let range = start..start + taken;
                from = range.end;
                if !is_citation(&list, text, &range) {
                    lists.push((range, list));
                }
            }
            Some(object) => {
                if let Some(found) = read(&object) {
                    return (true, Some(found));
                }
            }
            None => {}
        }
    }
    if let Some(found) = lists.iter().find_map(|(_, list)| read(list)) {
        return (true, Some(found));
    }
    // An object wrapped in a list.
    let items = lists.iter().filter_map(|(_, list)| list.as_array()).flatten();
    let found = items.filter(|item| item.is_object() || item.is_array()).find_map(read);
    (left > 0, found)
}

fn next_bracket(text: &str, from: usize) -> Option<usize> {
    text.get(from..)?.find(['{', '[']).map(|at| from + at)
}

/// Parses the value at an opening bracket; also returns the number of bytes read.
fn value_at(candidate: &str) -> (usize, Option<Value>) {
    let mut strict = serde_json::Deserializer::from_str(candidate).into_iter::<Value>();
    match strict.next() {
        Some(Ok(value)) => (strict.byte_offset(), Some(value)),
        _ => repaired(candidate),
    }
}

/// Returns whether this is `[1]` or `[2, 3]` within other text.
fn is_citation(list: &Value, text: &str, range: &Range<usize>) -> bool {
    let bare = list.as_array().is_some_and(|items| items.iter().all(Value::is_number));
    let around = [text.get(..range.start), text.get(range.end..)];
    let is_fence = |text: &str| text.trim().trim_matches('`').trim_start_matches("json").trim().is_empty();
    bare && !around.into_iter().flatten().all(is_fence)
}

/// Parses the value at an opening bracket after rewriting it as strict JSON; also returns how far it read.
///
/// A truncated string is dropped with its key: half a question is a different question.
fn repaired(text: &str) -> (usize, Option<Value>) {
    let mut rewritten = Rewritten::default();
    let read = rewritten.take(text);
    let parsed = |json: String| serde_json::from_str::<Value>(&json).ok();
    match read {
        Ok(end) if rewritten.open.is_empty() => (end, parsed(rewritten.out)),
        Ok(end) => (end, parsed(rewritten.closed()).filter(holds_something)),
        Err(too_deep) => (too_deep, None),
    }
}

/// Returns whether a value contains anything besides objects and lists.
fn holds_something(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.values().any(holds_something),
        Value::Array(items) => items.iter().any(holds_something),
        _ => true,
    }
}

/// The rewriter's output and state.
#[derive(Default)]
struct Rewritten {
    out: String,
    /// The brackets to close.
    open: Vec<char>,
    /// Where a truncated string begins.
    cut: Option<usize>,
}

impl Rewritten {
    /// Rewrites a text up to the bracket that closes its first one, and returns how far that is. The error is how far it read
    /// until the nesting was too deep.
    fn take(&mut self, text: &str) -> Result<usize, usize> {
        let (out, open) = (&mut self.out, &mut self.open);
        let mut letters = text.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' | '\'' | '“' => {
                    let closing = if letter == '“' { '”' } else { letter };
                    let begun = out.len();
                    out.push('"');
                    let (mut escaped, mut is_closed) = (false, false);
                    for (_, inner) in letters.by_ref() {
                        match inner {
                            _ if escaped => {
                                match inner {
                                    '\'' => {}
                                    '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u' => out.push('\\'),
                                    _ => out.push_str("\\\\"),
                                }
                                out.push(inner);
                                escaped = false;
                            }
                            '\\' => escaped = true,
                            _ if inner == closing => {
                                is_closed = true;
                                break;
                            }
                            '"' => out.push_str("\\\""),
                            '\n' => out.push_str("\\n"),
                            '\r' => {}
                            '\t' => out.push_str("\\t"),
                            _ if inner.is_control() => {}
                            _ => out.push(inner),
                        }
                    }
                    out.push('"');
                    self.cut = (!is_closed).then_some(begun);
                }
                '{' | '[' => {
                    if open.len() == MAX_DEPTH {
                        return Err(at);
                    }
                    open.push(if letter == '{' { '}' } else { ']' });
                    out.push(letter);
                }
                '}' | ']' => {
                    trim_comma(out);
                    // Closes brackets that the model forgot.
                    while let Some(expected) = open.pop() {
                        out.push(expected);
                        if expected == letter {
                            break;
                        }
                    }
                    if open.is_empty() {
                        return Ok(at + 1);
                    }
                }
                '/' if letters.peek().is_some_and(|(_, next)| *next == '/') => {
                    while letters.next_if(|(_, next)| *next != '\n').is_some() {}
                }
                _ if letter.is_alphabetic() || letter == '_' => {
                    let mut end = at + letter.len_utf8();
                    while let Some((next, more)) =
                        letters.next_if(|(_, next)| next.is_alphanumeric() || *next == '_')
                    {
                        end = next + more.len_utf8();
                    }
                    match text.within(at..end) {
                        word @ ("true" | "false" | "null") => out.push_str(word),
                        "True" => out.push_str("true"),
                        "False" => out.push_str("false"),
                        "None" | "undefined" | "NaN" => out.push_str("null"),
                        key => {
                            out.push('"');
                            out.push_str(key);
                            out.push('"');
                        }
                    }
                }
                _ => out.push(letter),
            }
        }
        Ok(text.len())
    }

    /// Returns truncated output with its brackets closed and without an incomplete string.
    fn closed(&self) -> String {
        let mut closed =
            self.cut.and_then(|at| self.out.get(..at)).unwrap_or(&self.out).trim_end().to_owned();
        trim_comma(&mut closed);
        if closed.ends_with(':') {
            match key_before(&closed).filter(|_| self.cut.is_some()) {
                Some(key) => {
                    closed.truncate(key);
                    trim_comma(&mut closed);
                }
                None => closed.push_str("null"),
            }
        }
        if self.open.last() == Some(&'}') && ends_in_key(&closed) {
            closed.push_str(":null");
        }
        closed.extend(self.open.iter().rev());
        closed
    }
}

fn trim_comma(out: &mut String) {
    let kept = out.trim_end();
    out.truncate(kept.strip_suffix(',').unwrap_or(kept).len());
}

/// Returns whether the text of an object ends in a key: a string after its brace or a comma.
fn ends_in_key(out: &str) -> bool {
    let before = last_string(out).and_then(|quote| out.get(..quote));
    before.is_some_and(|before| before.trim_end().ends_with(['{', ',']))
}

/// Returns where the key begins whose colon ends a text.
fn key_before(out: &str) -> Option<usize> {
    last_string(out.strip_suffix(':')?.trim_end())
}

/// Returns where the string begins that ends a text.
fn last_string(out: &str) -> Option<usize> {
    let inside = out.strip_suffix('"')?;
    let quote = inside.char_indices().rev().find(|(at, letter)| {
        *letter == '"' && !inside.get(..*at).is_some_and(|before| before.ends_with('\\'))
    });
    quote.map(|(at, _)| at)
}

/// Returns the field of an object with one of these names, ignoring case and separators; earlier names take precedence. Looks
/// into an object in a single field too, as in `{"result": {…}}`.
pub fn field<'a>(value: &'a Value, names: &[&str]) -> Option<&'a Value> {
    let object = value.as_object()?;
    let own = names.iter().find_map(|name| {
        let (_, value) = object.iter().find(|(key, _)| plain(key) == plain(name))?;
        Some(value)
    });
    own.or_else(|| match object.iter().next() {
        Some((_, inner)) if object.len() == 1 && inner.is_object() => field(inner, names),
        _ => None,
    })
}

fn plain(key: &str) -> String {
    key.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns a string, number or boolean as text; `None` if empty.
pub fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bool(bool) => bool.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// Returns a list of texts: of strings, of objects that contain one, or of a single one. Other values are skipped.
pub fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => {
            let named = ["question", "query", "text", "name", "value", "term"];
            let named = named
                .iter()
                .find_map(|name| fields.get(*name))
                .or_else(|| fields.values().find(|v| v.is_string()));
            named.and_then(text).into_iter().collect()
        }
        one => text(one).into_iter().collect(),
    }
}

/// Parses a boolean, also in words.
pub fn yes(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(yes) => Some(*yes),
        Value::Number(number) => Some(number.as_f64()? != 0.0),
        Value::String(word) => match word.trim().trim_end_matches('.').to_lowercase().as_str() {
            "true" | "yes" | "y" | "1" => Some(true),
            "false" | "no" | "n" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// Parses a number, also in a string.
pub fn number(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn any(text: &str) -> Option<Value> {
        let is_empty = |value: &Value| match value {
            Value::Object(fields) => fields.is_empty(),
            value => value.as_array().is_none_or(Vec::is_empty),
        };
        find(text, |value| (!is_empty(value)).then(|| value.clone()))
    }

    #[test]
    fn json_is_found_in_any_wrapping() {
        let wanted = json!({ "a": ["x", "y"], "b": true });
        for text in [
            r#"{"a": ["x", "y"], "b": true}"#,
            "```json\n{\"a\": [\"x\", \"y\"], \"b\": true}\n```",
            r#"Sure! Here you are: {"a": ["x", "y"], "b": true} Anything else?"#,
            r#"{"a": ["x", "y",], "b": true,}"#,
            r#"{'a': ['x', 'y'], 'b': True}"#,
            r#"{a: ["x", "y"], b: true}"#,
            "{\"a\": [\"x\", // the first\n\"y\"], \"b\": true}",
            r#"<think>{"c": 1} perhaps</think>{"a": ["x", "y"], "b": true}"#,
        ] {
            assert_eq!(any(text), Some(wanted.clone()), "{text}");
        }
    }

    #[test]
    fn truncated_json_is_closed() {
        assert_eq!(any(r#"{"a": ["x", "y""#), Some(json!({ "a": ["x", "y"] })));
        assert_eq!(any(r#"{"a": "x", "b""#), Some(json!({ "a": "x", "b": null })));
        assert_eq!(any(r#"{"a": "x", "b":"#), Some(json!({ "a": "x", "b": null })));
        assert_eq!(any(r#"{"a": "x","#), Some(json!({ "a": "x" })));
    }

    #[test]
    fn a_truncated_string_is_dropped() {
        assert_eq!(any(r#"{"a": ["x", "y"#), Some(json!({ "a": ["x"] })));
        assert_eq!(any(r#"{"a": "x", "b"#), Some(json!({ "a": "x" })));
        assert_eq!(any(r#"{"a": true, "b \" b": "What is the noti"#), Some(json!({ "a": true })));
        assert_eq!(any(r#"[{"a": "x"}, {"a": "y"#), Some(json!([{ "a": "x" }, {}])));
        assert_eq!(any(r#"{"a": "What is the noti"#), None);
        assert_eq!(any(r#"{"a": ["What is"#), None);
    }

    #[test]
    fn brackets_in_prose_are_ignored() {
        let wanted = Some(json!({ "a": "x" }));
        for prose in
            ["As [1] and [2, 3] say: ", "The set {1, 2} of [ACME] is [open: ", &"[1] {x} [see ".repeat(200)]
        {
            assert_eq!(any(&format!("{prose}{{\"a\": \"x\"}}")), wanted, "{prose:.50}");
        }
        assert_eq!(any("[\"x\"] or rather {\"a\": \"x\"}"), wanted);
        assert_eq!(any("As [1] says: [\"x\"]"), Some(json!(["x"])));
        assert_eq!(any("As [1] says."), None);
        assert_eq!(any("```json\n[3, 1]\n```"), Some(json!([3, 1])));
        let amid_noise = format!("{}{{\"a\": \"x\"}}", "[\"x ".repeat(100_000));
        assert_eq!(any(&amid_noise), wanted, "the last brackets count");
    }

    #[test]
    fn prose_contains_no_json() {
        for text in ["", "No.", "{", "{}", "see []", &"[".repeat(100_000)] {
            assert_eq!(any(text), None, "{}", &text[..text.len().min(20)]);
        }
    }

    #[test]
    fn a_field_is_found_by_any_of_its_names() {
        let reply = json!({ "result": { "Sub_Questions": ["a", { "question": "b" }, 3, null] } });
        let found = field(&reply, &["queries", "subQuestions"]).map(texts);
        assert_eq!(found, Some(vec!["a".into(), "b".into(), "3".into()]));
    }

    proptest! {
        #[test]
        fn no_text_causes_a_panic_and_strict_json_is_unchanged(text in "\\PC{0,80}", key in "[a-z]{1,8}", value in "\\PC{0,20}") {
            let _ = any(&text);
            let object = json!({ key: value });
            prop_assert_eq!(any(&object.to_string()), Some(object.clone()));
            let written = object.to_string();
            for (cut, _) in written.char_indices() {
                let _ = any(&written[..cut]);
            }
        }
    }
}
