//! The HTML reader. Tokenised by html5gum, which follows the WHATWG standard. Only the contents of `<main>`
//! are read, if there is one; scripts, styles and navigation are skipped.

use super::super::block::{Block, Kind, Link, MAX_HEADING_BYTES, Structure, link_target};
use super::events::{self, Sink};
use crate::terms::is_blank;
use std::ops::Range;
use vademecum_util::within::Within;

/// Elements whose contents are skipped.
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

/// Extracts the plain text and the blocks of an HTML source.
pub(super) fn extract(source: &str) -> Structure {
    let found = read(source, Reader { main_only: has_main(source), ..Reader::default() });
    if is_blank(&found.text) {
        // A `<nav>` that is never closed, or a `<main>` in a comment: rather too much text than none.
        return read(source, Reader { scripts_only: true, ..Reader::default() });
    }
    found
}

fn read(source: &str, mut reader: Reader) -> Structure {
    events::read(source, &mut reader);
    reader.finish()
}

/// Returns whether a source has a `<main>`: only tags are looked at, which are few.
fn has_main(source: &str) -> bool {
    source.split('<').skip(1).any(|tag| {
        let Some((name, rest)) = tag.as_bytes().split_at_checked(4) else { return false };
        name.eq_ignore_ascii_case(b"main")
            && matches!(rest.first(), Some(b'>' | b' ' | b'\n' | b'\t' | b'\r'))
    })
}

#[derive(Default)]
struct Reader {
    structure: Structure,
    main_only: bool,
    /// Skip only [`NEVER_TEXT`].
    scripts_only: bool,
    in_main: usize,
    skipping: Skipping,
    in_title: bool,
    preformatted: usize,
    /// Whether the current preformatted block is code.
    is_code: bool,
    heading: Option<u8>,
    /// The current block: its text, and whether line breaks are significant.
    line: String,
    lines: bool,
    table: Table,
    /// The links of the current block, by bytes of `line`, and the open one.
    links: Vec<Link>,
    link: Option<Link>,
}

/// The open skipped elements, as indexes into [`SKIPPED`], outermost first, and their number per name.
#[derive(Default)]
struct Skipping {
    open: Vec<usize>,
    count: [usize; SKIPPED.len()],
}

impl Skipping {
    fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    fn in_head_alone(&self) -> bool {
        self.open.last().is_none_or(|last| SKIPPED.get(*last) == Some(&&b"head"[..]))
    }

    fn open(&mut self, name: &[u8]) {
        let kind = SKIPPED.iter().position(|skipped| *skipped == name);
        if let Some((kind, count)) = kind.and_then(|kind| Some((kind, self.count.get_mut(kind)?))) {
            self.open.push(kind);
            *count += 1;
        }
    }

    /// Closes the innermost element of that name and everything left open inside it. Returns whether there
    /// was one.
    fn close(&mut self, name: &[u8]) -> bool {
        let kind = SKIPPED.iter().position(|skipped| *skipped == name);
        let Some(kind) = kind.filter(|kind| self.count.get(*kind).is_some_and(|count| *count > 0)) else {
            return false;
        };
        while let Some(last) = self.open.pop() {
            self.count.get_mut(last).into_iter().for_each(|count| *count -= 1);
            if last == kind {
                break;
            }
        }
        true
    }
}

/// The current table, up to its header.
#[derive(Default)]
struct Table {
    in_cell: bool,
    /// Number of cells in the current row.
    cells: usize,
    /// The end of the first row in `line`, once the second has begun.
    header: Option<usize>,
    /// Whether the first row consists of header cells only.
    headed: Option<bool>,
}

