//! Detects addresses in text in every spelling that a reader may turn into a link: with and without a scheme, with HTML entities,
//! percent-encoded, or written in look-alike characters.

use super::invisible::latin;
use super::part;
pub(super) use vademecum_protocol::address::scheme;

/// Maximum length in bytes of an address, a tag or a code span that is treated as one unit.
pub(super) const MAX_UNIT: usize = 2_000;
/// Schemes without `//`, each with the characters that must follow for it to count as an address.
const SCHEMES: [(&str, &str); 6] = [
    ("javascript:", ""),
    ("vbscript:", ""),
    ("livescript:", ""),
    ("mailto:", "@"),
    ("file:", "/"),
    ("data:", ","),
];
/// Media types that make `data:` an address.
const MEDIA_TYPES: [&str; 6] = ["text/", "image/", "application/", "audio/", "video/", "font/"];
/// Top-level domains that readers link without a scheme before the host or a path after it. Country codes that are also words,
/// units, file extensions or common field names are left out.
const TOP_LEVEL: [&str; 71] = [
    "com", "net", "org", "xyz", "example", "biz", "edu", "gov", "onion", "ae", "ag", "ao", "au", "ba", "bd",
    "bg", "bh", "bo", "bz", "cl", "cn", "cz", "de", "dk", "ec", "ee", "eg", "eu", "fj", "fr", "ga", "gg",
    "gq", "hk", "hn", "hu", "ie", "ir", "jm", "jo", "jp", "ke", "kh", "kr", "kw", "kz", "lk", "lu", "lv",
    "ly", "mx", "ng", "ni", "nz", "pe", "pw", "qa", "ro", "ru", "sg", "su", "sv", "tw", "ua", "ug", "uk",
    "uy", "uz", "ve", "vn", "za",
];
/// File extensions and field names that are no top-level domain.
const NOT_TOP_LEVEL: [&str; 76] = [
    "await", "bat", "bin", "cfg", "cjs", "class", "clone", "conf", "count", "cpp", "css", "csv", "dll",
    "doc", "docx", "env", "exe", "gguf", "gif", "git", "go", "gz", "height", "hpp", "hs", "htm", "html",
    "ini", "iter", "java", "jpeg", "jpg", "js", "json", "jsonl", "jsx", "kt", "len", "length", "lock", "log",
    "lua", "map", "max", "min", "mjs", "mp3", "mp4", "odt", "onnx", "pdf", "php", "png", "ppt", "pptx", "rb",
    "scss", "size", "snap", "sql", "svg", "tar", "text", "toml", "ts", "tsv", "tsx", "txt", "wasm", "wav",
    "webp", "xls", "xlsx", "xml", "yaml", "yml",
];
/// File extensions that are also country codes: followed by a position in a file (`main.rs:12`) they are files.
const FILE_EXTENSIONS: [&str; 6] = ["cc", "md", "pl", "py", "rs", "sh"];

/// Returns whether a character ends an address, besides white space. Parentheses do not, since they may be part of one.
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

/// A word split around the address in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Split<'a> {
    pub(super) before: &'a str,
    pub(super) address: &'a str,
    pub(super) after: &'a str,
}

/// Returns the address in a word, without surrounding punctuation. `word` contains no character that ends one (see
/// [`ends_word`]).
pub(super) fn find(word: &str) -> Option<Split<'_>> {
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
    // Some readers link `www.` no matter what follows.
    let low = rest.to_ascii_lowercase();
    let www = low.match_indices("www.").map(|(at, _)| at).find(|at| {
        let before = part(&low, ..*at);
        let before = before.strip_suffix("//").unwrap_or(before);
        before.is_empty() || before.ends_with(['(', '*', '_', '~', ')'])
    });
    if let Some(at) = www {
        // Two slashes before it belong to the address.
        let slashes = low.get(..at).is_some_and(|before| before.ends_with("//"));
        let at = at.saturating_sub(if slashes { 2 } else { 0 });
        let (more, from) = rest.split_at(at);
        let (address, after) = from.split_at(end.saturating_sub(at).max(4));
        return Some(Split { before: word.get(..before.len() + more.len())?, address, after });
    }
    let (core, after) = rest.split_at(end);
    let lower = core.to_ascii_lowercase();
    if let Some(at) = begins(&lower.replace("\\\\", "//")) {
        // A word with escapes before the address is removed as a whole.
        let at = if core.get(..at).is_some_and(|before| before.contains(['&', '%'])) { 0 } else { at };
        let (more, address) = core.split_at(at);
        return Some(Split { before: word.get(..before.len() + more.len())?, address, after });
    }
    // In an escaped word the start of the address is unknown.
    if lower.bytes().all(|byte| byte.is_ascii() && !b"%&".contains(&byte)) {
        return None;
    }
    let plain = plain(core);
    begins(&plain).map(|_| Split { before, address: core, after })
}

