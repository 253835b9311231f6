//! Rich text: the text, by paragraphs and rows of tables.

use crate::documents::Read;
use crate::refusal::Refusal;
use crate::text::as_text;
use encoding_rs::Encoding;
use vademecum_protocol::document::Document;

/// Groups whose content is not text of the document.
const LEFT_OUT: [&str; 24] = [
    "fonttbl",
    "colortbl",
    "stylesheet",
    "info",
    "pict",
    "object",
    "header",
    "headerl",
    "headerr",
    "headerf",
    "footer",
    "footerl",
    "footerr",
    "footerf",
    "listtable",
    "listoverridetable",
    "revtbl",
    "rsidtbl",
    "generator",
    "themedata",
    "colorschememapping",
    "latentstyles",
    "datastore",
    "fldinst",
];
/// Depth of nested groups.
const MAX_DEPTH: usize = 1_000;

pub(crate) fn read(id: &str, name: &str, bytes: &[u8]) -> Result<Read, Refusal> {
    if !bytes.starts_with(b"{\\rtf") {
        return Err(Refusal::damaged("rich text", "a word processor"));
    }
    let text = text_of(bytes).ok_or_else(|| Refusal::damaged("rich text", "a word processor"))?;
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let text = lines.join("\n");
    let title = text.lines().find(|line| !line.trim().is_empty()).map(|line| line.trim().to_owned());
    let title = title.filter(|title| title.chars().count() <= 80).unwrap_or_else(|| name.to_owned());
    Ok(Read::of(Document { title: Some(title), ..as_text(id, name, text) }))
}

/// State of a group, which ends with it.
#[derive(Debug, Clone, Copy)]
struct Group {
    is_left_out: bool,
    /// Number of characters after `\u` that are for programs without Unicode.
    skipped: usize,
}

/// Returns the text; nothing if groups are nested too deeply.
fn text_of(bytes: &[u8]) -> Option<String> {
    let mut text = String::new();
    let mut encoding = encoding_rs::WINDOWS_1252;
    let mut group = Group { is_left_out: false, skipped: 1 };
    let mut groups = Vec::new();
    let mut pending = Vec::new(); // bytes of the encoding that are not decoded yet
    let (mut to_skip, mut high) = (0, None);
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        // The second byte of a character may be a letter; other controls, and the ends of groups, end what is decoded together.
        let is_control = *first == b'\\' && !rest.starts_with(b"'");
        if is_control || matches!(first, b'{' | b'}') {
            flush(&mut pending, encoding, &mut text);
        }
        match first {
            b'{' => {
                groups.push(group);
                if groups.len() > MAX_DEPTH {
                    return None;
                }
            }
            b'}' => {
                group = groups.pop()?;
                to_skip = 0;
                if groups.is_empty() {
                    break;
                }
            }
            b'\\' => {
                let control = Control::of(rest);
                rest = control.rest;
                match control.word {
                    "'" => match control.number.and_then(|byte| u8::try_from(byte).ok()) {
                        Some(_) if to_skip > 0 => to_skip -= 1,
                        Some(byte) if !group.is_left_out => pending.push(byte),
                        _ => {}
                    },
                    "*" => group.is_left_out = true,
                    "bin" => {
                        let length = usize::try_from(control.number.unwrap_or(0)).unwrap_or(0);
                        rest = rest.get(length..)?;
                    }
                    "uc" => group.skipped = usize::try_from(control.number.unwrap_or(1)).unwrap_or(1),
                    "ansicpg" => {
                        let page = control.number.and_then(|page| u16::try_from(page).ok());
                        encoding = page.and_then(of_code_page).unwrap_or(encoding);
                    }
                    "u" => {
                        to_skip = group.skipped;
                        if !group.is_left_out {
                            // Negative numbers are those above 32,767; pairs of surrogates are one character.
                            let unit = control.number.unwrap_or(0).rem_euclid(65_536) as u16;
                            match (high.take(), unit) {
                                (_, 0xD800..=0xDBFF) => high = Some(unit),
                                (before, unit) => {
                                    let units: Vec<u16> = before.into_iter().chain([unit]).collect();
                                    text.push_str(&String::from_utf16_lossy(&units));
                                }
                            }
                        }
                    }
                    word if LEFT_OUT.contains(&word) => group.is_left_out = true,
                    word if !group.is_left_out => text.push_str(said(word)),
                    _ => {}
                }
            }
            b'\r' | b'\n' => {}
            _ if to_skip > 0 => to_skip -= 1,
            byte if !group.is_left_out => pending.push(*byte),
            _ => {}
        }
    }
    flush(&mut pending, encoding, &mut text);
    Some(text)
}

