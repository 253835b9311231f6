//! Quotations in an answer: without citations and list markers, and where a passage contains them.

use super::source::Source;
use std::ops::Range;
use vademecum_text::terms::is_blank;
use vademecum_util::within::Within;

/// Splits what has no full stop between its citations, such as rows of a table, if each part is quoted from the passage cited behind it.
pub(crate) fn quotations(
    hidden: &str,
    bytes: Range<usize>,
    markers: &[(Range<usize>, usize)],
    sources: &[Source<'_>],
) -> Vec<Range<usize>> {
    let first = markers.partition_point(|(marker, _)| marker.start < bytes.start);
    let (mut parts, mut start) = (Vec::new(), bytes.start);
    for (marker, place) in markers.iter().skip(first) {
        let end = marker.start.min(bytes.end).max(start);
        let piece = hidden.within(start..end);
        let words = without_list_marker(piece.trim());
        if !is_blank(words) {
            let is_quoted =
                sources.get(*place).is_some_and(|source| verbatim(&source.hit.chunk.text, words).is_some());
            if !is_quoted {
                return vec![bytes];
            }
            let from = start + piece.len() - piece.trim_start().len();
            parts.push(from..start + piece.trim_end().len());
        }
        start = marker.end;
        if start >= bytes.end {
            break;
        }
    }
    let is_all = hidden.get(start.min(bytes.end)..bytes.end).is_some_and(|rest| rest.trim().is_empty());
    if parts.len() > 1 && is_all { parts } else { vec![bytes] }
}

/// Returns a sentence without its citations: "in writing [1]." becomes "in writing.".
pub(crate) fn without_markers(
    hidden: &str,
    bytes: &Range<usize>,
    markers: &[(Range<usize>, usize)],
) -> String {
    let first = markers.partition_point(|(marker, _)| marker.start < bytes.start);
    let within = || markers.iter().skip(first).map(|(marker, _)| marker).take_while(|m| m.end <= bytes.end);
    let starts = std::iter::once(bytes.start).chain(within().map(|marker| marker.end));
    let ends = within().map(|marker| marker.start).chain([bytes.end]);
    let mut words = String::new();
    for piece in starts.zip(ends).filter_map(|(start, end)| hidden.get(start..end)).map(str::trim) {
        let closes = piece.starts_with(['.', ',', ';', ':', '!', '?', ')', ']', '”', '»', '。', '、', '，']);
        if !words.is_empty() && !piece.is_empty() && !closes {
            words.push(' ');
        }
        words.push_str(piece);
    }
    words
}

/// Removes a list marker such as `- ` or `2. `.
pub(crate) fn without_list_marker(sentence: &str) -> &str {
    let bare = sentence.trim_start_matches(['-', '*', '+', '>', ' ']);
    let digits = bare.len() - bare.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let (number, after) = bare.split_at(digits);
    match after.strip_prefix(['.', ')']) {
        Some(rest) if (1..=3).contains(&number.len()) && (rest.is_empty() || rest.starts_with(' ')) => {
            rest.trim_start()
        }
        _ => bare,
    }
}

/// Returns where `text` contains `words` literally; a line break counts as a space.
pub(crate) fn verbatim(text: &str, words: &str) -> Option<Range<usize>> {
    let words = words.trim();
    let first = words.split_whitespace().next()?;
    text.match_indices(first).find_map(|(start, _)| {
        let mut rest = text.get(start..)?;
        for (at, word) in words.split_whitespace().enumerate() {
            let next = rest.trim_start();
            if at > 0 && next.len() == rest.len() {
                return None;
            }
            rest = if at == 0 { rest } else { next }.strip_prefix(word)?;
        }
        // "user" does not contain the word "use".
        let end = text.len() - rest.len();
        let joined = |a: Option<char>, b: Option<char>| {
            a.is_some_and(char::is_alphanumeric) && b.is_some_and(char::is_alphanumeric)
        };
        let before = text.get(..start)?.chars().next_back();
        let is_part =
            joined(before, first.chars().next()) || joined(words.chars().next_back(), rest.chars().next());
        (!is_part).then_some(start..end)
    })
}
