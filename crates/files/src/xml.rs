//! XML as a stream of elements and texts. External entities are never resolved.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// A part of an XML document, with names without their prefixes.
#[derive(Debug)]
pub(crate) enum Node {
    /// The beginning of an element: its name and attributes.
    Start(String, Vec<(String, String)>),
    /// The end of an element, also of an empty one.
    End(String),
    /// Text.
    Text(String),
}

/// The XML is not well-formed.
#[derive(Debug)]
pub(crate) struct Malformed;

/// Calls `visit` with each part in order.
pub(crate) fn walk(xml: &str, mut visit: impl FnMut(Node)) -> Result<(), Malformed> {
    let mut reader = Reader::from_str(xml);
    loop {
        match reader.read_event().map_err(|_| Malformed)? {
            Event::Start(element) => visit(started(&element)),
            Event::Empty(element) => {
                let node = started(&element);
                let name = element.local_name().as_ref().to_owned();
                visit(node);
                visit(Node::End(name));
            }
            Event::End(element) => visit(Node::End(element.local_name().as_ref().to_owned())),
            Event::Text(text) => visit(Node::Text(text.to_string())),
            Event::CData(text) => visit(Node::Text(text.to_string())),
            Event::GeneralRef(reference) => {
                let resolved = match reference.resolve_char_ref() {
                    Ok(Some(char)) => char,
                    _ => entity(&reference),
                };
                visit(Node::Text(resolved.to_string()));
            }
            Event::Eof => return Ok(()),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

/// Returns the value of an attribute.
pub(crate) fn attribute<'a>(attributes: &'a [(String, String)], name: &str) -> Option<&'a str> {
    attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
}

fn started(element: &BytesStart<'_>) -> Node {
    let attributes = element
        .attributes()
        .flatten()
        .map(|attribute| (attribute.key.local_name().as_ref().to_owned(), unescaped(&attribute.value)));
    Node::Start(element.local_name().as_ref().to_owned(), attributes.collect())
}

fn unescaped(value: &str) -> String {
    quick_xml::escape::unescape(value).map_or_else(|_| value.to_owned(), |value| value.into_owned())
}

/// Returns the character of a named entity; a space for one that a document type declares.
fn entity(name: &str) -> char {
    match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => ' ',
    }
}

/// Escapes text for HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_within_the_text_and_external_entities_are_not() {
        let mut text = String::new();
        let xml = "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><w:a b='1 &amp; 2'>x &lt; y&#33; &x;</w:a>";
        let mut seen = Vec::new();
        walk(xml, |node| match node {
            Node::Text(part) => text.push_str(&part),
            Node::Start(name, attributes) => {
                seen.push((name, attribute(&attributes, "b").map(str::to_owned)));
            }
            Node::End(_) => {}
        })
        .unwrap();
        assert_eq!(text, "x < y!  ");
        assert_eq!(seen, [("a".to_owned(), Some("1 & 2".to_owned()))]);
        assert!(walk("<a></b>", |_| {}).is_err());
    }
}
