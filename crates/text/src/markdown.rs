//! The block structure of Markdown, as far as chunking needs it: ATX and setext headings, fenced and indented
//! code, lists, tables, paragraphs. Inline mark-up is kept, so that spans refer to the source.

use super::block::{Block, Kind, MAX_HEADING_BYTES, lines, trim};
use std::ops::Range;
use vademecum_util::within::Within;

/// Returns the blocks of a Markdown source.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut scan = Scan { text, blocks: Vec::new(), open: None, last: 0..0, fence: None, items: Vec::new() };
    let body = front_matter(text);
    for (at, line) in lines(text.within(body..)) {
        scan.line(body + at, line);
    }
    scan.close();
    scan.blocks
}

/// Returns the length of a YAML front matter, which is not part of the text.
fn front_matter(text: &str) -> usize {
    if text.lines().next().map(str::trim_end) != Some("---") {
        return 0;
    }
    let end = lines(text).skip(1).find(|(_, line)| matches!(line.trim_end(), "---" | "..."));
    end.map_or(0, |(at, line)| at + line.len())
}

struct Scan<'a> {
    text: &'a str,
    blocks: Vec<Block>,
    open: Option<(Kind, Range<usize>)>,
    /// The previous line, if it belongs to the open block.
    last: Range<usize>,
    /// The character and the length of the current code fence.
    fence: Option<(char, usize)>,
    /// The text columns of the list items that the current line may continue, outermost first.
    items: Vec<usize>,
}

impl Scan<'_> {
    fn line(&mut self, at: usize, line: &str) {
        let span = trim(self.text, at..at + line.len());
        let content = line.trim();
        let indent = line.len() - line.trim_start_matches(' ').len();
        let item = item_text(content);
        if self.fence.is_none() && !content.is_empty() && (self.open.is_none() || item.is_some()) {
            // A line with less indentation ends the item.
            self.items.retain(|column| *column <= indent);
        }
        let code = self.items.last().map_or(4, |column| column + 4);
        if let Some(fence) = self.fence {
            self.extend(Kind::Code, span);
            if fence_of(content).is_some_and(|(mark, count)| mark == fence.0 && count >= fence.1)
                && content.trim_start_matches(fence.0).is_empty()
            {
                self.fence = None;
                self.close();
            }
        } else if content.is_empty() {
            self.close();
        } else if indent >= code && !self.in_paragraph() {
            self.extend(Kind::Code, span);
        } else if let Some(fence) = fence_of(content) {
            self.close();
            self.fence = Some(fence);
            self.extend(Kind::Code, span);
        } else if let Some((level, title)) = atx_heading(content) {
            self.close();
            self.heading(level, title, span);
        } else if self.in_table() {
            if !content.contains('|') {
                self.close();
            }
            self.extend(Kind::Paragraph, span);
        } else if is_delimiter_row(content) && self.slice(&self.last).contains('|') {
            self.table(span);
        } else if let Some(level) = setext_level(content).filter(|_| self.in_paragraph()) {
            self.setext(level, span);
        } else if is_line_item(content) {
            if self.in_paragraph() {
                self.close();
            }
            self.items.extend(item.map(|text| indent + text));
            self.extend(Kind::Lines, span);
        } else {
            // A line directly after a list item continues it (lazy continuation).
            let kind = self.open.as_ref().map_or(Kind::Paragraph, |(kind, _)| kind.clone());
            self.extend(kind, span);
        }
    }

    fn in_paragraph(&self) -> bool {
        matches!(self.open, Some((Kind::Paragraph, _)))
    }

    fn in_table(&self) -> bool {
        matches!(self.open, Some((Kind::Table { .. }, _)))
    }

    fn slice(&self, span: &Range<usize>) -> &str {
        self.text.within(span.clone())
    }

    fn extend(&mut self, kind: Kind, span: Range<usize>) {
        self.last = span.clone();
        match &mut self.open {
            Some((_, open)) if !span.is_empty() => open.end = span.end,
            Some(_) => {}
            None => self.open = Some((kind, span)),
        }
    }

    fn close(&mut self) {
        self.last = 0..0;
        if let Some((kind, span)) = self.open.take().filter(|(_, span)| !span.is_empty()) {
            self.blocks.push(Block { kind, span });
        }
    }

    /// Starts a table: the previous line is its header, and the lines before are a block of their own.
    fn table(&mut self, delimiter: Range<usize>) {
        let header = self.last.clone();
        if let Some((_, open)) = &mut self.open {
            *open = trim(self.text, open.start..header.start);
        }
        self.close();
        let span = header.start..delimiter.end;
        self.extend(Kind::Table { header }, span);
    }

    fn setext(&mut self, level: u8, underline: Range<usize>) {
        if let Some((_, span)) = self.open.take() {
            let title = plain(self.slice(&span));
            self.heading(level, title, span.start..underline.end);
        }
    }

    fn heading(&mut self, level: u8, title: String, span: Range<usize>) {
        let kind =
            if span.len() > MAX_HEADING_BYTES { Kind::Paragraph } else { Kind::Heading { level, title } };
        self.items.clear();
        self.blocks.push(Block { kind, span });
    }
}

/// Returns whether a line is the delimiter row of a table: `|---|:--:|`.
fn is_delimiter_row(line: &str) -> bool {
    line.contains('|')
        && line.contains('-')
        && line.chars().all(|letter| matches!(letter, '|' | '-' | ':' | ' ' | '\t'))
}

fn fence_of(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let count = line.chars().take_while(|letter| *letter == mark).count();
    (count >= 3).then_some((mark, count))
}

