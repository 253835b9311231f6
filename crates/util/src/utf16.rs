//! Lengths in UTF-16 code units, in which JavaScript measures strings.

/// Returns the number of UTF-16 code units of a text. Counts bytes, and decodes no characters: each that begins a character is a unit,
/// and one that begins a character of four bytes is another, for the surrogate pair.
pub fn utf16_length(text: &str) -> usize {
    let units = |byte: u8| usize::from(byte & 0xC0 != 0x80) + usize::from(byte >= 0xF0);
    text.bytes().map(units).sum()
}

#[cfg(test)]
mod tests {
    use super::utf16_length;

    #[test]
    fn the_length_is_that_of_the_encoded_text() {
        for text in [
            "",
            "owl",
            "\u{7F}\u{80}",
            "Käuze – 梟",
            "\u{7FF}\u{800}\u{FFFF}",
            "🦉 and 𝄞",
            "e\u{301}\u{10FFFF}",
        ] {
            assert_eq!(utf16_length(text), text.encode_utf16().count(), "{text}");
        }
    }
}
