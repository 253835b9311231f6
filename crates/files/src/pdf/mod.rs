//! PDF: the text of each page.
//!
//! [`pages`] loads the file with `lopdf`, and `page` follows the operators that show text; `font` gives the characters of a string and
//! their widths, and `layout` joins strings to words, lines and paragraphs by their places on the page. Every stream is unpacked up to a
//! limit, and so is the number of operators. A damaged file may still make the library panic or take long, so a program should run
//! [`pages`] in a process of its own.

mod font;
mod layout;
mod matrix;
mod objects;
mod page;

use crate::refusal::{Code, Refusal};
use lopdf::{Document, LoadOptions, Object};
use objects::{MAX_STREAM, dictionary};
use page::PageReader;
use serde::{Deserialize, Serialize};

/// Bytes of text of all pages.
const MAX_TEXT: usize = 64 << 20;

/// What a PDF says: its pages, and what it says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pages {
    /// The text of each page.
    pub pages: Vec<String>,
    /// The title, if it is not one that programs fill in.
    pub title: Option<String>,
    /// The author.
    pub author: Option<String>,
}

/// Reads the pages of a file.
///
/// # Errors
/// `file_damaged`, `file_protected`, `file_too_large`.
pub fn pages(bytes: &[u8]) -> Result<Pages, Refusal> {
    let options = LoadOptions { max_decompressed_size: Some(MAX_STREAM), ..LoadOptions::default() };
    // Of a file that opens without a password, as many do that must not be printed, the entry is removed.
    let is_locked = |document: &Document| document.trailer.has(b"Encrypt");
    let document = match Document::load_mem_with_options(bytes, options) {
        Ok(document) if is_locked(&document) => return Err(protected()),
        Ok(document) => document,
        Err(lopdf::Error::InvalidPassword | lopdf::Error::Decryption(_) | lopdf::Error::Unimplemented(_)) => {
            return Err(protected());
        }
        Err(_) => return Err(Refusal::damaged("a PDF", "a PDF reader")),
    };
    let ids = document.get_pages();
    if ids.is_empty() {
        return Err(Refusal::damaged("a PDF", "a PDF reader"));
    }
    let mut pages = Vec::with_capacity(ids.len());
    let mut left = MAX_TEXT;
    for id in ids.into_values() {
        let text = PageReader::new(&document).read(id);
        left = left.checked_sub(text.len()).ok_or_else(|| {
            let message = format!("Its text has more than {} MB. Split it into parts.", MAX_TEXT >> 20);
            Refusal::new(Code::FileTooLarge, message)
        })?;
        pages.push(text);
    }
    let info = document.trailer.get(b"Info").ok().and_then(|info| dictionary(&document, info));
    let field =
        |name: &[u8]| info.and_then(|info| info.get(name).ok()).and_then(|value| said(&document, value));
    Ok(Pages { pages, title: field(b"Title").filter(|title| is_title(title)), author: field(b"Author") })
}

fn protected() -> Refusal {
    let message = "It is protected by a password. Open it in a PDF reader, save or print it as a PDF without one, and add that.";
    Refusal::new(Code::FileProtected, message)
}

/// Returns the text of a field; none if it is blank.
fn said(document: &Document, value: &Object) -> Option<String> {
    let text = lopdf::decode_text_string(document.dereference(value).ok()?.1).ok()?;
    let text = text.trim_matches(|char: char| char.is_whitespace() || char.is_control());
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns whether a title is none that programs write, such as the name of the source file.
fn is_title(title: &str) -> bool {
    const ENDINGS: [&str; 18] = [
        ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".pdf", ".htm", ".html", ".txt", ".md", ".tex",
        ".dvi", ".ps", ".odt", ".rtf", ".indd", ".pages",
    ];
    let title = title.to_lowercase();
    let is_of_program = title.starts_with("microsoft ") && title.contains(" - ");
    !title.starts_with("untitled") && !is_of_program && !ENDINGS.iter().any(|ending| title.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_that_programs_fill_in_are_left_out() {
        for title in ["Untitled 1", "report.docx", "Microsoft Word - Report"] {
            assert!(!is_title(title), "{title}");
        }
        assert!(is_title("Report on tides"));
    }
}
