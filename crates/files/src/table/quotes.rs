//! Quotes that are not closed, and the lines of places in a text.

/// Returns the line of the first quote that is not closed: its cell extends to the end of the text, or over line ends to a quote that no
/// separator follows.
pub(super) fn open_quote(text: &str, separator: u8) -> Option<usize> {
    let mut bytes = text.bytes().enumerate().peekable();
    let mut is_cell_empty = true;
    while let Some((start, byte)) = bytes.next() {
        if byte != b'"' || !is_cell_empty {
            is_cell_empty = byte == separator || is_end(byte);
            continue;
        }
        let mut has_lines = false;
        loop {
            let Some((_, byte)) = bytes.next() else { return Some(line_at(text, start)) };
            has_lines |= is_end(byte);
            if byte != b'"' {
                continue;
            }
            match bytes.peek() {
                Some((_, b'"')) => _ = bytes.next(),
                Some((_, next)) if has_lines && *next != separator && !is_end(*next) => {
                    return Some(line_at(text, start));
                }
                _ => break,
            }
        }
        is_cell_empty = false;
    }
    None
}

/// Returns the number, from 1, of the line at `byte`; line ends at that position are skipped.
pub(super) fn line_at(text: &str, byte: usize) -> usize {
    let bytes = text.as_bytes();
    let rest = bytes.iter().skip(byte);
    let start = byte + rest.take_while(|byte| is_end(**byte)).count();
    let before = bytes.get(..start).unwrap_or(bytes);
    let pairs = before.windows(2).filter(|two| *two == b"\r\n").count();
    before.iter().filter(|byte| is_end(**byte)).count() - pairs + 1
}

const fn is_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}
