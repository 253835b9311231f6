//! Web pages. The engine extracts the text; nothing of a page is executed.

use crate::documents::Read;
use crate::refusal::Refusal;
use crate::text::{decoded, decoded_as};
use encoding_rs::Encoding;
use vademecum_protocol::document::{Document, Format};

/// Bytes at the beginning of a page that may declare its encoding, by the HTML standard.
const HEAD: usize = 1024;

pub(crate) fn read(id: &str, name: &str, bytes: Vec<u8>) -> Result<Read, Refusal> {
    let declared = declared(&bytes).filter(|encoding| *encoding != encoding_rs::UTF_8);
    let text = match (std::str::from_utf8(&bytes).is_err(), declared) {
        (true, Some(encoding)) if Encoding::for_bom(&bytes).is_none() => decoded_as(encoding, &bytes),
        _ => None,
    };
    let text = match text {
        Some(text) => text,
        None => decoded(name, bytes)?,
    };
    // The engine takes the title of the page, where it has one.
    Ok(Read::of(Document { format: Some(Format::Html), ..Document::new(id, text) }))
}

/// Returns the encoding that a page declares.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..HEAD.min(bytes.len()))?.to_ascii_lowercase();
    let at = head.windows(7).position(|seven| seven == b"charset")? + 7;
    let rest = head.get(at..)?.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
    let end = rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && !b"-_".contains(byte));
    Encoding::for_label(rest.get(..end.unwrap_or(rest.len()))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_decoded_as_it_declares() {
        let page = b"<meta charset='windows-1252'><p>f\xFCr</p>".to_vec();
        assert!(read("a", "a", page).unwrap().documents[0].text.contains("für"));
        let page = "<meta charset=windows-1252><p>für</p>".as_bytes().to_vec();
        assert!(read("a", "a", page).unwrap().documents[0].text.contains("für"), "UTF-8 all the same");
        assert!(read("a", "a", b"<p>f\xFCr</p>".to_vec()).is_err());
    }
}
