//! Word segmentation by Unicode Standard Annex #29.
//!
//! For ASCII the annex reduces to a few rules without tables. They are applied to ASCII stretches that end at
//! white space; the rest is segmented by a library. The results are identical.

use unicode_segmentation::{UnicodeSegmentation, UnicodeWordIndices};
use vademecum_util::within::Within;

/// Iterates over the words of `text` with their byte offsets.
pub fn words(text: &str) -> Words<'_> {
    Words { text, at: 0, ascii_until: 0, other: None }
}

/// The iterator returned by [`words`].
pub struct Words<'a> {
    text: &'a str,
    /// Offset up to which the text has been read.
    at: usize,
    /// Offset up to which the text is known to be ASCII.
    ascii_until: usize,
    /// The words of a non-ASCII stretch, and its offset.
    other: Option<(usize, UnicodeWordIndices<'a>)>,
}

impl std::fmt::Debug for Words<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Words").field("at", &self.at).finish_non_exhaustive()
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((start, words)) = &mut self.other {
                if let Some((at, word)) = words.next() {
                    return Some((*start + at, word));
                }
                self.other = None;
            }
            if self.at < self.ascii_until {
                let run = self.text.as_bytes().get(self.at..self.ascii_until)?;
                let Some((start, end)) = ascii_word(run) else {
                    self.at = self.ascii_until;
                    continue;
                };
                let word = self.at + start..self.at + end;
                self.at = word.end;
                return Some((word.start, self.text.get(word)?));
            }
            if self.at >= self.text.len() {
                return None;
            }
            self.next_stretch();
        }
    }
}

impl Words<'_> {
    /// Finds the end of the next ASCII or non-ASCII stretch.
    fn next_stretch(&mut self) {
        let rest = self.text.within(self.at..);
        let bytes = rest.as_bytes();
        match bytes.iter().position(|byte| !byte.is_ascii()) {
            None => self.ascii_until = self.text.len(),
            Some(first) => {
                let before = bytes.within(..first);
                if let Some(space) = before.windows(2).rposition(is_break) {
                    self.ascii_until = self.at + space + 1;
                    return;
                }
                let after = bytes.within(first..);
                let end = after.windows(2).position(is_break).map_or(bytes.len(), |space| first + space + 1);
                let stretch = rest.within(..end);
                self.other = Some((self.at, stretch.unicode_word_indices()));
                self.at += end;
            }
        }
    }
}

/// Returns whether a stretch may end between these two bytes. White space before a non-ASCII character may
/// not, because a combining mark belongs to it.
fn is_break(pair: &[u8]) -> bool {
    matches!(pair, [space, next] if space.is_ascii_whitespace() && next.is_ascii() && !next.is_ascii_whitespace())
}

/// Returns the range of the first word of an ASCII stretch.
fn ascii_word(run: &[u8]) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        let start = from + run.get(from..)?.iter().position(|byte| is_word_byte(*byte))?;
        let mut end = start;
        let mut has_alphanumeric = false;
        let mut bytes = run.get(start..)?;
        loop {
            let length = bytes.iter().position(|byte| !is_word_byte(*byte)).unwrap_or(bytes.len());
            let (word, rest) = bytes.split_at_checked(length)?;
            has_alphanumeric = has_alphanumeric || word.iter().any(u8::is_ascii_alphanumeric);
            end += length;
            let joined = match (word.last(), rest) {
                (Some(before), [middle, after, ..]) => joins(*before, *middle, *after),
                _ => false,
            };
            if !joined {
                break;
            }
            end += 1;
            bytes = rest.get(1..)?;
        }
        if has_alphanumeric {
            return Some((start, end));
        }
        from = end; // only underscores
    }
}

const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Rules WB6, WB7, WB11 and WB12: characters within a word between letters, or within a number between
/// digits.
const fn joins(before: u8, middle: u8, after: u8) -> bool {
    match middle {
        b'.' | b'\'' => {
            (before.is_ascii_alphabetic() && after.is_ascii_alphabetic())
                || (before.is_ascii_digit() && after.is_ascii_digit())
        }
        b':' => before.is_ascii_alphabetic() && after.is_ascii_alphabetic(),
        b',' | b';' => before.is_ascii_digit() && after.is_ascii_digit(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_the_annex(text: &str) -> Vec<(usize, &str)> {
        text.unicode_word_indices().collect()
    }

    #[test]
    fn words_are_those_of_the_annex() {
        for text in [
            "Rust's fn read_line(&mut self) -> 3.14, 1,000;5 a.b a:b 'x' __ _a_ e.g. U.S.A. std::vec",
            "naïve café ’tis l’amour — 日本語テキスト and ไทย text\u{a0}here, a\u{301} \u{301}a",
            "👍🏽 flags 🇩🇪🇫🇷 צה\"ל a\u{ad}b \r\n x\u{200d}y",
            "",
        ] {
            assert_eq!(words(text).collect::<Vec<_>>(), by_the_annex(text));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 8))]

        #[test]
        fn ascii_text_is_segmented_as_by_the_annex(text in "[a-cA-C0-2_.,:;'\" \\n\\t\\x00-\\x7f]{0,60}") {
            prop_assert_eq!(words(&text).collect::<Vec<_>>(), by_the_annex(&text));
        }

        #[test]
        fn any_text_is_segmented_as_by_the_annex(
            text in "([ab1_.:,' \\n\\r]|[é\u{301}\u{ad}\u{200d}’\u{2028}\u{3000}א\"カ\u{1f1e6}👍\u{1f3fd}]|\\PC){0,40}"
        ) {
            prop_assert_eq!(words(&text).collect::<Vec<_>>(), by_the_annex(&text));
        }
    }
}
