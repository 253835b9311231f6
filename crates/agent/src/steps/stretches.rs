//! Splits mails into quoted and unquoted lines, so that sentences and lists do not run across the border.

use std::ops::Range;
use vademecum_text::block::lines;

/// Minimum number of lines of a quotation: a single line may begin with "greater than".
const QUOTED_LINES: usize = 2;

/// Adjacent lines of a text that are all quoted, or all not.
pub(super) struct Stretch {
    /// The lines without the marks of a quotation.
    pub(super) text: String,
    /// Where each line begins in `text`, and in the whole.
    places: Vec<(usize, usize)>,
}

/// Splits a text at the beginnings and ends of quotations.
pub(super) fn stretches(text: &str) -> Vec<Stretch> {
    let is_quoted = |line: &str| line.trim_end() == ">" || line.starts_with("> ");
    let all: Vec<(usize, &str)> = lines(text).collect();
    let mut found: Vec<(bool, Stretch)> = Vec::new();
    for run in all.chunk_by(|one, other| is_quoted(one.1) == is_quoted(other.1)) {
        let quoted = run.len() >= QUOTED_LINES && run.first().is_some_and(|(_, line)| is_quoted(line));
        if found.last().is_none_or(|(before, _)| *before != quoted) {
            found.push((quoted, Stretch { text: String::new(), places: Vec::new() }));
        }
        let Some((_, stretch)) = found.last_mut() else { continue };
        for (at, line) in run {
            let said = if quoted { line.trim_start_matches(['>', ' ']) } else { line };
            stretch.places.push((stretch.text.len(), at + line.len() - said.len()));
            stretch.text.push_str(said);
        }
    }
    found.into_iter().map(|(_, stretch)| stretch).collect()
}

impl Stretch {
    /// Converts a range of its text, which is not empty, to a range of the whole.
    pub(super) fn placed(&self, bytes: &Range<usize>) -> Range<usize> {
        let place = |at: usize| {
            let line = self.places.partition_point(|(start, _)| *start <= at).saturating_sub(1);
            self.places.get(line).map_or(at, |(start, place)| place + at - start)
        };
        place(bytes.start)..place(bytes.end.saturating_sub(1)) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_lines_are_apart_and_their_words_keep_their_places() {
        let text = "Thanks.\n> The step of pine\n> is cracked.\n>\n> - oak\nYes.\n> 40 °C is warm.\nEnd.";
        let all = stretches(text);
        let texts: Vec<&str> = all.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(
            texts,
            ["Thanks.\n", "The step of pine\nis cracked.\n\n- oak\n", "Yes.\n> 40 °C is warm.\nEnd."]
        );
        for one in &all {
            for word in one.text.split_whitespace() {
                let at = one.text.find(word).unwrap();
                assert_eq!(&text[one.placed(&(at..at + word.len()))], word);
            }
        }
    }
}
