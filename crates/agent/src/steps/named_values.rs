//! Names with their values, each a line of a head or a field of JSON: "From: Ruth Okafor", `"timeout": 30`.

use std::ops::Range;
use vademecum_util::within::Within;

/// Maximum length of a name, in bytes.
pub(super) const MAX_NAME: usize = 40;
/// Maximum length of the value of a line, in bytes.
const MAX_VALUE: usize = 200;
/// Share of a text that its fields make up at least if it is JSON, as a divisor.
const MOST_OF: usize = 2;
/// Minimum number of fields of JSON or settings.
pub(super) const MIN_FIELDS: usize = 2;
/// Maximum length of a text that names an object, in bytes.
pub(super) const MAX_TITLE: usize = 60;
/// Maximum depth of objects whose names are kept.
pub(super) const MAX_DEPTH: usize = 16;

/// A name with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedValue {
    pub(super) bytes: Range<usize>,
    /// The names of the objects that it lies in, the outermost first.
    pub(super) path: Vec<String>,
}

/// Splits a line such as "From: Ruth Okafor" into its name and its value; a line that ends as a sentence does is none.
pub(super) fn field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(": ")?;
    let value = value.trim();
    let is_name = (2..=MAX_NAME).contains(&name.len())
        && name.starts_with(char::is_alphabetic)
        && name.chars().all(|letter| letter.is_alphanumeric() || " -_/()".contains(letter))
        && name.split(' ').count() <= 4;
    let is_value =
        !value.is_empty() && value.len() <= MAX_VALUE && !value.ends_with(['.', '?', '!', ':', ',']);
    (is_name && is_value).then_some((name, value))
}

/// Returns whether a line is a name and its value, perhaps with marks around the name: "**Venue:** the hall".
pub(super) fn is_labelled(line: &str) -> bool {
    match line.strip_prefix("**").and_then(|bare| bare.split_once("**")) {
        Some((name, value)) => {
            (name.ends_with(':') || value.starts_with(':')) && field(&format!("{name}{value}")).is_some()
        }
        None => field(line).is_some(),
    }
}

/// Returns the fields of a text that is JSON, or a piece of it: names with texts, numbers, or lists of these. `None` for another text.
pub(super) fn of_json(text: &str) -> Option<Vec<NamedValue>> {
    if !text.contains("\":") {
        return None;
    }
    let (mut found, mut path): (Vec<NamedValue>, Vec<Place>) = (Vec::new(), Vec::new());
    // The first text of each object of a list, which tells it from the others; and of each field, its object.
    let (mut titles, mut owners): (Vec<Option<String>>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(letter) = text.within(at..).chars().next() {
        match letter {
            '{' if path.len() < MAX_DEPTH && path.last().is_some_and(Place::is_list) => {
                path.push(Place::Object(titles.len()));
                titles.push(None);
            }
            '{' | '[' if path.len() < MAX_DEPTH => path.push(Place::Unnamed { is_list: letter == '[' }),
            '}' | ']' => {
                path.pop();
            }
            '"' => {
                // A quotation mark that no name follows may be the end of a text whose beginning lies in another passage.
                if let Some((name, value_at)) = named(text, at) {
                    if let Some(end) = value(text, value_at) {
                        let owner = path.iter().rev().find_map(Place::object);
                        let title = owner.and_then(|owner| titles.get_mut(owner));
                        if let Some(title) = title.filter(|title| title.is_none()) {
                            let told = text.within(value_at..end).trim_matches('"');
                            *title = is_title(text.within(value_at..end)).then(|| told.to_owned());
                        }
                        owners.push(owner);
                        let path = path.iter().filter_map(Place::name).collect();
                        found.push(NamedValue { bytes: at..end, path });
                        at = end;
                        continue;
                    }
                    let opening = text.within(value_at..).chars().next();
                    if let Some('{' | '[') = opening
                        && path.len() < MAX_DEPTH
                    {
                        path.push(Place::Named { name: name.to_owned(), is_list: opening == Some('[') });
                        at = value_at + 1;
                        continue;
                    }
                }
            }
            _ => {}
        }
        at += letter.len_utf8();
    }
    for (field, owner) in found.iter_mut().zip(owners) {
        field.path.extend(owner.and_then(|owner| titles.get(owner)).into_iter().flatten().cloned());
    }
    let covered: usize = found.iter().map(|one| one.bytes.len()).sum();
    let written = text.split_whitespace().map(str::len).sum::<usize>();
    (found.len() >= MIN_FIELDS && covered * MOST_OF >= written).then_some(found)
}

/// Returns whether a value is a text that may name its object: short, with a word that is no code, such as "L-0411".
fn is_title(value: &str) -> bool {
    let is_word = |word: &str| {
        word.chars().filter(|letter| letter.is_alphabetic()).count() > 1
            && !word.contains(|letter: char| letter.is_ascii_digit())
    };
    value.starts_with('"') && value.len() <= MAX_TITLE && value.split_whitespace().any(is_word)
}

/// What a field lies in.
enum Place {
    Unnamed {
        is_list: bool,
    },
    Named {
        name: String,
        is_list: bool,
    },
    /// An object of a list, by its number.
    Object(usize),
}

impl Place {
    fn is_list(&self) -> bool {
        matches!(self, Self::Unnamed { is_list: true } | Self::Named { is_list: true, .. })
    }

    fn name(&self) -> Option<String> {
        if let Self::Named { name, .. } = self { Some(name.clone()) } else { None }
    }

    fn object(&self) -> Option<usize> {
        if let Self::Object(number) = self { Some(*number) } else { None }
    }
}

/// Returns the name that begins at a quotation mark, and where its value begins.
fn named(text: &str, at: usize) -> Option<(&str, usize)> {
    let end = quoted(text, at)?;
    let name = text.get(at + 1..end - 1)?;
    let behind = text.within(end..);
    let colon = behind.find(|letter: char| !letter.is_whitespace())?;
    let rest = behind.within(colon..).strip_prefix(':')?;
    let space = rest.len() - rest.trim_start().len();
    (name.len() <= MAX_NAME && !name.contains([',', '{', '}'])).then_some((name, end + colon + 1 + space))
}

/// Returns the end of a text in quotation marks.
fn quoted(text: &str, at: usize) -> Option<usize> {
    let mut escaped = false;
    for (place, letter) in text.within(at + 1..).char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at + 1 + place + 1),
            _ => {}
        }
    }
    None
}

