//! Finds where words, code spans, addresses and links end in Markdown.

use super::address::{ends_word, find};

/// Returns where a word ends, in code and in text: before a character that ends an address, an image, or a code fence.
pub(super) fn end_of_word(text: &str) -> Option<usize> {
    let ends = |(at, letter): (usize, char)| {
        let begins = |mark: &str| at > 0 && text.get(at..).is_some_and(|from| from.starts_with(mark));
        ends_word(letter) || begins("![") || begins("~~~")
    };
    text.char_indices().find(|one| ends(*one)).map(|(at, _)| at)
}

/// Returns where the run of exactly `run` backticks begins that closes a code span.
pub(super) fn closing(line: &str, run: usize) -> Option<usize> {
    let mut at = 0;
    loop {
        let from = at + line.get(at..)?.find('`')?;
        let rest = line.get(from..)?;
        let length = rest.len() - rest.trim_start_matches('`').len();
        if length == run {
            return Some(from);
        }
        at = from + length;
    }
}

/// Returns whether all readers end a bare address before `after`, the text up to the next character that ends an address.
///
/// Readers differ in what they include: some always take a colon, some a comma or a full stop if another character follows
/// directly. They agree on a closing parenthesis that was not opened within the address, and on the punctuation at the end of a
/// sentence.
pub(super) fn ends_for_all(address: &str, after: &str) -> bool {
    let mut signs = after.chars();
    match signs.next() {
        None => true,
        Some(')') => signs.all(|sign| "),.;:!?".contains(sign)),
        Some(mark @ ('.' | '!' | '?')) => signs.all(|sign| sign == mark),
        Some(',') => signs.next().is_none(),
        // After an entity name it would belong to the address.
        Some(';') => signs.next().is_none() && !address.contains('&'),
        Some(_) => false,
    }
}

/// Returns the target of a link definition after `]:` if any reader may see one: the rest of the line, or the next line, is one
/// word and perhaps a title. The outer `None` means that more input is needed.
#[allow(clippy::option_option)]
pub(super) fn definition(after: &str, known: bool) -> Option<Option<&str>> {
    let blank = [' ', '\t', '\r'];
    let mut rest = after.trim_start_matches(blank);
    if let Some(next) = rest.strip_prefix('\n') {
        rest = next.trim_start_matches([' ', '\t', '\r', '>']);
    }
    let bracket = if rest.starts_with('<') { Some(rest.find(['>', '\n'])) } else { None };
    let end = match bracket {
        Some(None) if !known => return None,
        Some(Some(end)) if rest.get(end..).is_some_and(|rest| rest.starts_with('>')) => Some(end + 1),
        _ => rest.find(char::is_whitespace),
    };
    let (target, rest) = rest.split_at_checked(end.or(known.then_some(rest.len()))?)?;
    let bare = target.strip_prefix('<').and_then(|target| target.strip_suffix('>')).unwrap_or(target);
    let rest = rest.trim_start_matches(blank);
    let next = match rest.find(char::is_whitespace) {
        None if !known => return None,
        end => rest.get(..end.unwrap_or(rest.len()))?,
    };
    // Two words that are both emitted unchanged are prose and define nothing. If the first were removed, the second would become
    // the target.
    let is_word = |sign: char| sign.is_alphanumeric() || ",;-".contains(sign);
    let is_left = find(target).is_none() && !target.contains(['<', '>', '[', ']', '!', '`', '~']);
    let is_prose = is_left && next.starts_with(char::is_alphabetic) && next.chars().all(is_word);
    Some((!is_prose && !target.is_empty()).then_some(bare))
}

/// Returns the target in the parentheses of a link, and the length including the closing one. `Some(None)` if no parenthesis
/// closes it; `None` if more input is needed.
#[allow(clippy::option_option)]
pub(super) fn target(inside: &str, known: bool) -> Option<Option<(&str, usize)>> {
    let (mut depth, mut newline, mut bracket) = (0usize, false, false);
    for (at, letter) in inside.char_indices() {
        match letter {
            ')' if depth == 0 => {
                let said = inside.get(..at)?.trim();
                let first = said.split(char::is_whitespace).next().unwrap_or_default();
                let bare = first.strip_prefix('<').and_then(|first| first.strip_suffix('>')).unwrap_or(first);
                return Some(Some((bare, at + 1)));
            }
            ')' => depth -= 1,
            // Another link begins, so this is none; its content is read as text.
            '(' if bracket => return Some(None),
            '(' => depth += 1,
            '\n' if newline => return Some(None),
            _ => {}
        }
        bracket = letter == ']';
        newline = letter == '\n' || (newline && letter.is_whitespace());
    }
    known.then_some(None)
}
