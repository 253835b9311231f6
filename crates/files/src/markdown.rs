//! Markdown, whose front matter becomes metadata.

use crate::documents::Read;
use crate::front_matter::{Front, front};
use crate::refusal::Refusal;
use crate::text::decoded;
use serde_json::Value;
use vademecum_protocol::document::{Document, Format};
use vademecum_util::within::Within;

/// Reads a text. Its title is its first heading, if it begins with one, or else that of the front matter, or the file's name.
pub(crate) fn read(id: &str, name: &str, bytes: Vec<u8>) -> Result<Read, Refusal> {
    let text = decoded(name, bytes)?;
    let Front { fields, end, fault } = front(&text);
    let first = text.within(end..).trim_start().lines().next().unwrap_or("");
    let heading =
        first.strip_prefix("# ").map(|heading| heading.trim_end().trim_end_matches('#').trim().to_owned());
    let named = fields.get("title").and_then(Value::as_str).map(|title| title.trim().to_owned());
    let title = [heading, named].into_iter().flatten().find(|title| !title.is_empty());
    let is_kept = !fields.is_empty();
    let document = Document {
        title: Some(title.unwrap_or_else(|| name.to_owned())),
        format: Some(Format::Markdown),
        metadata: fields,
        ..Document::new(id, text)
    };
    let note = fault.map(|fault| {
        let effect = if is_kept {
            "It names neverSend, so the document is never sent to a language model until that is mended."
        } else {
            "Its fields were left out."
        };
        format!("Its front matter could not be read ({fault}). {effect}")
    });
    Ok(Read { documents: vec![document], notes: note.into_iter().collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(text: &str) -> Read {
        read("a.md", "a.md", text.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn the_title_is_the_first_heading_or_that_of_the_front_matter_or_the_name() {
        let title = |text: &str| markdown(text).documents[0].title.clone().unwrap();
        assert_eq!(title("---\ntitle: Log\nyear: 2023\n---\n\n# Incident log ##\n\nx"), "Incident log");
        assert_eq!(title("\n# One\n"), "One");
        assert_eq!(
            title("---\r\ntitle: \"A log: of incidents\"\r\n---\r\nText.\r\n# Later\r\n"),
            "A log: of incidents"
        );
        for text in
            ["Text first.\n\n# Later", "---\nText after a line.", "---\ntitle:\n---\nText.", "#hashtag"]
        {
            assert_eq!(title(text), "a.md", "{text}");
        }
    }

    #[test]
    fn front_matter_becomes_metadata_and_stays_in_the_text() {
        let text =
            "---\ntitle: Tides\ntags: [sea, moon]\ndate: 2024-05-06\ndraft: false\nweight: 3\n---\nText.";
        let document = &markdown(text).documents[0];
        let expected = serde_json::json!({ "title": "Tides", "tags": ["sea", "moon"], "date": "2024-05-06", "draft": false, "weight": 3 });
        assert_eq!(Value::Object(document.metadata.clone()), expected);
        assert_eq!(document.text, text, "spans refer to the file");
    }

    #[test]
    fn front_matter_that_cannot_be_read_is_noted_and_keeps_no_file_out() {
        let read = markdown("---\ntags: [sea\n---\nText.");
        assert!(read.documents[0].metadata.is_empty());
        assert!(read.notes[0].starts_with("Its front matter could not be read"), "{:?}", read.notes);
        let private = markdown("---\ntags: [sea\nneverSend: true\n---\nText.");
        assert_eq!(private.documents[0].metadata["neverSend"], true);
        assert!(private.notes[0].contains("never sent"), "{:?}", private.notes);
    }
}
