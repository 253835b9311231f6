//! Word documents, written as HTML: headings, paragraphs, lists and tables are preserved.

mod body;
mod styles;

use crate::archive::{Archive, protected};
use crate::documents::Read;
use crate::refusal::Refusal;
use body::Body;
use styles::styles;
use vademecum_protocol::document::{Document, Format};

/// The beginning of a file in the format before 2007, in which also documents with a password are wrapped.
const COMPOUND: &[u8] = &[0xD0, 0xCF, 0x11, 0xE0];

pub(crate) fn read(id: &str, name: &str, bytes: &[u8]) -> Result<Read, Refusal> {
    if bytes.starts_with(COMPOUND) {
        return Err(protected("Word", ".docx"));
    }
    let mut archive = Archive::open(bytes, "a Word document", "Word")?;
    let document = archive.required("word/document.xml")?;
    let styles = match archive.text("word/styles.xml")? {
        Some(xml) => styles(&xml).map_err(|_| archive.damaged())?,
        None => Default::default(),
    };
    let mut body = Body::new(&styles);
    body.read(&document).map_err(|_| archive.damaged())?;
    drop(document);
    for part in ["word/footnotes.xml", "word/endnotes.xml"] {
        if let Some(notes) = archive.text(part)? {
            body.read(&notes).map_err(|_| archive.damaged())?;
        }
    }
    let title = body.title().unwrap_or_else(|| name.to_owned());
    let text = body.html();
    if text.is_empty() {
        return Err(Refusal::without_text());
    }
    Ok(Read::of(Document { title: Some(title), format: Some(Format::Html), ..Document::new(id, text) }))
}