impl Sink for Reader {
    fn open(&mut self, name: &[u8], href: Option<&[u8]>, self_closing: bool) {
        match name {
            b"title" if self.skipping.in_head_alone() => self.in_title = true,
            b"main" => self.in_main += 1,
            _ if self.skips(name) && !self_closing => {
                self.break_block();
                self.skipping.open(name);
            }
            b"body" if !self.skipping.is_empty() => self.skipping = Skipping::default(), // an unclosed <head>
            _ if !self.skipping.is_empty() => {}
            b"br" if self.table.in_cell => self.collapse(" "),
            b"br" => self.line.push('\n'),
            b"a" => {
                self.end_link();
                let target = href.and_then(|href| link_target(&String::from_utf8_lossy(href)));
                let at = self.line.len();
                self.link = target.filter(|_| self.is_read()).map(|target| Link { at: at..at, target });
            }
            b"pre" => {
                self.break_block();
                self.preformatted += 1;
                self.lines = true;
            }
            b"code" if self.preformatted > 0 => self.is_code = true,
            b"tr" => self.row(),
            b"td" | b"th" => self.cell(name == b"th"),
            b"thead" | b"tbody" | b"tfoot" => {}
            b"li" => {
                self.break_block();
                self.line.push_str("- ");
                self.lines = true;
            }
            // The lines of code may be elements of their own.
            _ if is_block(name) && self.is_code => self.next_line(),
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
            _ if self.skipping.close(name) || !self.skipping.is_empty() => {}
            b"a" => self.end_link(),
            b"pre" => {
                self.break_block();
                self.preformatted = self.preformatted.saturating_sub(1);
                self.is_code &= self.preformatted > 0;
            }
            b"td" | b"th" => self.table.in_cell = false,
            b"li" => self.break_block(),
            _ if is_block(name) && self.is_code => self.next_line(),
            _ if is_block(name) => self.break_block(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_title {
            self.structure.title.get_or_insert_default().push_str(text);
        } else if self.is_read() {
            if self.preformatted > 0 {
                self.line.push_str(text);
            } else {
                self.collapse(text);
            }
        }
    }
}

impl Reader {
    fn skips(&self, name: &[u8]) -> bool {
        let kinds = if self.scripts_only { NEVER_TEXT } else { &SKIPPED[..] };
        kinds.contains(&name)
    }

    /// Returns whether text at this point is kept.
    fn is_read(&self) -> bool {
        self.skipping.is_empty() && (!self.main_only || self.in_main > 0)
    }

    fn next_line(&mut self) {
        if !self.line.is_empty() && !self.line.ends_with('\n') {
            self.line.push('\n');
        }
    }

    fn row(&mut self) {
        self.lines = true;
        self.table.cells = 0;
        self.table.in_cell = false;
        let end = self.line.trim_end_matches(' ').len();
        self.line.truncate(end);
        if !self.line.is_empty() {
            self.table.header.get_or_insert(end);
            self.line.push('\n');
        }
    }

    fn cell(&mut self, of_header: bool) {
        if self.table.cells > 0 && !self.line.is_empty() {
            let end = self.line.trim_end_matches(' ').len();
            self.line.truncate(end);
            self.line.push_str(" | ");
        }
        self.table.in_cell = true;
        self.table.cells += 1;
        if self.table.header.is_none() {
            self.table.headed = Some(of_header && self.table.headed != Some(false));
        }
    }

    fn end_link(&mut self) {
        if let Some(mut link) = self.link.take() {
            link.at.end = self.line.len();
            self.links.push(link);
        }
    }

    /// Collapses white space, as browsers do.
    fn collapse(&mut self, text: &str) {
        let mut rest = text;
        loop {
            let plain = rest.bytes().position(|byte| byte <= b' ' || !byte.is_ascii()).unwrap_or(rest.len());
            let (word, after) = rest.split_at(plain);
            self.line.push_str(word);
            let Some(letter) = after.chars().next() else { return };
            if !letter.is_whitespace() {
                self.line.push(letter);
            } else if letter == '\u{a0}' || (!self.line.is_empty() && !self.line.ends_with([' ', '\n'])) {
                self.line.push(' ');
            }
            rest = after.within(letter.len_utf8()..);
        }
    }

    fn break_block(&mut self) {
        self.end_link();
        let line = std::mem::take(&mut self.line);
        let lines = std::mem::take(&mut self.lines) || self.preformatted > 0;
        let heading = self.heading.take();
        let is_code = self.is_code && self.preformatted > 0;
        let links = std::mem::take(&mut self.links);
        let table = std::mem::take(&mut self.table);
        // Code keeps the indentation of its first line.
        let text = if self.preformatted > 0 { line.trim_end().trim_start_matches('\n') } else { line.trim() };
        let out = &mut self.structure.text;
        if text.trim_matches(['-', ' ', '\n', '|']).is_empty() {
            let at = out.len();
            self.structure.links.extend(links.into_iter().map(|link| Link { at: at..at, ..link }));
            return;
        }
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        let span = out.len();
        // As in Markdown, so that code can be told from prose.
        let fence = fence(text).filter(|_| is_code);
        fence.iter().for_each(|fence| out.extend([fence, "\n"]));
        let start = out.len();
        out.push_str(text);
        fence.iter().for_each(|fence| out.extend(["\n", fence]));
        let span = span..out.len();
        let before = line.len()
            - line
                .trim_start_matches(if self.preformatted > 0 { is_line_end } else { char::is_whitespace })
                .len();
        let place = |at: usize| start + at.saturating_sub(before).min(text.len());
        let placed = |at: Range<usize>| place(at.start)..place(at.end);
        self.structure.links.extend(links.into_iter().map(|link| Link { at: placed(link.at), ..link }));
        let kind = match (heading, table.header.filter(|_| table.headed == Some(true))) {
            (Some(level), _) if text.len() <= MAX_HEADING_BYTES => {
                Kind::Heading { level, title: text.to_owned() }
            }
            (_, Some(header)) if lines && place(header) > start => {
                Kind::Table { header: start..place(header) }
            }
            _ if self.preformatted > 0 => Kind::Code,
            _ if lines => Kind::Lines,
            _ => Kind::Paragraph,
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

/// Returns a code fence that a text does not contain; `None` if there is none of usual length.
fn fence(text: &str) -> Option<&'static str> {
    ["```", "````", "`````"].into_iter().find(|fence| !text.contains(fence))
}

fn is_line_end(letter: char) -> bool {
    letter == '\n'
}

fn heading_level(name: &[u8]) -> Option<u8> {
    match name {
        [b'h', level @ b'1'..=b'6'] => Some(level - b'0'),
        _ => None,
    }
}

fn is_block(name: &[u8]) -> bool {
    const BLOCKS: [&[u8]; 26] = [
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
        b"ul",
        b"html",
    ];
    heading_level(name).is_some() || BLOCKS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_visible_text_is_kept() {
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
    fn code_is_fenced_and_other_preformatted_text_is_not() {
        let found = extract(
            "<p>Run:</p><pre><code class='sh'>make <a href='t.html'>test</a>\n\n  make\n</code></pre><p>Done.</p>",
        );
        assert_eq!(found.text, "Run:\n\n```\nmake test\n\n  make\n```\n\nDone.");
        assert_eq!(found.blocks[1].kind, Kind::Code);
        assert_eq!(&found.text[found.blocks[1].span.clone()], "```\nmake test\n\n  make\n```");
        assert_eq!(&found.text[found.links[0].at.clone()], "test");
        assert_eq!(extract("<pre><code>a</code></pre><pre>A poem</pre>").text, "```\na\n```\n\nA poem");
        assert_eq!(extract("<pre><code><div>a</div><div>  b</div></code></pre>").text, "```\na\n  b\n```");
        assert_eq!(extract("<p><code>a</code></p><pre>A poem</pre>").text, "a\n\nA poem");
        assert_eq!(extract("<pre><code>a ``` b</code></pre>").text, "````\na ``` b\n````");
    }

    #[test]
    fn a_table_keeps_its_rows() {
        let found =
            extract("<table><tr><th>Part</th><th>Price</th></tr><tr><td>Bolt</td><td>2</td></tr></table>");
        assert_eq!(found.text, "Part | Price\nBolt | 2");
    }

    #[test]
    fn unclosed_elements_do_not_hide_the_rest() {
        assert_eq!(extract("<nav><svg></nav><p>one").text, "one");
        assert_eq!(extract("<button>press<p>two").text, "press\n\ntwo");
        assert_eq!(extract("<!-- <main> --><p>three").text, "three");
    }

    #[test]
    fn broken_html_still_yields_its_text() {
        assert_eq!(extract("<p>one<div>two</p></div><b>three").text, "one\n\ntwo\n\nthree");
    }

    #[test]
    fn header_rows_are_found_in_any_layout() {
        let html = "<p>Parts</p><table>\n <thead>\n <tr>\n <th> Part </th>\n <th>Price</th>\n </tr>\n </thead>\n <tbody>\n\
            <tr>\n<td>Bolt<br>M6</td>\n<td></td><td>2</td></tr></tbody></table><p>End</p>";
        let found = extract(html);
        assert_eq!(found.text, "Parts\n\nPart | Price\nBolt M6 | | 2\n\nEnd");
        let Kind::Table { header } = &found.blocks[1].kind else { panic!("a table") };
        assert_eq!(&found.text[header.clone()], "Part | Price");
        let plain = extract("<table><tr><td>a</td></tr><tr><td>b</td></tr></table>");
        assert_eq!(plain.blocks[0].kind, Kind::Lines);
    }

    #[test]
    fn a_link_has_the_position_of_its_text() {
        let html = "<nav><a href='menu.html'>Menu</a></nav><p> See <a href='b.html?x=1&amp;y#z'> the page</a>, <a href='#top'>up</a></p>\
            <a href=/c><p>whole</p></a><p><a href='mailto:a@b.org'>mail</a>";
        let found = extract(html);
        let links: Vec<_> =
            found.links.iter().map(|link| (&found.text[link.at.clone()], link.target.as_str())).collect();
        assert_eq!(links, [("the page", "b.html?x=1&y#z"), ("", "/c")]);
    }
}
