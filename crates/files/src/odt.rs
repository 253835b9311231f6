//! OpenDocument texts, written as HTML: headings, paragraphs, lists and tables are preserved.

use crate::archive::{Archive, password};
use crate::documents::Read;
use crate::refusal::Refusal;
use crate::xml::{Malformed, Node, attribute, escaped, walk};
use vademecum_protocol::document::{Document, Format};

/// Elements whose text is not part of the text: what was deleted, comments, and names of styles.
const LEFT_OUT: [&str; 4] = ["tracked-changes", "annotation", "forms", "sequence-decls"];
/// Spaces that one element stands for.
const MAX_SPACES: usize = 64;

pub(crate) fn read(id: &str, name: &str, bytes: &[u8]) -> Result<Read, Refusal> {
    let mut archive = Archive::open(bytes, "an OpenDocument text", "LibreOffice")?;
    if archive.text("META-INF/manifest.xml")?.is_some_and(|manifest| manifest.contains("encryption-data")) {
        return Err(password());
    }
    let content = archive.required("content.xml")?;
    let body = Body::of(&content).map_err(|_| archive.damaged())?;
    if body.html.is_empty() {
        return Err(Refusal::without_text());
    }
    let title = match body.first_headings.as_slice() {
        [only] => only.clone(),
        _ => name.to_owned(),
    };
    Ok(Read::of(Document { title: Some(title), format: Some(Format::Html), ..Document::new(id, body.html) }))
}

#[derive(Debug, Default)]
struct Body {
    html: String,
    first_headings: Vec<String>,
    text: String,
    /// The texts of the paragraphs around it: a footnote, or a text box, is within the paragraph that it is placed in.
    around: Vec<String>,
    lists: usize,
    tables: usize,
    left_out: usize,
}

impl Body {
    fn of(xml: &str) -> Result<Self, Malformed> {
        let mut body = Self::default();
        let mut level = 1;
        walk(xml, |node| match node {
            Node::Start(name, _) if LEFT_OUT.contains(&name.as_str()) => body.left_out += 1,
            Node::End(name) if LEFT_OUT.contains(&name.as_str()) => {
                body.left_out = body.left_out.saturating_sub(1);
            }
            _ if body.left_out > 0 => {}
            Node::Start(name, attributes) => {
                if name == "h" {
                    let own = attribute(&attributes, "outline-level").and_then(|level| level.parse().ok());
                    level = own.unwrap_or(1u8).clamp(1, 6);
                }
                let count = || attribute(&attributes, "c").and_then(|count| count.parse().ok());
                body.start(&name, count().unwrap_or(1usize));
            }
            Node::Text(part) => body.text.push_str(&part),
            Node::End(name) => body.end(&name, level),
        })?;
        Ok(body)
    }

    fn start(&mut self, name: &str, count: usize) {
        match name {
            "h" | "p" => self.around.push(std::mem::take(&mut self.text)),
            "s" => self.text.push_str(&" ".repeat(count.min(MAX_SPACES))),
            "tab" => self.text.push('\t'),
            "line-break" => self.text.push('\n'),
            "list" => self.lists += 1,
            "table" => {
                self.tables += 1;
                self.html.push_str("<table>\n");
            }
            "table-row" => self.html.push_str("<tr>"),
            "table-cell" => self.html.push_str("<td>"),
            _ => {}
        }
    }

    fn end(&mut self, name: &str, level: u8) {
        match name {
            "h" | "p" => {
                let around = self.around.pop();
                debug_assert!(around.is_some(), "a paragraph ends that has not begun");
                let text = std::mem::replace(&mut self.text, around.unwrap_or_default());
                let text = text.trim();
                if text.is_empty() {
                    return;
                }
                if name == "h" && level == 1 {
                    self.first_headings.push(text.to_owned());
                }
                let inner = escaped(text).replace('\n', "<br>");
                let html = match (name, self.tables, self.lists) {
                    (_, 1.., _) => format!("{inner} "),
                    ("h", ..) => format!("<h{level}>{inner}</h{level}>\n"),
                    (_, 0, 1..) => format!("<li>{inner}</li>\n"),
                    _ => format!("<p>{inner}</p>\n"),
                };
                self.html.push_str(&html);
            }
            "list" => self.lists = self.lists.saturating_sub(1),
            "table" => {
                self.tables = self.tables.saturating_sub(1);
                self.html.push_str("</table>\n");
            }
            "table-row" => self.html.push_str("</tr>\n"),
            "table-cell" => self.html.push_str("</td>"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_around_a_footnote_is_kept() {
        let xml = "<text:p>Before<text:note><text:note-body><text:p>Foot</text:p></text:note-body></text:note> after</text:p>";
        assert_eq!(Body::of(xml).unwrap().html, "<p>Foot</p>\n<p>Before after</p>\n");
    }

    #[test]
    fn headings_lists_and_tables_are_kept_and_deleted_text_is_not() {
        let xml = "<office:text><text:tracked-changes><text:p>old</text:p></text:tracked-changes>\
            <text:h text:outline-level='2'>Leave</text:h><text:p>28<text:s text:c='2'/>days</text:p>\
            <text:list><text:list-item><text:p>a &amp; b</text:p></text:list-item></text:list>\
            <table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row></table:table></office:text>";
        let body = Body::of(xml).unwrap();
        assert_eq!(
            body.html,
            "<h2>Leave</h2>\n<p>28  days</p>\n<li>a &amp; b</li>\n<table>\n<tr><td>x </td></tr>\n</table>\n"
        );
    }
}
