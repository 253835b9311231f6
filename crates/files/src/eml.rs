//! Mails: the text, with sender, recipients, subject and day as metadata.

use crate::documents::Read;
use crate::refusal::Refusal;
use crate::xml::escaped;
use mail_parser::{Addr, Address, MessageParser, MimeHeaders, PartType};
use serde_json::Map;
use vademecum_protocol::document::{Document, Format};

/// Names of attachments that a note lists.
const MAX_NAMES: usize = 5;

pub(crate) fn read(id: &str, name: &str, bytes: &[u8]) -> Result<Read, Refusal> {
    let message = MessageParser::default()
        .parse(bytes)
        .filter(|message| message.from().is_some() || message.subject().is_some())
        .ok_or_else(|| Refusal::damaged("a mail", "a mail program"))?;
    let mut metadata = Map::new();
    let mut heads = Vec::new();
    let mut head = |name: &str, label: &str, value: String| {
        if !value.is_empty() {
            heads.push(format!("{label}: {value}"));
            metadata.insert(name.to_owned(), value.into());
        }
    };
    head("from", "From", listed(message.from()));
    head("to", "To", listed(message.to()));
    head("cc", "Cc", listed(message.cc()));
    head("date", "Date", message.date().map(mail_parser::DateTime::to_rfc3339).unwrap_or_default());
    let subject = message.subject().map(str::trim).filter(|subject| !subject.is_empty());
    head("subject", "Subject", subject.unwrap_or_default().to_owned());
    let is_html = message.text_part(0).is_some_and(|part| matches!(part.body, PartType::Html(_)));
    let (text, format) = match (is_html, message.body_html(0)) {
        (true, Some(html)) => {
            let heads: Vec<String> = heads.iter().map(|head| escaped(head)).collect();
            (format!("<p>{}</p>\n{html}", heads.join("<br>")), Format::Html)
        }
        _ => {
            // A picture between two texts makes them two parts.
            let bodies: Vec<_> =
                (0..message.text_body_count()).filter_map(|at| message.body_text(at)).collect();
            (format!("{}\n\n{}", heads.join("\n"), bodies.join("\n\n")), Format::Text)
        }
    };
    let document = Document {
        title: Some(subject.unwrap_or(name).to_owned()),
        format: Some(format),
        metadata,
        ..Document::new(id, text)
    };
    let names: Vec<&str> =
        message.attachments().map(|part| part.attachment_name().unwrap_or("one without a name")).collect();
    let note = (!names.is_empty()).then(|| {
        let more = if names.len() > MAX_NAMES { ", …" } else { "" };
        let shown: Vec<&str> = names.iter().copied().take(MAX_NAMES).collect();
        format!("Its attachments were left out: {}{more}. Save them, and add them.", shown.join(", "))
    });
    Ok(Read { documents: vec![document], notes: note.into_iter().collect() })
}

/// Returns names and addresses, separated by commas.
fn listed(address: Option<&Address<'_>>) -> String {
    let said = |one: &Addr<'_>| match (one.name(), one.address()) {
        (Some(name), Some(address)) => format!("{name} <{address}>"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => String::new(),
    };
    let all: Vec<String> =
        address.into_iter().flat_map(|all| all.iter().map(said)).filter(|one| !one.is_empty()).collect();
    all.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_has_its_head_its_text_and_a_note_of_its_attachments() {
        let mail = "From: =?UTF-8?Q?J=C3=BCrgen?= <j@x.example>\r\nTo: a@x.example, B <b@x.example>\r\nSubject: Paid leave\r\nDate: Fri, 2 Jan 2026 10:00:00 +0100\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\nEs gibt 28 Tage f\u{fc}r alle.\r\n--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=plan.pdf\r\n\r\nx\r\n--b--\r\n";
        let bytes: Vec<u8> = mail.chars().map(|sign| u8::try_from(u32::from(sign)).unwrap()).collect();
        let read = read("a.eml", "a.eml", &bytes).unwrap();
        let mail = &read.documents[0];
        assert_eq!(mail.title.as_deref(), Some("Paid leave"));
        assert!(
            mail.text.contains("28 Tage für alle")
                && mail.text.starts_with("From: Jürgen <j@x.example>\nTo: a@x.example, B <b@x.example>"),
            "{}",
            mail.text
        );
        assert_eq!(mail.metadata["date"], "2026-01-02T10:00:00+01:00");
        assert!(read.notes[0].contains("plan.pdf"), "{:?}", read.notes);
        assert!(super::read("a.eml", "a.eml", b"no mail at all").is_err());
    }

    #[test]
    fn a_mail_in_html_is_read_as_html() {
        let mail = b"From: a@x.example\r\nSubject: x\r\nContent-Type: text/html\r\n\r\n<table><tr><td>one</td></tr></table>";
        let read = read("a.eml", "a.eml", mail).unwrap();
        assert_eq!(read.documents[0].format, Some(Format::Html));
        assert!(read.documents[0].text.contains("<td>one</td>"));
    }
}
