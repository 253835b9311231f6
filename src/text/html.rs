//! HTML to the text a reader sees, with its blocks. Tokenised by html5gum, which follows the WHATWG standard;
//! what stands in `<main>` is taken where there is one, scripts, styles and navigation never are.

use super::block::{Block, Kind, Structure};
use crate::text::terms::is_blank;
use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Token, Tokenizer};

/// Elements whose contents are not for reading.
const SKIPPED: [&[u8]; 12] = [
    b"script",
    b"style",
    b"template",
    b"noscript",
    b"svg",
    b"nav",
    b"head",
    b"button",
    b"select",
    b"iframe",
    b"object",
    b"math",
];

const NEVER_TEXT: &[&[u8]] = &[b"script", b"style", b"template"];

/// Extracts the readable text of an HTML source.
pub(super) fn extract(source: &str) -> Structure {
    let found = read(source, Reader { main_only: has_main(source), ..Reader::default() });
    if is_blank(&found.text) {
        // A <nav> that is never closed, or a <main> in a comment: better too much than nothing.
        return read(source, Reader { scripts_only: true, ..Reader::default() });
    }
    found
}

fn read(source: &str, mut reader: Reader) -> Structure {
    let mut emitter: DefaultEmitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    for token in Tokenizer::new_with_emitter(source, emitter) {
        let Ok(token) = token; // reading from a string cannot fail
        match token {
            Token::StartTag(tag) => reader.open(&tag.name, tag.self_closing),
            Token::EndTag(tag) => reader.close(&tag.name),
            Token::String(text) => reader.text(&String::from_utf8_lossy(&text)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    reader.finish()
}

fn has_main(source: &str) -> bool {
    let bytes = source.as_bytes();
    bytes.windows(6).any(|window| {
        window.get(..5).is_some_and(|tag| tag.eq_ignore_ascii_case(b"<main"))
            && window.last().is_some_and(|end| matches!(end, b'>' | b' ' | b'\n' | b'\t' | b'\r'))
    })
}

#[derive(Default)]
struct Reader {
    structure: Structure,
    main_only: bool,
    /// Skip nothing but what is never text.
    scripts_only: bool,
    in_main: usize,
    /// Skipped elements open around here.
    skipping: Vec<Vec<u8>>,
    in_title: bool,
    preformatted: usize,
    heading: Option<u8>,
    /// The block being written: its text, and whether its lines matter.
    line: String,
    lines: bool,
}

impl Reader {
    fn open(&mut self, name: &[u8], self_closing: bool) {
        match name {
            b"title" if self.skipping.last().is_none_or(|open| open == b"head") => self.in_title = true,
            b"main" => self.in_main += 1,
            _ if self.skips(name) && !self_closing => {
                self.break_block();
                self.skipping.push(name.to_vec());
            }
            b"body" if !self.skipping.is_empty() => self.skipping.clear(), // a <head> whose end tag was left out
            _ if !self.skipping.is_empty() => {}
            b"br" => self.line.push('\n'),
            b"pre" => {
                self.break_block();
                self.preformatted += 1;
                self.lines = true;
            }
            b"tr" => self.row(),
            b"td" | b"th" if !self.line.is_empty() && !self.line.ends_with(['\n', ' ']) => {
                self.line.push_str(" | ");
            }
            b"li" => {
                self.break_block();
                self.line.push_str("- ");
                self.lines = true;
            }
            _ if is_block(name) => {
                let bullet = self.line == "- "; // <li><p>: the item's own paragraph
                if !bullet {
                    self.break_block();
                }
                self.heading = heading_level(name);
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &[u8]) {
        match name {
            b"title" => self.in_title = false,
            b"main" => {
                self.break_block();
                self.in_main = self.in_main.saturating_sub(1);
            }
            _ if self.skipping.iter().any(|open| open == name) => {
                let at = self.skipping.iter().rposition(|open| open == name).unwrap_or(0);
                self.skipping.truncate(at); // with what was left open inside
            }
            _ if !self.skipping.is_empty() => {}
            b"pre" => {
                self.break_block();
                self.preformatted = self.preformatted.saturating_sub(1);
            }
            b"li" => self.break_block(),
            _ if is_block(name) => self.break_block(),
            _ => {}
        }
    }

    fn skips(&self, name: &[u8]) -> bool {
        let kinds = if self.scripts_only { NEVER_TEXT } else { &SKIPPED[..] };
        kinds.contains(&name)
    }

    fn row(&mut self) {
        self.lines = true;
        if !self.line.is_empty() {
            self.line.push('\n');
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_title {
            self.structure.title.get_or_insert_default().push_str(text);
        } else if self.skipping.is_empty() && (!self.main_only || self.in_main > 0) {
            if self.preformatted > 0 {
                self.line.push_str(text);
            } else {
                self.collapse(text);
            }
        }
    }

    /// Runs of white space become one space, as a browser shows them.
    fn collapse(&mut self, text: &str) {
        for letter in text.chars() {
            if !letter.is_whitespace() || letter == '\u{a0}' {
                self.line.push(if letter == '\u{a0}' { ' ' } else { letter });
            } else if !self.line.is_empty() && !self.line.ends_with([' ', '\n']) {
                self.line.push(' ');
            }
        }
    }

    fn break_block(&mut self) {
        let line = std::mem::take(&mut self.line);
        let lines = std::mem::take(&mut self.lines) || self.preformatted > 0;
        let heading = self.heading.take();
        // Code keeps the indentation of its first line.
        let text = if self.preformatted > 0 { line.trim_end().trim_start_matches('\n') } else { line.trim() };
        if text.trim_matches(['-', ' ', '\n', '|']).is_empty() {
            return;
        }
        let out = &mut self.structure.text;
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        let start = out.len();
        out.push_str(text);
        let span = start..out.len();
        let kind = match heading {
            Some(level) => Kind::Heading { level, title: text.to_owned() },
            None if lines => Kind::Lines,
            None => Kind::Paragraph,
        };
        self.structure.blocks.push(Block { kind, span });
    }

    fn finish(mut self) -> Structure {
        self.break_block();
        self.structure.title = self
            .structure
            .title
            .map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "))
            .filter(|t| !t.is_empty());
        self.structure
    }
}

fn heading_level(name: &[u8]) -> Option<u8> {
    match name {
        [b'h', level @ b'1'..=b'6'] => Some(level - b'0'),
        _ => None,
    }
}

fn is_block(name: &[u8]) -> bool {
    const BLOCKS: [&[u8]; 28] = [
        b"address",
        b"article",
        b"aside",
        b"blockquote",
        b"body",
        b"caption",
        b"dd",
        b"details",
        b"div",
        b"dl",
        b"dt",
        b"fieldset",
        b"figcaption",
        b"figure",
        b"footer",
        b"form",
        b"header",
        b"hr",
        b"main",
        b"ol",
        b"p",
        b"section",
        b"summary",
        b"table",
        b"tbody",
        b"thead",
        b"ul",
        b"html",
    ];
    heading_level(name).is_some() || BLOCKS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_reader_sees_is_kept() {
        let html = "<html><head><title>A &amp; B</title><style>p{}</style></head><body><nav>Menu</nav>\
            <main><h2>One <code>x</code></h2><p>Text\n  with <em>marks</em>.<script>evil('</p>')</script></p>\
            <ul><li>first</li><li><p>second</p></li></ul><pre>  a\n\n  b\n</pre></main><footer>Foot</footer></body></html>";
        let found = extract(html);
        assert_eq!(found.title.as_deref(), Some("A & B"));
        assert_eq!(found.text, "One x\n\nText with marks.\n\n- first\n\n- second\n\n  a\n\n  b");
        assert_eq!(found.blocks[0].kind, Kind::Heading { level: 2, title: "One x".into() });
        assert_eq!(&found.text[found.blocks[4].span.clone()], "  a\n\n  b");
    }

    #[test]
    fn a_table_keeps_its_rows() {
        let found =
            extract("<table><tr><th>Part</th><th>Price</th></tr><tr><td>Bolt</td><td>2</td></tr></table>");
        assert_eq!(found.text, "Part | Price\nBolt | 2");
    }

    #[test]
    fn what_was_never_closed_does_not_swallow_the_rest() {
        assert_eq!(extract("<nav><svg></nav><p>one").text, "one");
        assert_eq!(extract("<button>press<p>two").text, "press\n\ntwo");
        assert_eq!(extract("<!-- <main> --><p>three").text, "three");
    }

    #[test]
    fn broken_html_still_yields_its_words() {
        assert_eq!(extract("<p>one<div>two</p></div><b>three").text, "one\n\ntwo\n\nthree");
    }
}