/// Decodes a word as a browser would: resolves entities and percent-encoding, replaces look-alike characters, and lowercases.
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

/// Resolves entities and percent-encoding once.
pub(super) fn unescaped(word: &str) -> String {
    let mut bytes: Vec<u8> = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some(at) = rest.find(['%', '&']) {
        let (before, from) = rest.split_at(at);
        bytes.extend_from_slice(before.as_bytes());
        let (sign, after) = from.split_at(1);
        let percent = after.get(..2).filter(|_| sign == "%").and_then(|hex| u8::from_str_radix(hex, 16).ok());
        if let Some(byte) = percent {
            bytes.push(byte);
            rest = part(after, 2..);
        } else if let Some((letter, length)) = (sign == "&").then(|| entity(after)).flatten() {
            bytes.extend_from_slice(letter.to_string().as_bytes());
            rest = part(after, length..);
        } else {
            bytes.extend_from_slice(sign.as_bytes());
            rest = after;
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).unwrap_or_else(|wrong| String::from_utf8_lossy(wrong.as_bytes()).into_owned())
}

/// Returns the character of an entity and the length of the entity after its `&`.
fn entity(after: &str) -> Option<(char, usize)> {
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
    let Some(number) = after.strip_prefix('#') else {
        return NAMED
            .iter()
            .find(|(name, _)| after.starts_with(name))
            .map(|(name, letter)| (*letter, name.len()));
    };
    let (digits, radix) = number.strip_prefix(['x', 'X']).map_or((number, 10), |digits| (digits, 16));
    let count = digits.bytes().take(8).take_while(|digit| char::from(*digit).is_digit(radix)).count();
    let letter = char::from_u32(u32::from_str_radix(digits.get(..count)?, radix).ok()?)?;
    let end = usize::from(digits.get(count..).is_some_and(|rest| rest.starts_with(';')));
    Some((letter, after.len() - digits.len() + count + end))
}

/// Returns whether a word is the address of a script.
pub(super) fn is_script(word: &str) -> bool {
    let plain: String = plain(word).chars().filter(|letter| *letter > ' ').collect();
    ["javascript:", "vbscript:", "livescript:", "data:text/html", "data:image/svg", "data:application/xhtml"]
        .iter()
        .any(|scheme| plain.strip_prefix(scheme).is_some_and(|rest| rest.len() > 1))
}

/// Returns where a scheme-relative address (`//host`) begins.
fn slashes(word: &str) -> Option<usize> {
    word.match_indices("//").take(8).find_map(|(at, _)| {
        let fresh = !word.get(..at)?.ends_with(|sign: char| sign.is_alphanumeric() || ":/_".contains(sign));
        let host = word.get(at + 2..)?.split(['/', '?', '#']).next()?;
        let host = host.rsplit('@').next()?;
        let begins = host.starts_with(|sign: char| sign.is_alphanumeric() || sign == '[');
        let (name, port) = host.split_once(':').unwrap_or((host, ""));
        let has_port = !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit());
        let dotted = name.trim_end_matches('.').contains('.');
        (fresh && begins && (dotted || has_port || name == "localhost" || name.starts_with('[')))
            .then_some(at)
    })
}

/// Returns where an address begins in a lowercase word.
fn begins(word: &str) -> Option<usize> {
    let before = |at: usize| part(word, ..at);
    let scheme = word.find("://").map(|at| {
        before(at).trim_end_matches(|sign: char| sign.is_ascii_alphanumeric() || "+.-".contains(sign)).len()
    });
    let found = scheme.or_else(|| {
        SCHEMES.iter().find_map(|(scheme, needs)| {
            let mut ways = word.match_indices(scheme).take(8);
            ways.find_map(|(at, _)| {
                let after = word.get(at + scheme.len()..)?;
                let fits = !after.is_empty()
                    && after.contains(needs)
                    && (*scheme != "data:"
                        || after.starts_with([',', ';'])
                        || MEDIA_TYPES.iter().any(|one| after.starts_with(one)));
                let fresh = !before(at).ends_with(|sign: char| sign.is_alphanumeric());
                (fits && fresh).then_some(at)
            })
        })
    });
    found.or_else(|| slashes(word)).or_else(|| host(word))
}

