//! Where parts of Markdown end that lead somewhere.

use super::address::{ends_word, find};

/// Where a word ends, in code as in text: before what ends an address, a picture, or a mark of code.
pub(super) fn end_of_word(text: &str) -> Option<usize> {
    let ends = |(at, letter): (usize, char)| {
        let begins = |mark: &str| at > 0 && text.get(at..).is_some_and(|from| from.starts_with(mark));
        ends_word(letter) || begins("![") || begins("~~~")
    };
    text.char_indices().find(|one| ends(*one)).map(|(at, _)| at)
}

/// Where a run of as many backticks begins that closes one.
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

/// Whether all readers end a bare address before this, which stands behind it up to white space or a sign that ends an address.
///
/// Readers differ in what they take along: one takes a colon always, and a comma or a full stop if another sign follows at once.
/// They agree on a closing bracket that was not opened within the address, and on the mark at the end of a sentence.
pub(super) fn ends_for_all(address: &str, behind: &str) -> bool {
    let mut signs = behind.chars();
    match signs.next() {
        None => true,
        Some(')') => signs.all(|sign| "),.;:!?".contains(sign)),
        Some(mark @ ('.' | '!' | '?')) => signs.all(|sign| sign == mark),
        Some(',') => signs.next().is_none(),
        // Behind a name it would end an entity.
        Some(';') => signs.next().is_none() && !address.contains('&'),
        Some(_) => false,
    }
}

/// Where `]:` leads, if it may define a link to some reader: the rest of its line, or of the next one, is one word and perhaps a
/// title. Nothing at all where more must come first.
#[allow(clippy::option_option)]
pub(super) fn definition(behind: &str, known: bool) -> Option<Option<&str>> {
    let blank = [' ', '\t', '\r'];
    let mut rest = behind.trim_start_matches(blank);
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
    // Two words are prose, which defines nothing, where both are sure to be left as they are: a word behind an address that is
    // removed would be where the definition leads.
    let is_word = |sign: char| sign.is_alphanumeric() || ",;-".contains(sign);
    let is_left = find(target).is_none() && !target.contains(['<', '>', '[', ']', '!', '`', '~']);
    let is_prose = is_left && next.starts_with(char::is_alphabetic) && next.chars().all(is_word);
    Some((!is_prose && !target.is_empty()).then_some(bare))
}

/// What stands between the brackets of a link: where it leads, and its length with the closing one. None where no bracket closes
/// it; nothing at all where more must come first.
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
            // Another link begins, so this is none; what it says is looked at as text.
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
