//! Fonts: the characters of a string, and how wide they are.

use super::objects::{MAX_STREAM, dictionary, list, number};
use lopdf::{Dictionary, Document, Encoding, Object};
use std::collections::HashMap;

/// Width of a character whose font does not say, in sizes of the font.
const USUAL: f32 = 0.5;
/// Codes whose widths are remembered.
const MAX_CODES: usize = 1 << 16;

pub(super) struct Font<'a> {
    encoding: Encoding<'a>,
    widths: HashMap<u32, f32>,
    usual: f32,
    bytes_per_code: usize,
}

impl std::fmt::Debug for Font<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Font").field("widths", &self.widths.len()).finish_non_exhaustive()
    }
}

impl<'a> Font<'a> {
    /// Reads a font; none if its characters are unknown.
    pub(super) fn of(document: &'a Document, font: &'a Dictionary) -> Option<Self> {
        let encoding = font.get_font_encoding_with_limit(document, MAX_STREAM).ok()?;
        let is_composite = font.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Type0");
        let mut read = Self {
            encoding,
            widths: HashMap::new(),
            usual: USUAL,
            bytes_per_code: 1 + usize::from(is_composite),
        };
        if is_composite {
            read.composite_widths(document, font);
        } else {
            read.simple_widths(document, font);
        }
        Some(read)
    }

    fn simple_widths(&mut self, document: &Document, font: &Dictionary) {
        let first = font.get(b"FirstChar").and_then(Object::as_i64).unwrap_or(0);
        let Some(widths) = list(document, font, b"Widths") else { return };
        let widths = widths.iter().take(256).enumerate().filter_map(|(at, width)| {
            let code = u32::try_from(first.checked_add(at as i64)?).ok()?;
            Some((code, number(document, width)? / 1000.0))
        });
        self.widths = widths.filter(|(_, width)| *width > 0.0).collect();
    }

    /// Reads widths of a composite font: `first [w w …]` or `first last w`.
    fn composite_widths(&mut self, document: &Document, font: &Dictionary) {
        let descendant = list(document, font, b"DescendantFonts").and_then(|fonts| fonts.first());
        let Some(font) = descendant.and_then(|font| dictionary(document, font)) else { return };
        self.usual =
            font.get(b"DW").ok().and_then(|width| number(document, width)).unwrap_or(1000.0) / 1000.0;
        let Some(widths) = list(document, font, b"W") else { return };
        let mut rest = widths.iter();
        while let (Some(first), Some(second)) = (rest.next(), rest.next()) {
            let Some(first) = number(document, first) else { return };
            match document.dereference(second).map(|(_, object)| object) {
                Ok(Object::Array(widths)) => {
                    for (at, width) in widths.iter().enumerate() {
                        self.add_width(first as u32 + at as u32, number(document, width));
                    }
                }
                Ok(last) => {
                    let (last, width) =
                        (number(document, last), rest.next().and_then(|width| number(document, width)));
                    for code in first as u32..=last.unwrap_or(first) as u32 {
                        if !self.add_width(code, width) {
                            return;
                        }
                    }
                }
                Err(_) => return,
            }
        }
    }

    /// Adds a width, if there are not too many; returns whether there may be more.
    fn add_width(&mut self, code: u32, width: Option<f32>) -> bool {
        if let Some(width) = width {
            self.widths.insert(code, width / 1000.0);
        }
        self.widths.len() < MAX_CODES
    }

    /// Returns the text of a string, and its width in sizes of the font.
    pub(super) fn text(&self, bytes: &[u8]) -> (String, f32) {
        let text = Document::decode_text(&self.encoding, bytes).unwrap_or_default();
        let codes = bytes.chunks(self.bytes_per_code);
        let widths = codes.map(|code| {
            let code = code.iter().fold(0u32, |code, byte| code << 8 | u32::from(*byte));
            self.widths.get(&code).copied().unwrap_or(self.usual)
        });
        (readable(&text), widths.sum())
    }
}

/// Replaces ligatures with letters, and removes control characters, which are glyphs without a meaning.
fn readable(text: &str) -> String {
    let mut read = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\u{fb00}' => read.push_str("ff"),
            '\u{fb01}' => read.push_str("fi"),
            '\u{fb02}' => read.push_str("fl"),
            '\u{fb03}' => read.push_str("ffi"),
            '\u{fb04}' => read.push_str("ffl"),
            _ if char.is_control() && !char.is_whitespace() => {}
            _ => read.push(char),
        }
    }
    read
}