/// Returns the end of a text, a number, a literal, or a list of these.
fn value(text: &str, at: usize) -> Option<usize> {
    let rest = text.within(at..);
    if rest.starts_with('"') {
        return quoted(text, at);
    }
    if rest.starts_with('[') {
        let end = rest.find(']')?;
        return (!rest.within(..end).contains('{')).then_some(at + end + 1);
    }
    let length =
        rest.find(|letter: char| ",}]".contains(letter) || letter.is_whitespace()).unwrap_or(rest.len());
    let is_value = length > 0
        && rest.within(..length).chars().all(|letter| letter.is_alphanumeric() || "+-.".contains(letter));
    is_value.then_some(at + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Vec<String> {
        let said = |one: NamedValue| format!("{} {}", one.path.join("."), text.within(one.bytes));
        of_json(text).unwrap_or_default().into_iter().map(said).collect()
    }

    #[test]
    fn minified_json_has_fields_with_the_names_around_them() {
        let text = r#"{"name":"main server","server":{"timeout":30,"hosts":["a b","c"],"tls":{"key file":"/etc/k"}},"debug":false}"#;
        assert_eq!(
            fields(text),
            [
                r#" "name":"main server""#,
                r#"server "timeout":30"#,
                r#"server "hosts":["a b","c"]"#,
                r#"server.tls "key file":"/etc/k""#,
                r#" "debug":false"#,
            ]
        );
    }

    #[test]
    fn a_piece_of_json_has_its_whole_fields() {
        let piece = r#"minutes":90,"start":"06:30","zones":["a","b"],"valve":"Hunter PGV"},"to":{"who":"Il"#;
        assert_eq!(
            fields(piece),
            [r#" "start":"06:30""#, r#" "zones":["a","b"]"#, r#" "valve":"Hunter PGV""#]
        );
        assert_eq!(fields("{\n  \"port\": 80,\n  \"host\": \"a\"\n}"), [r#" "port": 80"#, r#" "host": "a""#]);
    }

    #[test]
    fn fields_of_the_objects_of_a_list_have_the_first_text_of_their_object() {
        let text = r#"{"recipes":[{"id":4,"title":"Dal","from":"Meera","stove":{"minutes":25}},{"title":"Rye","tags":["a"]}],"by":"Ann"}"#;
        assert_eq!(
            fields(text),
            [
                r#"recipes.Dal "id":4"#,
                r#"recipes.Dal "title":"Dal""#,
                r#"recipes.Dal "from":"Meera""#,
                r#"recipes.stove.Dal "minutes":25"#,
                r#"recipes.Rye "title":"Rye""#,
                r#"recipes.Rye "tags":["a"]"#,
                r#" "by":"Ann""#,
            ]
        );
    }

    #[test]
    fn prose_and_code_are_no_json() {
        assert_eq!(
            of_json(
                "He said \"yes\": it was late. She said \"no\": it was early, and they left for the sea."
            ),
            None
        );
        assert_eq!(of_json("let a = 1;"), None);
    }

    #[test]
    fn a_line_with_a_name_and_a_value_is_a_field() {
        assert_eq!(field("From: Ruth Okafor <r@x.example>"), Some(("From", "Ruth Okafor <r@x.example>")));
        assert_eq!(field("Max. load (kg): 12"), None);
        assert_eq!(field("Gross weight (kg): 12"), Some(("Gross weight (kg)", "12")));
        for line in
            ["Q: May I?", "Note: this is a sentence.", "https://x.example/a", "Bring this:", "It is late"]
        {
            assert_eq!(field(line), None, "{line}");
        }
    }
}
