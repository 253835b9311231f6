//! Recognises lines that are no sentences: captions, headings, addresses.

use super::parts::Part;
use vademecum_text::terms::words;

/// Returns whether a text is the caption of a listing, a figure or a table, which names what it shows.
pub(super) fn is_caption(text: &str) -> bool {
    let mut said = words(text);
    let is_kind = said.next().is_some_and(|(_, word)| CAPTIONS.contains(&word.to_lowercase().as_str()));
    let number = said.next().filter(|(_, word)| word.starts_with(|first: char| first.is_ascii_digit()));
    let ends = number.and_then(|(at, word)| text.get(at + word.len()..));
    is_kind
        && ends.is_some_and(|rest| rest.trim_start_matches(is_of_number).starts_with([':', '.', '–', '—']))
}

/// Returns whether a character continues the number of a caption, as in "8-5".
fn is_of_number(letter: char) -> bool {
    letter.is_ascii_digit() || letter == '-'
}

/// Words that begin captions.
const CAPTIONS: [&str; 10] =
    ["listing", "figure", "fig", "table", "abbildung", "abb", "tabelle", "figura", "tableau", "tabla"];

/// Returns whether a sentence ends as one; others are often captions or fragments, or announce the next one.
pub(super) fn is_whole(sentence: &str) -> bool {
    let bare = sentence.trim_end_matches(['"', '\'', ')', ']', '”', '“', '’', '»', '«', '*', '_', '`']);
    bare.ends_with(['.', '!', '?', '。', '！', '？'])
}

/// Returns whether a part begins a line and lacks closing punctuation. Items of lists do not: their marks begin the line.
pub(super) fn is_fragment(passage: &str, part: &Part) -> bool {
    let before = passage.get(..part.bytes.start).and_then(|before| before.rsplit('\n').next());
    let begins_line = before.is_none_or(|before| before.trim().is_empty());
    begins_line && !is_whole(&part.text) && !part.text.ends_with([':', '：', ',', ';'])
}
