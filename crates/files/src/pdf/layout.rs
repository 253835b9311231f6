//! Joins strings by their places on the page: to words, lines and paragraphs.

/// Gap between two strings of a line that is a space, in sizes of the font.
const SPACE: f32 = 0.18;
/// Distance between two lines that is an empty line, in sizes of the font.
const PARAGRAPH: f32 = 1.7;
/// Distance from a line that is another line, in sizes of the font.
const LINE: f32 = 0.5;

/// The text so far, and where its last string ends.
#[derive(Debug, Default)]
pub(super) struct Layout {
    text: String,
    last: Option<Last>,
}

#[derive(Debug, Clone, Copy)]
struct Last {
    x: f32,
    y: f32,
    size: f32,
}

impl Layout {
    /// Adds a string that begins at a place and is `width` long, in a font of a size.
    pub(super) fn add(&mut self, text: &str, (x, y): (f32, f32), width: f32, size: f32) {
        if text.is_empty() {
            return;
        }
        let size = if size > 0.0 { size } else { 10.0 };
        if let Some(last) = self.last {
            let larger = size.max(last.size);
            let down = (last.y - y).abs();
            if down > LINE * larger {
                self.end_line();
                if down > PARAGRAPH * larger {
                    self.text.push('\n');
                }
            } else if x - last.x > SPACE * larger || x < last.x - 4.0 * larger {
                self.space();
            }
        }
        self.text.push_str(text);
        self.last = Some(Last { x: x + width, y, size });
    }

    /// Adds a space, unless there is one.
    pub(super) fn space(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(char::is_whitespace) {
            self.text.push(' ');
        }
    }

    fn end_line(&mut self) {
        let end = self.text.trim_end_matches(' ').len();
        self.text.truncate(end);
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Returns the length of the text so far.
    pub(super) const fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns the text, with words joined that were hyphenated at the end of a line.
    pub(super) fn finish(self) -> String {
        let mut joined = String::with_capacity(self.text.len());
        let mut rest = self.text.as_str();
        while let Some((before, after)) = rest.split_once("-\n") {
            joined.push_str(before);
            let is_word = before.ends_with(char::is_lowercase) && after.starts_with(char::is_lowercase);
            if !is_word {
                joined.push_str("-\n");
            }
            rest = after;
        }
        joined.push_str(rest);
        joined.trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_make_words_lines_and_paragraphs() {
        let mut layout = Layout::default();
        for (text, x, y) in [
            ("Hel", 0.0, 700.0),
            ("lo", 15.0, 700.0),
            ("you", 30.0, 700.0),
            ("there.", 0.0, 688.0),
            ("Next.", 0.0, 650.0),
        ] {
            layout.add(text, (x, y), text.len() as f32 * 5.0, 10.0);
        }
        assert_eq!(layout.finish(), "Hello you\nthere.\n\nNext.");
    }

    #[test]
    fn hyphenated_words_are_joined_and_other_hyphens_stay() {
        let mut layout = Layout::default();
        for (at, text) in ["contin-", "ued and A-", "B and x -", "y"].into_iter().enumerate() {
            layout.add(text, (0.0, 700.0 - 12.0 * at as f32), 50.0, 10.0);
        }
        assert_eq!(layout.finish(), "continued and A-\nB and x -\ny");
    }
}
