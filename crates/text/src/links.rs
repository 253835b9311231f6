//! Finds the links of a Markdown source: inline, autolinks, reference links and wiki links. A single pass
//! with bounded look-ahead, so that adversarial brackets take linear time.

use super::block::{Block, Kind, Link, link_target};
use std::collections::HashMap;
use std::ops::Range;
use vademecum_util::small_sort::sort_by_key;
use vademecum_util::within::Within;

/// Maximum length of a code span, in bytes.
const MAX_CODE_BYTES: usize = 1_000;

/// Returns the links in `blocks` of `text`, except in code.
pub(super) fn links(text: &str, blocks: &[Block]) -> Vec<Link> {
    let mut scan = Scan { text, found: Vec::new(), references: Vec::new(), targets: HashMap::new() };
    for block in blocks.iter().filter(|block| block.kind != Kind::Code) {
        scan.block(&block.span);
    }
    let targets = scan.targets;
    let named = scan.references.into_iter();
    scan.found
        .extend(named.filter_map(|(at, label)| Some(Link { at, target: targets.get(&label)?.clone() })));
    sort_by_key(&mut scan.found, |link| link.at.start);
    scan.found
}

struct Scan<'a> {
    text: &'a str,
    found: Vec<Link>,
    /// Reference links by label; the definition may follow later.
    references: Vec<(Range<usize>, String)>,
    targets: HashMap<String, String>,
}

impl<'a> Scan<'a> {
    fn block(&mut self, span: &Range<usize>) {
        let mut open: Vec<usize> = Vec::new();
        let mut at = span.start;
        let end = span.end;
        while let Some(mark) = self.text.as_bytes().get(at).filter(|_| at < end) {
            at = match mark {
                b'\\' => at + 2,
                b'`' => self.after_code(at, end),
                b'<' => self.angle(at, end),
                b'[' if self.rest(at, end).starts_with("[[") => self.wiki(at, end, &mut open),
                b'[' => {
                    open.push(at);
                    at + 1
                }
                b']' => open.pop().map_or(at + 1, |start| self.after_label(start, at, end)),
                _ => at + 1,
            };
        }
    }

