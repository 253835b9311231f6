//! Decodes the bytes of a file.

use vademecum_protocol::error::{Error, Result};

/// Decodes UTF-8, with or without a byte-order mark.
///
/// # Errors
/// [`Error::NotUtf8`] with the offset of the first invalid byte and, if recognised, the actual file type.
pub fn utf8(id: &str, bytes: &[u8]) -> Result<String> {
    let body = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match std::str::from_utf8(body) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => Err(Error::NotUtf8 {
            id: id.to_owned(),
            offset: error.valid_up_to() + (bytes.len() - body.len()),
            hint: hint(bytes),
        }),
    }
}

fn hint(bytes: &[u8]) -> &'static str {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => " (it looks like UTF-16)",
        [b'%', b'P', b'D', b'F', ..] => " (it is a PDF)",
        [b'P', b'K', 3, 4, ..] => " (it is a zip archive, as .docx and .epub files are)",
        _ if bytes.contains(&0) => " (it looks like a binary file)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_text() {
        assert_eq!(utf8("a", b"\xEF\xBB\xBFhi").unwrap(), "hi");
    }

    #[test]
    fn the_offset_counts_from_the_start_of_the_file() {
        let error = utf8("a", b"\xEF\xBB\xBFab\xFF").unwrap_err();
        assert_eq!(error, Error::NotUtf8 { id: "a".into(), offset: 5, hint: "" });
    }

    #[test]
    fn a_zip_file_is_recognised() {
        let error = utf8("a.md", b"PK\x03\x04\xFF").unwrap_err();
        assert!(error.to_string().contains("zip archive"), "{error}");
    }
}
