//! Emphasis that ends with a sentence, as in "**Wed 12 Oct.** We sailed at nine."

use std::ops::Range;
use vademecum_text::block::trim;
use vademecum_util::within::Within;

/// The marks of emphasis.
const MARKS: [char; 2] = ['*', '_'];
/// Maximum number of words of a label.
const LABEL_WORDS: usize = 5;

/// Returns a sentence without the marks that close the emphasis of the one before it, `last`, and whether that is its label.
pub(super) fn separated(text: &str, last: Option<&Range<usize>>, at: Range<usize>) -> (Range<usize>, bool) {
    let Some(last) = last.filter(|last| last.end == at.start) else { return (at, false) };
    let marks = closing(text.within(at.clone()));
    let before = text.within(..last.start);
    let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
    let has_label = is_label(line, text.within(last.clone()), marks);
    (trim(text, at.start + marks.len()..at.end), has_label)
}

/// Returns the marks at the beginning of a sentence that directly follows another one: they close the emphasis of that.
fn closing(sentence: &str) -> &str {
    let rest = sentence.trim_start_matches(MARKS);
    let is_closed = rest.is_empty() || rest.starts_with(char::is_whitespace);
    if is_closed { sentence.within(..sentence.len() - rest.len()) } else { "" }
}

/// Returns whether a sentence whose emphasis `marks` close is the label of the next one: short, emphasised from its beginning on, and no question. `line` is
/// what precedes it on its line.
fn is_label(line: &str, sentence: &str, marks: &str) -> bool {
    let Some(label) = sentence.strip_prefix(marks).filter(|_| !marks.is_empty()) else { return false };
    !line.contains(char::is_alphabetic)
        && label.ends_with('.')
        && !label.contains(MARKS)
        && label.split_whitespace().nth(LABEL_WORDS).is_none()
}

#[cfg(test)]
mod tests {
    use super::super::parts::{Kind, parts};
    use super::*;

    #[test]
    fn a_label_in_emphasis_belongs_to_the_sentence_after_it() {
        let text = "**Wed 12 Oct.** Whale watching. It was *wet.* We ate.\n\n- **Thu.** Rain.\n\n*Why?* It is **so.**";
        let found: Vec<String> = parts(text)
            .into_iter()
            .filter(|part| part.kind == Kind::Sentence)
            .map(|part| part.text)
            .collect();
        assert_eq!(
            found,
            [
                "**Wed 12 Oct.** Whale watching.",
                "It was *wet.",
                "We ate.",
                "**Thu.** Rain.",
                "*Why?* It is **so."
            ]
        );
    }

    #[test]
    fn marks_before_white_space_close() {
        assert_eq!(["** We", "**", "_\nWe", "**We**", "We *do*"].map(closing), ["**", "**", "_", "", ""]);
    }

    #[test]
    fn a_label_is_short_and_emphasised_as_a_whole_at_the_beginning_of_its_line() {
        assert!(is_label("", "**Wed 12 Oct.", "**"));
        assert!(is_label("1. ", "_Note.", "_"));
        assert!(!is_label("He left. ", "**Wed 12 Oct.", "**"));
        for (sentence, marks) in [
            ("*Moby Dick* is **great.", "**"),
            ("It is **great.", "**"),
            ("*Who is it?", "*"),
            ("**This is no label, but a sentence.", "**"),
            ("Note.", ""),
        ] {
            assert!(!is_label("", sentence, marks), "{sentence}");
        }
    }
}