    fn rest(&self, at: usize, end: usize) -> &'a str {
        self.text.within(at..end)
    }

    /// Returns the text from `at` to `close`, if that precedes the end of the line and all of `stops`.
    fn until(&self, at: usize, end: usize, close: char, stops: &[char]) -> Option<&'a str> {
        let rest = self.rest(at, end);
        let stop = rest.find(|letter: char| letter == close || letter == '\n' || stops.contains(&letter))?;
        let (inside, after) = rest.split_at_checked(stop)?;
        after.starts_with(close).then_some(inside)
    }

    fn link(&mut self, at: Range<usize>, written: &str) {
        let image = at.start > 0 && self.text.as_bytes().get(at.start - 1) == Some(&b'!');
        self.found.extend(link_target(written).filter(|_| !image).map(|target| Link { at, target }));
    }

    fn after_code(&self, at: usize, end: usize) -> usize {
        let marks = |text: &str| text.bytes().take_while(|byte| *byte == b'`').count();
        let count = marks(self.rest(at, end));
        let limit = end.min(at + count + MAX_CODE_BYTES);
        let mut close = at + count;
        while close < limit {
            let Some(more) = self
                .text
                .as_bytes()
                .get(close..limit)
                .and_then(|rest| rest.iter().position(|byte| *byte == b'`'))
            else {
                break;
            };
            close += more;
            let run = marks(self.rest(close, end));
            close += run;
            if run == count {
                return close;
            }
        }
        at + count
    }

    /// Reads an autolink `<https://…>`; skips other text in angle brackets.
    fn angle(&mut self, at: usize, end: usize) -> usize {
        let Some(inside) = self.until(at + 1, end, '>', &['<', ' ']) else { return at + 1 };
        let after = at + inside.len() + 2;
        if inside.contains("://") {
            self.link(at..after, inside);
        }
        after
    }

    /// Reads `[[Title]]` or `[[Title|text]]`.
    fn wiki(&mut self, at: usize, end: usize, open: &mut Vec<usize>) -> usize {
        match self.until(at + 2, end, ']', &['[']) {
            Some(inside) if self.rest(at + 2 + inside.len(), end).starts_with("]]") => {
                let after = at + inside.len() + 4;
                self.link(at..after, inside.split('|').next().unwrap_or_default());
                after
            }
            _ => {
                open.push(at);
                at + 1
            }
        }
    }

    /// Reads what follows `[label]`: a target, a definition or a second label. Returns the offset after it.
    fn after_label(&mut self, start: usize, close: usize, end: usize) -> usize {
        let after = close + 1;
        let label = self.text.within(start + 1..close);
        let rest = self.rest(after, end);
        if rest.starts_with('(') {
            let Some((target, length)) = self.inline(after + 1, end) else { return after };
            self.link(start..after + 1 + length, target);
            return after + 1 + length;
        }
        if rest.starts_with(':') && self.begins_line(start) {
            let line = rest.within(1..).split('\n').next().unwrap_or_default();
            let written = line.split_whitespace().next().unwrap_or_default();
            let written = written.trim_start_matches('<').trim_end_matches('>');
            if let (Some(name), Some(target)) = (name(label), link_target(written)) {
                self.targets.entry(name).or_insert(target);
            }
            return after;
        }
        let second = rest.starts_with('[').then(|| self.until(after + 1, end, ']', &['['])).flatten();
        let next = second.map_or(after, |second| after + second.len() + 2);
        let label = second.filter(|second| !second.is_empty()).unwrap_or(label);
        let image = start > 0 && self.text.as_bytes().get(start - 1) == Some(&b'!');
        self.references.extend(name(label).filter(|_| !image).map(|name| (start..next, name)));
        next
    }

    /// Reads `target "title")`. Returns the target and the length consumed.
    fn inline(&self, at: usize, end: usize) -> Option<(&'a str, usize)> {
        if self.rest(at, end).starts_with('<') {
            let inside = self.until(at + 1, end, '>', &['<'])?;
            let after = at + inside.len() + 2;
            let title = self.until(after, end, ')', &['[', ']'])?;
            return Some((inside, after + title.len() + 1 - at));
        }
        let mut depth = 0_usize;
        let rest = self.rest(at, end);
        let stop = rest.find(|letter: char| {
            depth += usize::from(letter == '(');
            let closes = letter == ')' && depth == 0;
            depth = depth.saturating_sub(usize::from(letter == ')'));
            closes || letter.is_whitespace() || matches!(letter, '[' | ']')
        })?;
        let (target, after) = rest.split_at_checked(stop)?;
        if after.starts_with(['[', ']']) {
            return None;
        }
        let title = self.until(at + stop, end, ')', &['[', ']'])?;
        Some((target, stop + title.len() + 1))
    }

    fn begins_line(&self, at: usize) -> bool {
        self.text.get(..at).is_some_and(|before| {
            let before = before.trim_end_matches(' ');
            before.is_empty() || before.ends_with('\n')
        })
    }
}

/// Normalises a label; `None` if it is blank or too long.
fn name(label: &str) -> Option<String> {
    const MAX_LABEL_BYTES: usize = 200;
    (label.len() <= MAX_LABEL_BYTES && !label.trim().is_empty()).then(|| label.trim().to_lowercase())
}

#[cfg(test)]
mod tests {
    use crate::structure::read;
    use vademecum_protocol::document::Format;

    fn links(text: &str) -> Vec<(String, String)> {
        let found = read(text.to_owned(), Format::Markdown).unwrap();
        found.links.into_iter().map(|link| (text[link.at].to_owned(), link.target)).collect()
    }

    fn targets(text: &str) -> Vec<String> {
        links(text).into_iter().map(|(_, target)| target).collect()
    }

    #[test]
    fn links_of_every_form_are_found_with_their_positions() {
        let text = "See [one](a.md#x \"Title\"), <https://b.org/?q=1>, [[Some Page|shown]], [three][c] and [C].\n\n[c]: ../c.md\n";
        assert_eq!(
            links(text),
            [
                ("[one](a.md#x \"Title\")", "a.md#x"),
                ("<https://b.org/?q=1>", "https://b.org/?q=1"),
                ("[[Some Page|shown]]", "Some Page"),
                ("[three][c]", "../c.md"),
                ("[C]", "../c.md"),
            ]
            .map(|(text, target)| (text.to_owned(), target.to_owned()))
        );
    }

    #[test]
    fn targets_that_are_no_documents_are_ignored() {
        let text = "[a](#here) [b](mailto:x@y.org) [c](JavaScript:f()) ![d](pic.png) [e] `[f](code.md)`\n\n    [g](code.md)\n";
        assert_eq!(targets(text), Vec::<String>::new());
    }

    #[test]
    fn brackets_in_targets_and_images_in_links_are_parsed() {
        assert_eq!(
            targets("[a](x_(y).md) [![pic](p.png)](page.md) [b](<with space.md>)"),
            ["x_(y).md", "page.md", "with space.md"]
        );
    }
}
