//! Names with their values in files of settings (YAML, TOML, INI), and the comments beside them.

use super::named_values::NamedValue;
use std::ops::Range;
use vademecum_text::block::lines;
use vademecum_util::within::Within;

/// Maximum length of a name, in bytes.
const MAX_NAME: usize = 40;
/// Maximum depth whose names are kept.
const MAX_DEPTH: usize = 16;
/// Minimum number of fields.
const MIN_FIELDS: usize = 2;
/// Of so many lines with text, one may be of another form.
const OTHERS: usize = 5;

/// A field or a comment of a file of settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) value: NamedValue,
    pub(super) is_comment: bool,
}

/// A name whose fields are indented below it, or an item of a list.
struct Scope {
    indent: usize,
    name: String,
    /// The number of the list's item.
    item: Option<usize>,
}

/// What a line is.
enum Line<'a> {
    Comment,
    Section(&'a str),
    Name(&'a str),
    Field(&'a str),
    /// A value of a list, below its name.
    Value,
}

/// Returns the fields and comments of a text that is a file of settings, or a piece of one: with names that are indented or below
/// sections. `None` for another text.
pub(super) fn of_settings(text: &str) -> Option<Vec<Setting>> {
    if text.contains("```") || text.contains("~~~") {
        return None;
    }
    let (mut found, mut scopes): (Vec<Setting>, Vec<Scope>) = (Vec::new(), Vec::new());
    // Per item of a list: the texts of its first fields, which tell the items apart.
    let mut items: Vec<Vec<String>> = Vec::new();
    let mut item_of: Vec<Option<usize>> = Vec::new();
    let (mut written, mut others, mut is_nested) = (0, 0, false);
    for (at, line) in lines(text) {
        let content = line.trim();
        if content.is_empty() {
            continue;
        }
        written += 1;
        // One more, so that a section is above all.
        let mut indent = 1 + line.len() - line.trim_start().len();
        let mut bare = content;
        if let Some(rest) = content.strip_prefix("- ") {
            scopes.retain(|scope| scope.indent < indent || scope.indent == indent && scope.item.is_none());
            bare = rest.trim_start();
            indent += content.len() - bare.len();
            if matches!(read(bare), Some(Line::Field(..) | Line::Name(_))) {
                scopes.push(Scope { indent: indent - 1, name: String::new(), item: Some(items.len()) });
                items.push(Vec::new());
            }
        } else {
            scopes.retain(|scope| scope.indent < indent);
        }
        let start = at + (line.len() - line.trim_start().len()) + (content.len() - bare.len());
        let bytes = start..start + bare.len();
        let read = if bare.len() < content.len() { read(bare).or(Some(Line::Value)) } else { read(bare) };
        match read {
            Some(Line::Comment) => {
                let continues = bare.trim_start_matches(['#', ';', ' ']).starts_with(char::is_lowercase);
                match found.last_mut().filter(|last| last.is_comment && continues) {
                    Some(last) => last.value.bytes.end = bytes.end,
                    None => push(&mut found, &mut item_of, &scopes, bytes, true),
                }
            }
            Some(Line::Section(name)) => {
                is_nested = true;
                scopes.clear();
                scopes.push(Scope { indent: 0, name: name.to_owned(), item: None });
            }
            Some(Line::Name(name)) if scopes.len() < MAX_DEPTH => {
                scopes.push(Scope { indent, name: name.to_owned(), item: None });
            }
            Some(Line::Field(value)) => {
                is_nested |= indent > 1;
                push(&mut found, &mut item_of, &scopes, bytes, false);
                let own = scopes.last().and_then(|scope| items.get_mut(scope.item?));
                let value = value.trim_matches(['"', '\'', ' ']);
                if let Some(own) = own.filter(|own| own.len() < 2 && is_text(value)) {
                    own.push(value.to_owned());
                }
            }
            Some(Line::Value) => push(&mut found, &mut item_of, &scopes, bytes, false),
            _ => others += 1,
        }
    }
    for (setting, item) in found.iter_mut().zip(item_of) {
        let own = item.and_then(|item| items.get(item)).into_iter().flatten();
        setting.value.path.extend(own.cloned());
    }
    let fields = found.iter().filter(|one| !one.is_comment).count();
    (is_nested && fields >= MIN_FIELDS && others * OTHERS <= written).then_some(found)
}

fn push(
    found: &mut Vec<Setting>,
    item_of: &mut Vec<Option<usize>>,
    scopes: &[Scope],
    bytes: Range<usize>,
    is_comment: bool,
) {
    let names = scopes.iter().map(|scope| scope.name.clone()).filter(|name| !name.is_empty());
    item_of.push(scopes.iter().rev().find_map(|scope| scope.item));
    found.push(Setting { value: NamedValue { bytes, path: names.collect() }, is_comment });
}

/// Returns whether a value may name what its fields are of.
fn is_text(value: &str) -> bool {
    value.starts_with(char::is_alphabetic) && !["true", "false", "null"].contains(&value)
}

/// Tells what a line is; `None` for one of another form.
fn read(line: &str) -> Option<Line<'_>> {
    if line.starts_with(['#', ';']) {
        return Some(Line::Comment);
    }
    if let Some(section) = line.strip_prefix('[') {
        let name = section.trim_start_matches('[').split(']').next()?;
        let is_name = !name.is_empty()
            && name.chars().all(|letter| letter.is_alphanumeric() || " _-.\":".contains(letter));
        return is_name.then_some(Line::Section(name));
    }
    let end = line.find([':', '='])?;
    let (name, value) = (line.within(..end).trim(), line.within(end + 1..));
    let bare = name.trim_matches(['"', '\'']);
    let is_name = (1..=MAX_NAME).contains(&bare.len())
        && bare.chars().all(|letter| letter.is_alphanumeric() || "_-./".contains(letter));
    let is_apart = value.is_empty() || value.starts_with(' ') || line.within(end..).starts_with('=');
    if !is_name || !is_apart {
        return None;
    }
    let value = value.trim();
    let has_none = value.is_empty() || value.starts_with('#') || ["|", ">", "|-", ">-"].contains(&value);
    Some(if has_none { Line::Name(bare) } else { Line::Field(value) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Vec<String> {
        let said = |one: Setting| {
            let mark = if one.is_comment { "!" } else { "" };
            format!("{mark}{}: {}", one.value.path.join("."), text.within(one.value.bytes))
        };
        of_settings(text).unwrap_or_default().into_iter().map(said).collect()
    }

    #[test]
    fn yaml_has_fields_with_the_names_that_they_are_indented_below() {
        let text = "# Of the tide gauges.\nversion: 3\nserver:\n  port: 8080 # open\n  tls:\n    # renewed by hand\n    # each May\n    key: /etc/k\nhosts:\n  - name: heron\n    address: 10.0.0.2\n    tags: [a, b]\n  - name: vole\n    user: mia\n    address: 10.0.0.3\nwarn:\n  - one@a.example\n  - two@a.example\n";
        assert_eq!(
            settings(text),
            [
                "!: # Of the tide gauges.",
                ": version: 3",
                "server: port: 8080 # open",
                "!server.tls: # renewed by hand\n    # each May",
                "server.tls: key: /etc/k",
                "hosts.heron: name: heron",
                "hosts.heron: address: 10.0.0.2",
                "hosts.heron: tags: [a, b]",
                "hosts.vole.mia: name: vole",
                "hosts.vole.mia: user: mia",
                "hosts.vole.mia: address: 10.0.0.3",
                "warn: one@a.example",
                "warn: two@a.example",
            ]
        );
    }

    #[test]
    fn ini_and_toml_have_fields_below_their_sections() {
        let text =
            "; of the printer\nspeed = 3\n[paper.tray]\nsize=A4\nweight = \"80 g\"\n[[job]]\nname = \"x\"\n";
        assert_eq!(
            settings(text),
            [
                "!: ; of the printer",
                ": speed = 3",
                "paper.tray: size=A4",
                "paper.tray: weight = \"80 g\"",
                "job: name = \"x\"",
            ]
        );
    }

    #[test]
    fn prose_heads_and_code_are_no_settings() {
        for text in [
            "From: Ruth\nTo: Paul\nSubject: Boiler\n\nDear Paul,\n  the boiler is fixed.",
            "# Contact\n\nPhone: 0113 496 0771\nMail: port@ghent.example",
            "```yaml\na:\n  b: 1\n  c: 2\n```",
            "We met at nine.\n  Note: bring a rope.\n  And: a lamp.\nThen we left, all of us.",
            "",
        ] {
            assert_eq!(settings(text), Vec::<String>::new(), "{text}");
        }
    }
}
