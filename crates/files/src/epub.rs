//! Electronic books: the chapters in the order of reading, as one page.

use crate::archive::Archive;
use crate::documents::Read;
use crate::refusal::{Code, Refusal};
use crate::xml::{Node, attribute, walk};
use serde_json::{Map, Value};
use std::collections::HashMap;
use vademecum_protocol::document::{Document, Format};

/// Algorithms that hide fonts, which are not read.
const OF_FONTS: [&str; 2] = ["embedding", "enc#RC"];

pub(crate) fn read(id: &str, name: &str, bytes: &[u8]) -> Result<Read, Refusal> {
    let mut archive = Archive::open(bytes, "an EPUB", "a reader of e-books")?;
    check_protection(&mut archive)?;
    let package = package(&mut archive)?;
    let xml = archive.required(&package)?;
    let book = Book::of(&xml).ok_or_else(|| archive.damaged())?;
    let folder = package.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut text = String::new();
    for chapter in &book.chapters {
        // A chapter that a book lists and does not have is left out, as readers of e-books do.
        if let Some(page) = archive.text(&within(folder, chapter))? {
            text.push_str(body(&page));
            text.push('\n');
        }
    }
    if text.trim().is_empty() {
        return Err(Refusal::without_text());
    }
    Ok(Read::of(Document {
        title: Some(book.title.unwrap_or_else(|| name.to_owned())),
        format: Some(Format::Html),
        metadata: book.metadata,
        ..Document::new(id, text)
    }))
}

fn check_protection(archive: &mut Archive<'_>) -> Result<(), Refusal> {
    let Some(xml) = archive.text("META-INF/encryption.xml")? else { return Ok(()) };
    let mut is_protected = false;
    let walked = walk(&xml, |node| {
        if let Node::Start(name, attributes) = node
            && name == "EncryptionMethod"
        {
            let algorithm = attribute(&attributes, "Algorithm").unwrap_or_default();
            is_protected |= !OF_FONTS.iter().any(|known| algorithm.ends_with(known));
        }
    });
    if is_protected || walked.is_err() {
        return Err(Refusal::new(
            Code::FileProtected,
            "It is protected against copying. Add a copy without that protection.",
        ));
    }
    Ok(())
}

/// Returns the path of the package document.
fn package(archive: &mut Archive<'_>) -> Result<String, Refusal> {
    let xml = archive.required("META-INF/container.xml")?;
    let mut path = None;
    let walked = walk(&xml, |node| {
        if let Node::Start(name, attributes) = node
            && name == "rootfile"
            && path.is_none()
        {
            path = attribute(&attributes, "full-path").map(str::to_owned);
        }
    });
    walked.ok().and(path).ok_or_else(|| archive.damaged())
}

#[derive(Debug, Default)]
struct Book {
    title: Option<String>,
    metadata: Map<String, Value>,
    /// Paths relative to the package document.
    chapters: Vec<String>,
}

impl Book {
    fn of(xml: &str) -> Option<Self> {
        let mut book = Self::default();
        let mut authors = Vec::new();
        let mut files: HashMap<String, String> = HashMap::new();
        let mut spine = Vec::new();
        let mut text = String::new();
        walk(xml, |node| match node {
            Node::Start(name, attributes) => {
                text.clear();
                let own = |name: &str| attribute(&attributes, name).map(str::to_owned);
                match name.as_str() {
                    "item" => files.extend(own("id").zip(own("href"))),
                    "itemref" => spine.extend(own("idref")),
                    _ => {}
                }
            }
            Node::Text(part) => text.push_str(&part),
            Node::End(name) => {
                let value = text.trim().to_owned();
                match name.as_str() {
                    _ if value.is_empty() => {}
                    "title" if book.title.is_none() => book.title = Some(value),
                    "creator" => authors.push(Value::from(value)),
                    "language" | "date" | "publisher" => {
                        book.metadata.entry(name).or_insert_with(|| value.into());
                    }
                    _ => {}
                }
                text.clear();
            }
        })
        .ok()?;
        match authors.len() {
            0 => {}
            1 => drop(book.metadata.insert("author".into(), authors.remove(0))),
            _ => drop(book.metadata.insert("author".into(), Value::Array(authors))),
        }
        book.chapters = spine.iter().filter_map(|id| files.get(id)).cloned().collect();
        (!book.chapters.is_empty()).then_some(book)
    }
}

/// Returns the path of a part in the archive, given relative to a folder of it and percent-encoded.
fn within(folder: &str, href: &str) -> String {
    let href = href.split('#').next().unwrap_or_default();
    let mut path: Vec<String> =
        folder.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    for part in href.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(path.pop()),
            _ => path.push(crate::sitemap::percent_decoded(part)),
        }
    }
    path.join("/")
}

/// Returns the contents of a page's body, or the whole page if it has none.
fn body(page: &str) -> &str {
    let lower = page.to_ascii_lowercase();
    let start = lower.find("<body").and_then(|at| Some(at + lower.get(at..)?.find('>')? + 1));
    let end = lower.rfind("</body").unwrap_or(page.len());
    start.and_then(|start| page.get(start..end)).unwrap_or(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_chapters_are_relative_to_the_package_and_percent_encoded() {
        assert_eq!(within("OEBPS", "text/one%20two.xhtml#part"), "OEBPS/text/one two.xhtml");
        assert_eq!(within("", "../../a.xhtml"), "a.xhtml");
        assert_eq!(within("a/b", "../c.xhtml"), "a/c.xhtml");
    }

    #[test]
    fn only_the_body_of_a_chapter_is_taken() {
        assert_eq!(
            body("<html><head><title>x</title></head><BODY class='a'><p>Hi</p></BODY></html>"),
            "<p>Hi</p>"
        );
        assert_eq!(body("<p>Hi</p>"), "<p>Hi</p>");
    }
}
