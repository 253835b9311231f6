//! The words of a text, by Unicode Annex 29.
//!
//! Most text is ASCII, where the annex comes down to a few rules that need no tables. They are applied to runs of
//! ASCII that end at white space; what lies between goes the long way. The words are exactly the same.

use unicode_segmentation::{UnicodeSegmentation, UnicodeWordIndices};
use vademecum_util::within::Within;

/// The words of `text` as they stand there, each with the byte it begins at.
pub fn words(text: &str) -> Words<'_> {
    Words { text, at: 0, ascii_until: 0, other: None }
}

/// What [`words`] gives.
pub struct Words<'a> {
    text: &'a str,
    /// How far the text is read.
    at: usize,
    /// Up to here it is ASCII.
    ascii_until: usize,
    /// The words of a stretch that is not, with where that begins.
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
    /// Finds how far the text from here is ASCII, or else how far it is not.
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

/// Whether the text can be taken apart between these two bytes. White space before anything but ASCII may not end
/// there: a combining mark belongs to it.
fn is_break(pair: &[u8]) -> bool {
    matches!(pair, [space, next] if space.is_ascii_whitespace() && next.is_ascii() && !next.is_ascii_whitespace())
}

/// Where the first word of a run of ASCII begins and ends.
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
        from = end; // only low lines
    }
}

const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Rules 6, 7, 11 and 12: what may stand within a word between two letters, or within a number between two digits.
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
        fn the_fast_way_finds_the_words_of_the_annex_in_ascii(text in "[a-cA-C0-2_.,:;'\" \\n\\t\\x00-\\x7f]{0,60}") {
            prop_assert_eq!(words(&text).collect::<Vec<_>>(), by_the_annex(&text));
        }

        #[test]
        fn the_fast_way_finds_the_words_of_the_annex_in_any_text(
            text in "([ab1_.:,' \\n\\r]|[é\u{301}\u{ad}\u{200d}’\u{2028}\u{3000}א\"カ\u{1f1e6}👍\u{1f3fd}]|\\PC){0,40}"
        ) {
            prop_assert_eq!(words(&text).collect::<Vec<_>>(), by_the_annex(&text));
        }
    }
}
