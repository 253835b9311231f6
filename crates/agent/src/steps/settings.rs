//! Names with their values in files of settings (YAML, TOML, INI), and the comments beside them.

use super::named_values::{MAX_DEPTH, MAX_NAME, MAX_TITLE, MIN_FIELDS, NamedValue};
use std::ops::Range;
use vademecum_text::block::lines;
use vademecum_util::within::Within;

/// Share of the lines that may have other forms, as a divisor.
const OTHERS: usize = 5;
/// Number of texts that name an item.
const TITLES: usize = 2;

/// A field, a comment or another line of a file of settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) value: NamedValue,
    pub(super) is_field: bool,
}

/// A name whose fields are indented below it, or an item of a list.
struct Scope {
    indent: usize,
    name: String,
    /// The number of the list's item.
    item: Option<usize>,
}

/// The form of a line.
enum Form<'a> {
    Comment,
    Section(&'a str),
    Name(&'a str),
    Field(&'a str),
}

/// Returns the fields and comments of a text that is a file of settings, or a piece of one: with names that are indented or below
/// sections. `None` for another text.
pub(super) fn of_settings(text: &str) -> Option<Vec<Setting>> {
    if text.contains("```") || text.contains("~~~") {
        return None;
    }
    let mut read = Reading::default();
    for (at, line) in lines(text) {
        match line.trim() {
            "" => read.ends_apart = true,
            "---" | "..." => {}
            content => {
                read.line(at + (line.len() - line.trim_start().len()), line, content);
                read.ends_apart = false;
            }
        }
    }
    let Reading { mut found, items_of, items, written, others, is_nested, .. } = read;
    for (setting, own) in found.iter_mut().zip(items_of) {
        setting.value.path.extend(own.into_iter().filter_map(|item| items.get(item)).flatten().cloned());
    }
    let fields = found.iter().filter(|one| one.is_field).count();
    (is_nested && fields >= MIN_FIELDS && others * OTHERS <= written).then_some(found)
}

/// State of the reading of a file, line by line.
#[derive(Default)]
struct Reading {
    found: Vec<Setting>,
    /// Per element of `found`: the items of lists that contain it, by number.
    items_of: Vec<Vec<usize>>,
    scopes: Vec<Scope>,
    /// Per item: the texts of its first fields, which tell it from the others.
    items: Vec<Vec<String>>,
    /// Numbers of lines with text, and of those of other forms.
    written: usize,
    others: usize,
    /// Whether a field lies below a name.
    is_nested: bool,
    /// Whether a blank line was read last.
    ends_apart: bool,
}

impl Reading {
    /// Reads a line, whose `content` begins at `at`.
    fn line(&mut self, at: usize, line: &str, content: &str) {
        self.written += 1;
        // Indentation counts from 1, because 0 is that of a section.
        let mut indent = 1 + line.len() - line.trim_start().len();
        let mut bare = content;
        let is_item = content.starts_with("- ");
        if let Some(rest) = content.strip_prefix("- ") {
            self.scopes
                .retain(|scope| scope.indent < indent || scope.indent == indent && scope.item.is_none());
            bare = rest.trim_start();
            indent += content.len() - bare.len();
            if matches!(form(bare), Some(Form::Field(_) | Form::Name(_))) {
                self.scopes.push(Scope {
                    indent: indent - 1,
                    name: String::new(),
                    item: Some(self.items.len()),
                });
                self.items.push(Vec::new());
            }
        } else {
            self.scopes.retain(|scope| scope.indent < indent);
        }
        let start = at + (content.len() - bare.len());
        let bytes = start..start + bare.len();
        let is_below = self.scopes.iter().any(|scope| !scope.name.is_empty());
        match form(bare) {
            Some(Form::Section(name)) if !is_item => {
                self.scopes.clear();
                self.scopes.push(Scope { indent: 0, name: name.to_owned(), item: None });
            }
            Some(Form::Name(name)) if self.scopes.len() < MAX_DEPTH => {
                self.scopes.push(Scope { indent, name: name.to_owned(), item: None });
            }
            Some(Form::Field(value)) => {
                self.is_nested |= is_below;
                self.push(bytes, true);
                let own = self.scopes.last().and_then(|scope| self.items.get_mut(scope.item?));
                let value = value.trim_matches(['"', '\'', ' ']);
                if let Some(own) = own.filter(|own| own.len() < TITLES && is_title(value)) {
                    own.push(value.to_owned());
                }
            }
            Some(Form::Comment) if !is_item => {
                let marks = bare.len() - bare.trim_start_matches(['#', ';', ' ']).len();
                self.text(bytes.start + marks..bytes.end, bare.within(marks..));
            }
            _ if is_item && is_below && !bare.ends_with(['.', '?', '!', ':']) => self.push(bytes, true),
            _ => {
                self.others += 1;
                self.text(bytes, bare);
            }
        }
    }

    /// Adds a comment or another line, to the one before if it continues it.
    fn text(&mut self, bytes: Range<usize>, said: &str) {
        if said.is_empty() {
            return;
        }
        let continues = said.starts_with(char::is_lowercase) && !self.ends_apart;
        match self.found.last_mut().filter(|last| !last.is_field && continues) {
            Some(last) => last.value.bytes.end = bytes.end,
            None => self.push(bytes, false),
        }
    }

    fn push(&mut self, bytes: Range<usize>, is_field: bool) {
        let names = self.scopes.iter().map(|scope| scope.name.clone()).filter(|name| !name.is_empty());
        let path = names.collect();
        self.items_of.push(self.scopes.iter().filter_map(|scope| scope.item).collect());
        self.found.push(Setting { value: NamedValue { bytes, path }, is_field });
    }
}

/// Returns whether a value may name what its fields are of.
fn is_title(value: &str) -> bool {
    value.len() <= MAX_TITLE
        && value.starts_with(char::is_alphabetic)
        && !["true", "false", "null"].contains(&value)
}

/// Tells the form of a line; `None` for another one.
fn form(line: &str) -> Option<Form<'_>> {
    if line.starts_with(['#', ';']) {
        return Some(Form::Comment);
    }
    if let Some(section) = line.strip_prefix('[') {
        let (name, rest) = section.trim_start_matches('[').split_once(']')?;
        let rest = rest.trim_start_matches(']').trim();
        let is_name = !name.is_empty()
            && name.chars().all(|letter| letter.is_alphanumeric() || " _-.\":".contains(letter));
        return (is_name && (rest.is_empty() || rest.starts_with(['#', ';']))).then_some(Form::Section(name));
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
    let is_block = value.starts_with(['|', '>']) && value.len() <= 2;
    let has_none = value.is_empty() || value.starts_with('#') || is_block;
    Some(if has_none { Form::Name(bare) } else { Form::Field(value) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Vec<String> {
        let said = |one: Setting| {
            let mark = if one.is_field { "" } else { "!" };
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
                "!: Of the tide gauges.",
                ": version: 3",
                "server: port: 8080 # open",
                "!server.tls: renewed by hand\n    # each May",
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
    fn every_line_is_in_a_part_or_names_others() {
        let text = "note: |\n  The gauge is cleaned each May.\njobs:\n  - [a]\n  - [b]\n  end: 3\nhosts:\n- name: heron\n  disks:\n  - id: root\n    size: 30\n";
        assert_eq!(
            settings(text),
            [
                "!note: The gauge is cleaned each May.",
                "jobs: [a]",
                "jobs: [b]",
                "jobs: end: 3",
                "hosts.heron: name: heron",
                "hosts.disks.heron.root: id: root",
                "hosts.disks.heron.root: size: 30",
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
                "!: of the printer",
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
            "# Packing\n\nBring these:\n\n- a rope of 20 metres. It must be dry.\n- a lamp,\n  with oil\n- a map\n- Bread: two loaves\n- Wine: red\n- a tent",
            "[Ann] I will bring the keys on Friday.\n[Ben] Good, the code is 4711.\nTopic: keys\nPlace: barn",
            "We met at nine.\n  Note: bring a rope.\n  And: a lamp.\nThen we left, all of us.",
            "",
        ] {
            assert_eq!(settings(text), Vec::<String>::new(), "{text}");
        }
    }
}
