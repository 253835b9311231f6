//! JSON as models write it: fenced, amid prose, with a comma too many, cut off, with keys by other names.

use serde_json::Value;

/// Deeper nesting is not what was asked for.
const DEEPEST: usize = 64;

/// The first object or list in a text that `read` can make something of.
///
/// From each opening bracket it is tried as it stands; then without comments, trailing commas and Python's words, with
/// single quotes made double, and closed where it was cut off.
pub fn find<T>(text: &str, read: impl Fn(&Value) -> Option<T>) -> Option<T> {
    let starts = text.match_indices(['{', '[']).map(|(at, _)| at);
    // What comes after a thinking model's thoughts is meant.
    let body = text.rfind("</think>").map_or(0, |at| at + "</think>".len());
    for start in starts.filter(|at| *at >= body).take(MOST_STARTS) {
        let candidate = text.get(start..)?;
        let strict = serde_json::Deserializer::from_str(candidate).into_iter::<Value>().next();
        let found = match strict {
            Some(Ok(value)) => read(&value),
            _ => mended(candidate).and_then(|json| read(&serde_json::from_str(&json).ok()?)),
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// More opening brackets than this are prose or an attack.
const MOST_STARTS: usize = 16;

/// Rewrites what begins at an opening bracket up to its end as strict JSON.
fn mended(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut open: Vec<char> = Vec::new();
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' | '\'' | '“' => {
                let closing = if letter == '“' { '”' } else { letter };
                out.push('"');
                let mut escaped = false;
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
                        _ if inner == closing => break,
                        '"' => out.push_str("\\\""),
                        '\n' => out.push_str("\\n"),
                        '\r' => {}
                        '\t' => out.push_str("\\t"),
                        _ if inner.is_control() => {}
                        _ => out.push(inner),
                    }
                }
                out.push('"');
            }
            '{' | '[' => {
                if open.len() == DEEPEST {
                    return None;
                }
                open.push(if letter == '{' { '}' } else { ']' });
                out.push(letter);
            }
            '}' | ']' => {
                trim_comma(&mut out);
                // A bracket that closes another than the last: the model forgot to close that one.
                while let Some(expected) = open.pop() {
                    out.push(expected);
                    if expected == letter {
                        break;
                    }
                }
                if open.is_empty() {
                    return Some(out);
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
                match text.get(at..end)? {
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
    // Cut off: what is open is closed. A key without its value goes.
    let mut closed = out.trim_end().to_owned();
    trim_comma(&mut closed);
    if closed.ends_with(':') {
        closed.push_str("null");
    }
    if open.last() == Some(&'}') && ends_in_key(&closed) {
        closed.push_str(":null");
    }
    closed.extend(open.iter().rev());
    Some(closed)
}

fn trim_comma(out: &mut String) {
    let kept = out.trim_end();
    out.truncate(kept.strip_suffix(',').unwrap_or(kept).len());
}

/// Whether an object's text ends in a string that is a key: one that follows its brace or a comma.
fn ends_in_key(out: &str) -> bool {
    let Some(inside) = out.strip_suffix('"') else { return false };
    let quote = inside.char_indices().rev().find(|(at, letter)| {
        *letter == '"' && !inside.get(..*at).is_some_and(|before| before.ends_with('\\'))
    });
    let Some((quote, _)) = quote else { return false };
    out.get(..quote).is_some_and(|before| before.trim_end().ends_with(['{', ',']))
}

/// The field of an object that goes by one of these names, however it is cased or joined. The first name that is there
/// counts, and of an object in a single field, as in `{"result": {…}}`, the inner one is looked at as well.
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

/// A text, or a number or bool as one.
pub fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bool(bool) => bool.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// Texts: a list of them, of objects that hold one, or a single one. What is not a text is left out.
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

/// Yes or no, also in words.
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

/// A number, also in a text.
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
    fn json_is_found_however_a_model_wraps_it() {
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
    fn json_that_was_cut_off_is_closed() {
        assert_eq!(any(r#"{"a": ["x", "y"#), Some(json!({ "a": ["x", "y"] })));
        assert_eq!(any(r#"{"a": "x", "b"#), Some(json!({ "a": "x", "b": null })));
        assert_eq!(any(r#"{"a": "x", "b":"#), Some(json!({ "a": "x", "b": null })));
        assert_eq!(any(r#"{"a": "x","#), Some(json!({ "a": "x" })));
    }

    #[test]
    fn prose_without_json_holds_none() {
        for text in ["", "No.", "{", "{}", "see []", &"[".repeat(100_000)] {
            assert_eq!(any(text), None, "{}", &text[..text.len().min(20)]);
        }
    }

    #[test]
    fn a_field_goes_by_any_of_its_names() {
        let reply = json!({ "result": { "Sub_Questions": ["a", { "question": "b" }, 3, null] } });
        let found = field(&reply, &["queries", "subQuestions"]).map(texts);
        assert_eq!(found, Some(vec!["a".into(), "b".into(), "3".into()]));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic_and_strict_json_is_read_as_it_is(text in "\\PC{0,80}", key in "[a-z]{1,8}", value in "\\PC{0,20}") {
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
