//! Detects and removes invisible characters, and maps look-alike characters to Latin.

/// Returns whether a character is a zero-width joiner or non-joiner, which some scripts and emoji need.
fn joins(letter: char) -> bool {
    matches!(letter, '\u{200C}' | '\u{200D}')
}

/// Returns whether a character selects the text or emoji presentation of the one before it.
fn shapes(letter: char) -> bool {
    matches!(letter, '\u{FE0E}' | '\u{FE0F}')
}

/// Returns whether a character has no glyph: controls, zero widths, directional marks, tags, variation selectors.
pub(super) fn is_invisible(letter: char) -> bool {
    (letter.is_control() && !matches!(letter, '\n' | '\t'))
        || matches!(letter,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{2800}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Returns whether to keep a character, given the last kept one and the next one: every visible character, and joiners and
/// selectors where a script or an emoji needs them.
pub(super) fn is_kept(before: Option<char>, letter: char, after: Option<char>) -> bool {
    if !is_invisible(letter) {
        return true;
    }
    let of_script = |other: Option<char>| other.is_some_and(|other| !other.is_ascii());
    if joins(letter) {
        return of_script(before.filter(|other| !joins(*other)))
            && of_script(after.filter(|other| !is_invisible(*other)));
    }
    shapes(letter) && of_script(before.filter(|other| !is_invisible(*other)))
}

/// Removes invisible characters.
pub(super) fn visible(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut before = None;
    while let Some(letter) = letters.next() {
        if is_kept(before, letter, letters.peek().copied()) {
            kept.push(letter);
            before = Some(letter);
        }
    }
    kept
}

/// Characters of other scripts that look like a Latin letter, and those letters.
const ALIKE: [(&str, &str); 2] = [
    ("аеорсухіјѕһԁԛԝмтнквгзьАЕОРСУХІЈЅНКМТВЗ", "aeopcyxijshdqwmthkbr3bAEOPCYXIJSHKMTB3"),
    ("οινρτυκαεγωςΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "oivptukaeywcABEZHIKMNOPTYX"),
];
/// Look-alikes of the punctuation in addresses.
const SIGNS: [(&str, char); 5] =
    [("：∶﹕ː꞉", ':'), ("／∕⁄⧸", '/'), ("．。․｡", '.'), ("？", '?'), ("＠﹫", '@')];

/// Returns whether a character is a non-Latin look-alike of a Latin letter.
pub(super) fn is_alike(letter: char) -> bool {
    ALIKE.iter().any(|(others, _)| others.contains(letter))
}

/// Maps a character to the Latin letter or punctuation that it looks like.
pub(super) fn as_latin(letter: char) -> char {
    if letter.is_ascii() {
        return letter;
    }
    for (others, ours) in ALIKE {
        if let Some(place) = others.chars().position(|other| other == letter) {
            return ours.chars().nth(place).unwrap_or(letter);
        }
    }
    if let Some((_, sign)) = SIGNS.iter().find(|(others, _)| others.contains(letter)) {
        return *sign;
    }
    let code = u32::from(letter);
    let ascii = |first: char, from: u32, count: u32| char::from_u32(u32::from(first) + (code - from) % count);
    match code {
        // Full-width forms, circled letters, and mathematical alphanumerics, which come in runs of 26.
        0xFF01..=0xFF5E => char::from_u32(code - 0xFEE0).unwrap_or(letter),
        0x24B6..=0x24CF => ascii('A', 0x24B6, 26).unwrap_or(letter),
        0x24D0..=0x24E9 => ascii('a', 0x24D0, 26).unwrap_or(letter),
        0x1F130..=0x1F149 | 0x1F150..=0x1F169 | 0x1F170..=0x1F189 => {
            ascii('A', 0x1F130, 32).unwrap_or(letter)
        }
        0x1D400..=0x1D6A3 => {
            let small = (code - 0x1D400) / 26 % 2 == 1;
            ascii(if small { 'a' } else { 'A' }, 0x1D400, 26).unwrap_or(letter)
        }
        0x1D7CE..=0x1D7FF => ascii('0', 0x1D7CE, 10).unwrap_or(letter),
        _ => letter,
    }
}

/// Maps every character of a text with [`as_latin`].
pub(super) fn latin(text: &str) -> String {
    text.chars().map(as_latin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_are_mapped_to_latin() {
        assert_eq!(latin("ｉｇｎоrе 𝐢𝐠𝐧𝑜𝓻𝕖 ⓘⒼ 𝟕"), "ignore ignore iG 7");
        assert!(ALIKE.iter().all(|(others, ours)| others.chars().count() == ours.chars().count()));
    }

    #[test]
    fn invisible_characters_are_removed_but_scripts_and_emoji_are_unchanged() {
        assert_eq!(visible("ig\u{200B}no\u{AD}re\u{202E} this\u{E0041}\u{E0042}\u{0}"), "ignore this");
        assert_eq!(visible("a\u{FE00}\u{FE01}\u{E0101}b\tc\n"), "ab\tc\n");
        for whole in ["👩🏽\u{200D}🚀 ❤\u{FE0F}\u{200D}🔥", "می\u{200C}خواهم", "क्\u{200D}ष"]
        {
            assert_eq!(visible(whole), whole);
        }
        assert_eq!(visible("é\u{200D}\u{200C}\u{200D}é"), "é\u{200D}é", "no room for a message");
    }
}