fn atx_heading(line: &str) -> Option<(u8, String)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let rest = line.get(level..)?;
    let spaced = rest.is_empty() || rest.starts_with([' ', '\t']);
    let level = u8::try_from(level).ok().filter(|level| (1..=6).contains(level) && spaced)?;
    // A closing sequence must be preceded by a space: the title of "# C#" is "C#".
    let title = rest.trim();
    let bare = title.trim_end_matches('#');
    let title = if bare.is_empty() || bare.ends_with([' ', '\t']) { bare } else { title };
    Some((level, plain(title)))
}

fn setext_level(line: &str) -> Option<u8> {
    let all = |mark: char| line.chars().all(|letter| letter == mark);
    if all('=') { Some(1) } else { all('-').then_some(2) }
}

/// Returns whether a line is a list item, a quotation or a table row.
fn is_line_item(line: &str) -> bool {
    item_text(line).is_some() || line.starts_with(['|', '>'])
}

/// Returns the offset of the text of a list item after its marker.
fn item_text(line: &str) -> Option<usize> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '+']).filter(|rest| rest.starts_with([' ', '\t']))?,
        1..=9 => line.get(digits..)?.strip_prefix(['.', ')']).filter(|rest| rest.starts_with(' '))?,
        _ => return None,
    };
    let spaces = rest.len() - rest.trim_start_matches(' ').len();
    // After five or more spaces, the item begins with indented code, one column after its marker.
    Some(digits + 1 + if spaces > 4 { 1 } else { spaces.max(1) })
}

/// Strips emphasis and code marks.
fn plain(title: &str) -> String {
    title.replace(['`', '*'], "").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Vec<(&'static str, &str)> {
        blocks(text)
            .into_iter()
            .map(|block| {
                let kind = match block.kind {
                    Kind::Heading { .. } => "heading",
                    Kind::Paragraph => "paragraph",
                    Kind::Lines => "lines",
                    Kind::Code => "code",
                    Kind::Table { .. } => "table",
                };
                (kind, &text[block.span])
            })
            .collect()
    }

    #[test]
    fn headings_paragraphs_lists_and_code_are_distinguished() {
        let text = "# Top\nIntro\ngoes on.\n\n- a\n- b\n\nUnder\n-----\n```rust\n# not a heading\n\nfn f() {}\n```\nAfter.";
        assert_eq!(
            shape(text),
            [
                ("heading", "# Top"),
                ("paragraph", "Intro\ngoes on."),
                ("lines", "- a\n- b"),
                ("heading", "Under\n-----"),
                ("code", "```rust\n# not a heading\n\nfn f() {}\n```"),
                ("paragraph", "After."),
            ]
        );
    }

    #[test]
    fn a_heading_is_stripped_of_its_marks() {
        assert_eq!(atx_heading("## The `Box<T>` *type* ##"), Some((2, "The Box<T> type".into())));
        assert_eq!(atx_heading("#hashtag"), None);
        assert_eq!(atx_heading("# C#"), Some((1, "C#".into())));
    }

    #[test]
    fn front_matter_and_indented_code_are_no_headings() {
        assert_eq!(shape("---\ntitle: x\n---\n# Top\n"), [("heading", "# Top")]);
        assert_eq!(
            shape("Run:\n\n    # install\n    make\n"),
            [("paragraph", "Run:"), ("code", "# install\n    make")]
        );
    }

    #[test]
    fn indented_continuations_of_list_items_are_no_code() {
        let text = "1. First.\n\n    Goes on. And on.\n\n    - Inner.\n\n      Goes on inside.\n\n    Again the first.\n\n2. Second.\n\nAfter.\n\n    code\n";
        assert_eq!(
            shape(text),
            [
                ("lines", "1. First."),
                ("paragraph", "Goes on. And on."),
                ("lines", "- Inner."),
                ("paragraph", "Goes on inside."),
                ("paragraph", "Again the first."),
                ("lines", "2. Second."),
                ("paragraph", "After."),
                ("code", "code"),
            ]
        );
        let within = "- Run:\n\n      make\n\n# Top\n\n    code\n";
        assert_eq!(
            shape(within),
            [("lines", "- Run:"), ("code", "make"), ("heading", "# Top"), ("code", "code")]
        );
        let fenced = "- Run:\n\n    ```\n    make\n    ```\n";
        assert_eq!(shape(fenced), [("lines", "- Run:"), ("code", "```\n    make\n    ```")]);
    }

    #[test]
    fn a_fence_that_is_never_closed_still_yields_its_text() {
        assert_eq!(shape("```\na\n\nb"), [("code", "```\na\n\nb")]);
    }

    #[test]
    fn a_table_begins_at_its_header_and_ends_where_its_rows_do() {
        let text = "Prices:\nPart | Price\n--- | ---\nBolt | 2\nAfter.\n\n| A |\n|:-:|\n| 1 |\n";
        assert_eq!(
            shape(text),
            [
                ("paragraph", "Prices:"),
                ("table", "Part | Price\n--- | ---\nBolt | 2"),
                ("paragraph", "After."),
                ("table", "| A |\n|:-:|\n| 1 |"),
            ]
        );
        let Kind::Table { header } = &blocks(text)[1].kind else { panic!("a table") };
        assert_eq!(&text[header.clone()], "Part | Price");
    }

    #[test]
    fn a_heading_as_long_as_a_paragraph_is_one() {
        assert_eq!(shape(&format!("# {}", "word ".repeat(100)))[0].0, "paragraph");
    }
}
