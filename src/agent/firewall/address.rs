//! Addresses in a text, however they are written: in full, without a scheme, in entities, in percent signs, with letters that
//! look like others.

use super::letters::latin;

/// Schemes that need no slashes, and what must follow them to be one.
const SCHEMES: [(&str, &str); 6] = [
    ("javascript:", ""),
    ("vbscript:", ""),
    ("livescript:", ""),
    ("mailto:", "@"),
    ("file:", "/"),
    ("data:", ","),
];
/// What data in an address says that it is.
const DATA: [&str; 6] = ["text/", "image/", "application/", "audio/", "video/", "font/"];
/// Ends of names of hosts that readers make links of, where no scheme stands before them.
const ENDS: [&str; 16] = [
    "com", "net", "org", "xyz", "example", "biz", "edu", "gov", "onion", "eu", "uk", "de", "fr", "ru", "cn",
    "ua",
];
/// Those that are names of fields in programs as well: only with a path behind them.
const ENDS_BEFORE_PATH: [&str; 25] = [
    "info", "io", "co", "dev", "app", "test", "invalid", "site", "online", "top", "pro", "web", "name",
    "shop", "cloud", "link", "click", "live", "tech", "ai", "me", "nl", "it", "tv", "us",
];

/// What an address ends before, beside white space: brackets are part of one.
pub(super) fn ends_word(letter: char) -> bool {
    letter.is_whitespace()
        || matches!(
            letter,
            '<' | '>'
                | '`'
                | '"'
                | '['
                | ']'
                | '“'
                | '”'
                | '„'
                | '«'
                | '»'
                | '、'
                | '。'
                | '，'
                | '；'
                | '：'
                | '！'
                | '？'
                | '（'
                | '）'
                | '「'
                | '」'
                | '『'
                | '』'
                | '《'
                | '》'
                | '…'
        )
}

/// A word with an address in it, in parts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    pub(super) before: &'a str,
    pub(super) address: &'a str,
    pub(super) behind: &'a str,
}

/// The address in a word, which holds nothing that ends one. Signs around it are no part of it.
pub(super) fn find(word: &str) -> Option<Parts<'_>> {
    let start = word.len() - word.trim_start_matches(['(', '\'', '*', '_', '~', '{', '|', ',', '‘']).len();
    let (before, rest) = word.split_at(start);
    let mut end =
        rest.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '~', '|', '}', '’']).len();
    let brackets = |text: &str| (text.matches('(').count(), text.matches(')').count());
    let (mut opened, mut closed) = (0, 0);
    if let Some(kept) = rest.get(..end) {
        (opened, closed) = brackets(kept);
    }
    while let Some(kept) = rest.get(..end).filter(|kept| closed > opened && kept.ends_with(')')) {
        let shorter = kept.strip_suffix(')').unwrap_or(kept);
        end = shorter.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_']).len();
        closed -= 1;
    }
    let (core, behind) = rest.split_at(end);
    let lower = core.to_ascii_lowercase();
    if let Some(at) = begins(&lower.replace("\\\\", "//")) {
        // What is written in two ways goes as a whole.
        let at = if core.get(..at).is_some_and(|before| before.contains(['&', '%'])) { 0 } else { at };
        let (more, address) = core.split_at(at);
        return Some(Parts { before: word.get(..before.len() + more.len())?, address, behind });
    }
    // Written in another way, it cannot be told where it begins.
    if lower.bytes().all(|byte| byte.is_ascii() && !b"%&".contains(&byte)) {
        return None;
    }
    let plain = plain(core);
    begins(&plain).map(|_| Parts { before, address: core, behind })
}

/// A word as a browser would read it in the end: entities and percent signs resolved, and letters that look like Latin ones
/// made those.
pub(super) fn plain(word: &str) -> String {
    let mut plain = word.to_owned();
    for _ in 0..3 {
        let next = latin(&unescaped(&plain)).to_lowercase().replace('\\', "/");
        if next == plain {
            break;
        }
        plain = next;
    }
    plain
}

