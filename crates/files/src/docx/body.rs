//! The body of a Word document.

use super::styles::{Style, Styles, level};
use crate::xml::{Malformed, Node, attribute, escaped, walk};

/// Collects the HTML of a document.
#[derive(Debug)]
pub(super) struct Body<'a> {
    styles: &'a Styles,
    html: String,
    titles: Vec<String>,
    first_headings: Vec<String>,
    paragraph: Paragraph,
    /// The paragraphs around it: a text box, whose paragraphs are within the one that it is placed in.
    around: Vec<Paragraph>,
    /// The rows of the outermost table that is open; tables within its cells are part of their text.
    rows: Vec<Row>,
    tables: usize,
    /// Depth within elements whose text is elsewhere too.
    left_out: usize,
    is_text: bool,
    is_bold: bool,
}

fn is_repeated(name: &str) -> bool {
    matches!(name, "Fallback" | "moveFrom")
}

#[derive(Debug, Default)]
struct Paragraph {
    text: String,
    style: Option<Style>,
    is_item: bool,
    /// Whether there is text that is not bold.
    has_plain: bool,
}

#[derive(Debug, Default)]
struct Row {
    cells: Vec<String>,
    is_header: bool,
    has_plain: bool,
}

impl<'a> Body<'a> {
    pub(super) fn new(styles: &'a Styles) -> Self {
        Self {
            styles,
            html: String::new(),
            titles: Vec::new(),
            first_headings: Vec::new(),
            paragraph: Paragraph::default(),
            around: Vec::new(),
            rows: Vec::new(),
            tables: 0,
            left_out: 0,
            is_text: false,
            is_bold: false,
        }
    }

    /// Reads a part of the document.
    pub(super) fn read(&mut self, xml: &str) -> Result<(), Malformed> {
        walk(xml, |node| match node {
            // The same text again: for programs that do not know the first form, or where it was before a change moved it.
            Node::Start(name, _) if is_repeated(&name) => self.left_out += 1,
            Node::End(name) if is_repeated(&name) => self.left_out = self.left_out.saturating_sub(1),
            _ if self.left_out > 0 => {}
            Node::Start(name, attributes) => self.start(&name, attribute(&attributes, "val")),
            Node::End(name) => self.end(&name),
            Node::Text(text) if self.is_text => {
                self.paragraph.has_plain |= !self.is_bold && !text.trim().is_empty();
                self.paragraph.text.push_str(&text);
            }
            Node::Text(_) => {}
        })
    }

    /// Returns the text with style “Title”, or else the only first heading: with several, none is above the others.
    pub(super) fn title(&self) -> Option<String> {
        match (self.titles.first(), self.first_headings.as_slice()) {
            (Some(title), _) => Some(title.clone()),
            (None, [only]) => Some(only.clone()),
            _ => None,
        }
    }

    pub(super) fn html(self) -> String {
        self.html
    }

    fn start(&mut self, name: &str, value: Option<&str>) {
        match name {
            "p" => self.around.push(std::mem::take(&mut self.paragraph)),
            "pStyle" => self.paragraph.style = value.and_then(|id| self.styles.get(id)).copied(),
            "outlineLvl" => {
                let level = value.and_then(level).map(Style::Heading);
                self.paragraph.style = self.paragraph.style.or(level);
            }
            "numPr" => self.paragraph.is_item = true,
            "r" => self.is_bold = false,
            "b" => self.is_bold = !matches!(value, Some("0" | "false")),
            "t" => self.is_text = true,
            "tab" => self.paragraph.text.push('\t'),
            "br" | "cr" => self.paragraph.text.push('\n'),
            "noBreakHyphen" => self.paragraph.text.push('-'),
            "tbl" => self.tables += 1,
            "tr" if self.tables == 1 => self.rows.push(Row::default()),
            "tblHeader" if self.tables == 1 => {
                if let Some(row) = self.rows.last_mut() {
                    row.is_header = true;
                }
            }
            "tc" if self.tables == 1 => {
                if let Some(row) = self.rows.last_mut() {
                    row.cells.push(String::new());
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "t" => self.is_text = false,
            "p" => {
                self.end_paragraph();
                let around = self.around.pop();
                debug_assert!(around.is_some(), "a paragraph ends that has not begun");
                self.paragraph = around.unwrap_or_default();
            }
            "tbl" => {
                self.tables = self.tables.saturating_sub(1);
                if self.tables == 0 {
                    self.end_table();
                }
            }
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        let Paragraph { text, style, is_item, has_plain } = std::mem::take(&mut self.paragraph);
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if self.tables > 0 {
            if let Some(row) = self.rows.last_mut() {
                row.has_plain |= has_plain;
                if let Some(cell) = row.cells.last_mut() {
                    cell.push_str(if cell.is_empty() { "" } else { " " });
                    cell.push_str(text);
                }
            }
            return;
        }
        let tag = match style {
            Some(Style::Title) => {
                self.titles.push(text.to_owned());
                "h1"
            }
            Some(Style::Heading(1)) => {
                self.first_headings.push(text.to_owned());
                "h1"
            }
            Some(Style::Heading(2)) => "h2",
            Some(Style::Heading(3)) => "h3",
            Some(Style::Heading(4)) => "h4",
            Some(Style::Heading(5)) => "h5",
            Some(Style::Heading(_)) => "h6",
            None if is_item => "li",
            None => "p",
        };
        let text = escaped(text).replace('\n', "<br>");
        self.html.push_str(&format!("<{tag}>{text}</{tag}>\n"));
    }

    /// Writes the table; a first row in bold is its header.
    fn end_table(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        let count = rows.len();
        self.html.push_str("<table>\n");
        for (at, row) in rows.into_iter().enumerate() {
            let is_full = row.cells.iter().all(|cell| !cell.is_empty());
            let is_header = row.is_header || (at == 0 && count > 1 && is_full && !row.has_plain);
            let tag = if is_header { "th" } else { "td" };
            let cells: Vec<String> =
                row.cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
            self.html.push_str(&format!("<tr>{}</tr>\n", cells.concat()));
        }
        self.html.push_str("</table>\n");
    }
}
