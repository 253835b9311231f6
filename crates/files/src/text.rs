//! Decodes text, and documents that are text.

use crate::documents::Read;
use crate::refusal::{Code, Refusal};
use encoding_rs::Encoding;
use vademecum_protocol::document::{Document, Format};
use vademecum_text::decode::utf8;

/// Decodes UTF-8, or UTF-16 with a byte-order mark.
pub(crate) fn decoded(name: &str, bytes: Vec<u8>) -> Result<String, Refusal> {
    match Encoding::for_bom(&bytes) {
        Some((encoding, _)) if encoding != encoding_rs::UTF_8 => {
            decoded_as(encoding, &bytes).ok_or_else(|| {
                Refusal::new(
                    Code::FileNotUtf8,
                    format!("It is not the {} that it begins as.", encoding.name()),
                )
            })
        }
        // Without copying where there is nothing to cut off.
        None if std::str::from_utf8(&bytes).is_ok() => {
            String::from_utf8(bytes).map_err(|error| Refusal::new(Code::FileNotUtf8, error.to_string()))
        }
        _ => utf8(name, &bytes).map_err(|error| Refusal::new(Code::FileNotUtf8, error.to_string())),
    }
}

/// Decodes text of an encoding; `None` if it is of another.
pub(crate) fn decoded_as(encoding: &'static Encoding, bytes: &[u8]) -> Option<String> {
    let (text, _, is_wrong) = encoding.decode(bytes);
    (!is_wrong).then(|| text.into_owned())
}

/// Reads plain text.
pub(crate) fn read(id: &str, name: &str, bytes: Vec<u8>) -> Result<Read, Refusal> {
    let text = decoded(name, bytes)?;
    if text.contains('\0') {
        return Err(Refusal::new(Code::FileNotUtf8, "It looks like a binary file."));
    }
    Ok(Read::of(as_text(id, name, text)))
}

/// A text whose title is the file's name.
pub(crate) fn as_text(id: &str, name: &str, text: String) -> Document {
    Document { title: Some(name.to_owned()), format: Some(Format::Text), ..Document::new(id, text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_utf_16_is_decoded_by_its_mark_and_other_encodings_are_refused() {
        assert_eq!(decoded("a", b"\xEF\xBB\xBFhi".to_vec()).unwrap(), "hi");
        assert_eq!(decoded("a", b"\xFF\xFEh\0i\0".to_vec()).unwrap(), "hi");
        assert_eq!(decoded("a", b"\xFE\xFF\0h\0i".to_vec()).unwrap(), "hi");
        let refused = decoded("a", b"f\xFCr".to_vec()).unwrap_err();
        assert_eq!(refused.code, Code::FileNotUtf8);
        assert!(refused.message.contains("byte 1"), "{refused}");
    }

    #[test]
    fn a_binary_file_is_no_text() {
        assert_eq!(read("a", "a", b"a\0b".to_vec()).unwrap_err().code, Code::FileNotUtf8);
    }
}