/// Entities and percent signs resolved, once.
pub(super) fn unescaped(word: &str) -> String {
    let mut bytes: Vec<u8> = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some(at) = rest.find(['%', '&']) {
        let (before, from) = rest.split_at(at);
        bytes.extend_from_slice(before.as_bytes());
        let (sign, behind) = from.split_at(1);
        let percent =
            behind.get(..2).filter(|_| sign == "%").and_then(|hex| u8::from_str_radix(hex, 16).ok());
        if let Some(byte) = percent {
            bytes.push(byte);
            rest = behind.get(2..).unwrap_or_default();
        } else if let Some((letter, length)) = (sign == "&").then(|| entity(behind)).flatten() {
            bytes.extend_from_slice(letter.to_string().as_bytes());
            rest = behind.get(length..).unwrap_or_default();
        } else {
            bytes.extend_from_slice(sign.as_bytes());
            rest = behind;
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).unwrap_or_else(|wrong| String::from_utf8_lossy(wrong.as_bytes()).into_owned())
}

/// The letter an entity stands for, and how long it is behind its `&`.
fn entity(behind: &str) -> Option<(char, usize)> {
    const NAMED: [(&str, char); 9] = [
        ("colon;", ':'),
        ("sol;", '/'),
        ("period;", '.'),
        ("amp;", '&'),
        ("lt;", '<'),
        ("gt;", '>'),
        ("quest;", '?'),
        ("commat;", '@'),
        ("num;", '#'),
    ];
    let Some(number) = behind.strip_prefix('#') else {
        return NAMED
            .iter()
            .find(|(name, _)| behind.starts_with(name))
            .map(|(name, letter)| (*letter, name.len()));
    };
    let (digits, radix) = number.strip_prefix(['x', 'X']).map_or((number, 10), |digits| (digits, 16));
    let count = digits.bytes().take(8).take_while(|digit| char::from(*digit).is_digit(radix)).count();
    let letter = char::from_u32(u32::from_str_radix(digits.get(..count)?, radix).ok()?)?;
    let end = usize::from(digits.get(count..).is_some_and(|rest| rest.starts_with(';')));
    Some((letter, behind.len() - digits.len() + count + end))
}

/// Where an address begins in a word of small letters.
fn begins(word: &str) -> Option<usize> {
    let before = |at: usize| word.get(..at).unwrap_or_default();
    let scheme = word.find("://").map(|at| {
        before(at).trim_end_matches(|sign: char| sign.is_ascii_alphanumeric() || "+.-".contains(sign)).len()
    });
    let found = scheme.or_else(|| {
        SCHEMES.iter().find_map(|(scheme, needs)| {
            let mut ways = word.match_indices(scheme).take(8);
            ways.find_map(|(at, _)| {
                let behind = word.get(at + scheme.len()..)?;
                let fits = !behind.is_empty()
                    && behind.contains(needs)
                    && (*scheme != "data:"
                        || behind.starts_with([',', ';'])
                        || DATA.iter().any(|one| behind.starts_with(one)));
                let fresh = !before(at).ends_with(|sign: char| sign.is_alphanumeric());
                (fits && fresh).then_some(at)
            })
        })
    });
    found.or_else(|| host(word))
}

/// Where the name of a host begins that readers make a link of.
fn host(word: &str) -> Option<usize> {
    let mut at = 0;
    for run in word.split_inclusive(|sign: char| !(sign.is_alphanumeric() || ".-".contains(sign))) {
        let from = at;
        at += run.len();
        let name = run.trim_end_matches(|sign: char| !sign.is_alphanumeric());
        let skipped = name.len() - name.trim_start_matches(['.', '-']).len();
        let name = name.get(skipped..).unwrap_or_default();
        let Some((_, end)) = name.rsplit_once('.') else { continue };
        let before = word.get(..from + skipped).unwrap_or_default();
        let is_web = name.starts_with("www.");
        let is_mail = before.ends_with('@') && before.len() > 1;
        let is_bare = before.ends_with("//");
        let has_path = run.ends_with(['/', '?', '#']);
        let is_end = ENDS.contains(&end) || (has_path && ENDS_BEFORE_PATH.contains(&end));
        let is_known = !before.ends_with(['/', '_']) && is_end;
        if is_mail {
            let user = before.trim_end_matches('@');
            let user = user.trim_end_matches(|sign: char| sign.is_alphanumeric() || "._%+-".contains(sign));
            return Some(user.len());
        }
        if is_bare && end.starts_with(char::is_alphabetic) {
            return Some(before.trim_end_matches('/').len());
        }
        if is_web || is_known {
            return Some(from + skipped);
        }
    }
    None
}

/// All words of a text that hold an address, as they stand there.
pub(super) fn all(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(ends_word);
    words.filter_map(|word| {
        let word = word.get(..word.floor_char_boundary(super::screen::LONGEST))?;
        find(word).map(|parts| parts.address)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_known_however_it_is_written() {
        for written in [
            "https://evil.example/x?q=1",
            "HTTP://EVIL.example",
            "//evil.example/x",
            "www.evil.zz",
            "evil.example/x",
            "evil.dev/?q=1",
            "evil.com",
            "javascript:alert(1)",
            "data:text/html,x",
            "data:;base64,eA==",
            "mailto:a@b.example",
            "a.b@evil.example",
            "https%3A%2F%2Fevil.example",
            "h&#116;tps&colon;//evil.zz",
            "&#106;avascript:alert(1)",
            "https:\\\\evil.zz",
            "ｈttps://evil.zz",
            "https∶∕∕evil.zz",
            "еvil.com",
            "ftp://x",
            "x:https%253A//evil.zz",
        ] {
            assert!(find(written).is_some(), "{written}");
        }
        for plain in [
            "std::vec",
            "a/b",
            "README.md",
            "node.js/express",
            "v1.2.3",
            "e.g.",
            "// comment",
            "data:",
            "data:Vec",
            "and/or",
            "self.name",
            "node.link",
            "key:value",
            "100%",
            "AT&amp;T",
            "crates/foo.rs",
            "12:30",
            "a@b",
            "größer",
            "//TODO",
        ] {
            assert_eq!(find(plain), None, "{plain}");
        }
    }

    #[test]
    fn signs_around_an_address_are_no_part_of_it() {
        let parts = find("(see:https://a.example/x_(y)).").unwrap();
        assert_eq!(parts, Parts { before: "(see:", address: "https://a.example/x_(y)", behind: ")." });
        assert_eq!(find("**https://a.example**").unwrap().address, "https://a.example");
    }
}