fn flush(pending: &mut Vec<u8>, encoding: &'static Encoding, text: &mut String) {
    // Letter by letter is slow; a control ends what is decoded together, so that a character of two bytes is whole.
    if !pending.is_empty() {
        text.push_str(&encoding.decode_without_bom_handling(pending).0);
        pending.clear();
    }
}

/// Returns the encoding of a code page.
fn of_code_page(page: u16) -> Option<&'static Encoding> {
    let label = match page {
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        65001 => "utf-8".to_owned(),
        other => format!("windows-{other}"),
    };
    Encoding::for_label(label.as_bytes())
}

/// Returns the text that a control word stands for.
fn said(word: &str) -> &'static str {
    match word {
        "par" | "sect" | "page" => "\n\n",
        "line" | "row" => "\n",
        "tab" | "cell" => "\t",
        "emdash" => "—",
        "endash" => "–",
        "bullet" => "•",
        "lquote" => "‘",
        "rquote" => "’",
        "ldblquote" => "“",
        "rdblquote" => "”",
        "~" => "\u{a0}",
        "_" => "-",
        "\\" => "\\",
        "{" => "{",
        "}" => "}",
        _ => "",
    }
}

/// A control word with its number, or a control sign.
struct Control<'a> {
    word: &'a str,
    number: Option<i32>,
    rest: &'a [u8],
}

impl<'a> Control<'a> {
    /// Reads the control after its backslash.
    fn of(bytes: &'a [u8]) -> Self {
        let letters = bytes.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (word, rest) = bytes.split_at_checked(letters.max(1)).unwrap_or((bytes, &[]));
        let word = std::str::from_utf8(word).unwrap_or("");
        if word == "'" {
            let (code, rest) = rest.split_at_checked(2).unwrap_or((rest, &[]));
            let code = std::str::from_utf8(code).ok().and_then(|code| i32::from_str_radix(code, 16).ok());
            return Self { word, number: code, rest };
        }
        if letters == 0 {
            return Self { word, number: None, rest };
        }
        let sign = usize::from(rest.first() == Some(&b'-'));
        let digits = rest.iter().skip(sign).take_while(|byte| byte.is_ascii_digit()).count();
        let length = if digits > 0 { sign + digits } else { 0 };
        let (number, rest) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        let number = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok());
        Self { word, number, rest: rest.strip_prefix(b" ").unwrap_or(rest) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(rtf: &str) -> String {
        text_of(rtf.as_bytes()).unwrap()
    }

    #[test]
    fn paragraphs_cells_and_characters_of_all_forms_are_text() {
        let rtf = r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\*\generator x;}\b Bold\b0\par f\'fcr \u8364?\u-10179?\u-8704? end\par a\cell b\cell\row}";
        assert_eq!(text(rtf), "Bold\n\nfür €😀 end\n\na\tb\t\n");
        assert_eq!(text(r"{\rtf1\ansicpg932 \'93\'fa\'96\'7b}"), "日本");
        assert_eq!(text(r"{\rtf1\ansicpg932 \'83A\'83C}"), "アイ");
        assert_eq!(text(r"{\rtf1 \{x\}\\ {\pict 00ff}y}"), "{x}\\ y");
    }

    #[test]
    fn what_is_cut_or_nested_without_end_is_no_trouble() {
        let rtf = r"{\rtf1\ansi {\b a\'fc\u8364?}\bin3 abc}";
        for end in 0..rtf.len() {
            let _ = text_of(&rtf.as_bytes()[..end]);
        }
        assert_eq!(text_of("{".repeat(5_000).as_bytes()), None);
    }
}