/// Returns where a host name begins that readers turn into a link.
fn host(word: &str) -> Option<usize> {
    let mut at = 0;
    for run in word.split_inclusive(|sign: char| !(sign.is_alphanumeric() || ".-".contains(sign))) {
        let from = at;
        at += run.len();
        let name = run.trim_end_matches(|sign: char| !sign.is_alphanumeric());
        let skipped = name.len() - name.trim_start_matches(['.', '-']).len();
        let name = part(name, skipped..);
        let Some((owner, end)) = name.rsplit_once('.') else { continue };
        // `p.tw` is probably a field, `x.com` a host.
        let is_long = end.len() > 2 || owner.len() > 1;
        let before = part(word, ..from + skipped);
        let is_web = name.starts_with("www.");
        let is_mail = before.ends_with('@') && before.len() > 1;
        let is_bare = before.ends_with("//");
        let is_end = (is_long && TOP_LEVEL.contains(&end)) || has_path_or_port(name, run, part(word, at..));
        let is_known = !before.ends_with(['/', '_']) && is_end;
        if is_mail {
            let user = before.trim_end_matches('@');
            let user = user.trim_end_matches(|sign: char| sign.is_alphanumeric() || "._%+-".contains(sign));
            // A scheme before it belongs to the address, as in `sip:a@b.example`.
            let scheme =
                user.strip_suffix(':').map(|user| user.trim_end_matches(char::is_alphanumeric).len());
            return Some(scheme.unwrap_or(user.len()));
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

/// Returns whether a name is a host because a path, a query, a fragment or a port follows directly. The character that follows is
/// the last one of `run`.
fn has_path_or_port(name: &str, run: &str, after: &str) -> bool {
    let Some(sign) = run.chars().last().filter(|sign| "/?#:".contains(*sign)) else { return false };
    let Some((before, end)) = name.rsplit_once('.') else { return false };
    let label = before.rsplit('.').next().unwrap_or_default();
    let is_country = end.len() == 2;
    let is_name =
        end.starts_with("xn--") || (end.len() >= 2 && end.bytes().all(|one| one.is_ascii_lowercase()));
    // Excludes `1.then/else` and `n.chr/v.chr`.
    let is_label = is_country || (label.len() >= 2 && label.contains(char::is_alphabetic));
    if run.strip_suffix(sign).is_none_or(|run| !run.ends_with(name))
        || !is_name
        || !is_label
        || NOT_TOP_LEVEL.contains(&end)
    {
        return false;
    }
    let is_file = FILE_EXTENSIONS.contains(&end);
    let number = after.bytes().take(6).take_while(u8::is_ascii_digit).count();
    let rest = part(after, number..);
    match sign {
        // Excludes `lists.map/2` and `sum.total/10`.
        '/' => is_country || !rest.is_empty() || !(1..=2).contains(&number),
        // Excludes `found.chunk?.text`.
        '?' => !after.starts_with('.'),
        // Excludes `README.md#options`.
        '#' => !is_file,
        _ if rest.starts_with(['/', '?', '#']) => (1..=5).contains(&number),
        // Excludes `main.rs:12`.
        _ => !is_file && rest.is_empty() && (2..=5).contains(&number),
    }
}

/// Iterates over the addresses in a text, as written.
pub(super) fn all(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(ends_word);
    words.filter_map(|word| {
        let word = word.get(..word.floor_char_boundary(MAX_UNIT))?;
        find(word).map(|parts| parts.address)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_address_is_found() {
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
            "bit.ly/3xYz?d=SECRET",
            "evil.to/SECRET",
            "evil.gg/SECRET",
            "evil.cc/SECRET",
            "evil.rs/SECRET",
            "evil.md?d=SECRET",
            "evil.py:8443/SECRET",
            "evil.io:8443/x",
            "evil.internal:8443",
            "evil.id#SECRET",
            "a.evil.xn--p1ai/x",
            "evil.museum/x",
            "t.co/x",
            "see:evil.to/x",
            "(evil.to/x)",
            "evil.gg",
            "SECRET.evil.ly",
            "evil%2Eto/x",
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
            "src/main.rs",
            "src/main.rs:12",
            "main.rs:12:5",
            "Cargo.toml:12",
            "Main.java:12",
            "etc./usr",
            "e.g./i.e.",
            "B.Sc./M.Sc.",
            "v1.2/v1.3",
            "2.x/3.x",
            "1.5GB/s",
            "a.txt/b.txt",
            "config.yaml/json",
            "README.md#options",
            "docs/a.md#b",
            "lib.rs#L12",
            "found.chunk?.text",
            "hit.id?.x",
            "value.await?",
            "items.len/2",
            "Enum.reduce/3",
            "1.Januar/2.Februar",
            "12:30/13:30",
            "self.id",
            "item.at",
            "span.to",
            "obj.key:1",
            "../x/y",
            "~/.config/x",
            "тыс.руб/мес",
        ] {
            assert_eq!(find(plain), None, "{plain}");
        }
    }

    #[test]
    fn surrounding_punctuation_is_not_part_of_an_address() {
        let parts = find("(see:https://a.example/x_(y)).").unwrap();
        assert_eq!(parts, Split { before: "(see:", address: "https://a.example/x_(y)", after: ")." });
        assert_eq!(find("**https://a.example**").unwrap().address, "https://a.example");
    }
}
