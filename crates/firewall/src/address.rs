//! Addresses in a text, however they are written: in full, without a scheme, in entities, in percent signs, with letters that
//! look like others.

use super::invisible::latin;
use super::part;
pub(super) use vademecum_protocol::address::scheme;

/// Bytes of an address, a tag or a piece of code that are looked at as one.
pub(super) const LONGEST: usize = 2_000;
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
/// Ends of names of hosts that readers make links of, where no scheme stands before them and nothing behind them. Countries
/// whose end is a word, a unit, the end of a file or a common name of a field are left out.
const ENDS: [&str; 71] = [
    "com", "net", "org", "xyz", "example", "biz", "edu", "gov", "onion", "ae", "ag", "ao", "au", "ba", "bd",
    "bg", "bh", "bo", "bz", "cl", "cn", "cz", "de", "dk", "ec", "ee", "eg", "eu", "fj", "fr", "ga", "gg",
    "gq", "hk", "hn", "hu", "ie", "ir", "jm", "jo", "jp", "ke", "kh", "kr", "kw", "kz", "lk", "lu", "lv",
    "ly", "mx", "ng", "ni", "nz", "pe", "pw", "qa", "ro", "ru", "sg", "su", "sv", "tw", "ua", "ug", "uk",
    "uy", "uz", "ve", "vn", "za",
];
/// Ends of files and names of fields, none of them the end of a host.
const NO_ENDS: [&str; 76] = [
    "await", "bat", "bin", "cfg", "cjs", "class", "clone", "conf", "count", "cpp", "css", "csv", "dll",
    "doc", "docx", "env", "exe", "gguf", "gif", "git", "go", "gz", "height", "hpp", "hs", "htm", "html",
    "ini", "iter", "java", "jpeg", "jpg", "js", "json", "jsonl", "jsx", "kt", "len", "length", "lock", "log",
    "lua", "map", "max", "min", "mjs", "mp3", "mp4", "odt", "onnx", "pdf", "php", "png", "ppt", "pptx", "rb",
    "scss", "size", "snap", "sql", "svg", "tar", "text", "toml", "ts", "tsv", "tsx", "txt", "wasm", "wav",
    "webp", "xls", "xlsx", "xml", "yaml", "yml",
];
/// Ends of files that are countries as well: with a place in the file behind them they are files.
const FILES: [&str; 6] = ["cc", "md", "pl", "py", "rs", "sh"];

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
    // Some readers make a link of it whatever follows.
    let low = rest.to_ascii_lowercase();
    let www = low.match_indices("www.").map(|(at, _)| at).find(|at| {
        let before = part(&low, ..*at);
        let before = before.strip_suffix("//").unwrap_or(before);
        before.is_empty() || before.ends_with(['(', '*', '_', '~', ')'])
    });
    if let Some(at) = www {
        // Two slashes before it are a part of it.
        let slashes = low.get(..at).is_some_and(|before| before.ends_with("//"));
        let at = at.saturating_sub(if slashes { 2 } else { 0 });
        let (more, from) = rest.split_at(at);
        let (address, behind) = from.split_at(end.saturating_sub(at).max(4));
        return Some(Parts { before: word.get(..before.len() + more.len())?, address, behind });
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
            rest = part(behind, 2..);
        } else if let Some((letter, length)) = (sign == "&").then(|| entity(behind)).flatten() {
            bytes.extend_from_slice(letter.to_string().as_bytes());
            rest = part(behind, length..);
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

/// Whether a word is the address of a script.
pub(super) fn is_script(word: &str) -> bool {
    let plain: String = plain(word).chars().filter(|letter| *letter > ' ').collect();
    ["javascript:", "vbscript:", "livescript:", "data:text/html", "data:image/svg", "data:application/xhtml"]
        .iter()
        .any(|scheme| plain.strip_prefix(scheme).is_some_and(|rest| rest.len() > 1))
}

/// Where an address without a scheme begins, two slashes first, as readers take it for one.
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

/// Where an address begins in a word of small letters.
fn begins(word: &str) -> Option<usize> {
    let before = |at: usize| part(word, ..at);
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
    found.or_else(|| slashes(word)).or_else(|| host(word))
}

/// Where the name of a host begins that readers make a link of.
fn host(word: &str) -> Option<usize> {
    let mut at = 0;
    for run in word.split_inclusive(|sign: char| !(sign.is_alphanumeric() || ".-".contains(sign))) {
        let from = at;
        at += run.len();
        let name = run.trim_end_matches(|sign: char| !sign.is_alphanumeric());
        let skipped = name.len() - name.trim_start_matches(['.', '-']).len();
        let name = part(name, skipped..);
        let Some((owner, end)) = name.rsplit_once('.') else { continue };
        // `p.tw` alone is a field of something, `x.com` a host.
        let is_long = end.len() > 2 || owner.len() > 1;
        let before = part(word, ..from + skipped);
        let is_web = name.starts_with("www.");
        let is_mail = before.ends_with('@') && before.len() > 1;
        let is_bare = before.ends_with("//");
        let is_end = (is_long && ENDS.contains(&end)) || goes_on(name, run, part(word, at..));
        let is_known = !before.ends_with(['/', '_']) && is_end;
        if is_mail {
            let user = before.trim_end_matches('@');
            let user = user.trim_end_matches(|sign: char| sign.is_alphanumeric() || "._%+-".contains(sign));
            // A scheme before it is a part of it, as in `sip:a@b.example`.
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

/// Whether a name with this behind it is that of a host: what a path, a query, a mark or a port follows at once. The sign that
/// follows is the last of the run.
fn goes_on(name: &str, run: &str, behind: &str) -> bool {
    let Some(sign) = run.chars().last().filter(|sign| "/?#:".contains(*sign)) else { return false };
    let Some((before, end)) = name.rsplit_once('.') else { return false };
    let label = before.rsplit('.').next().unwrap_or_default();
    let is_country = end.len() == 2;
    let is_name =
        end.starts_with("xn--") || (end.len() >= 2 && end.bytes().all(|one| one.is_ascii_lowercase()));
    // `1.then/else` and `n.chr/v.chr`.
    let is_label = is_country || (label.len() >= 2 && label.contains(char::is_alphabetic));
    if run.strip_suffix(sign).is_none_or(|run| !run.ends_with(name))
        || !is_name
        || !is_label
        || NO_ENDS.contains(&end)
    {
        return false;
    }
    let is_file = FILES.contains(&end);
    let number = behind.bytes().take(6).take_while(u8::is_ascii_digit).count();
    let rest = part(behind, number..);
    match sign {
        // `lists.map/2` and `sum.total/10`.
        '/' => is_country || !rest.is_empty() || !(1..=2).contains(&number),
        // `found.chunk?.text`.
        '?' => !behind.starts_with('.'),
        // `README.md#options`.
        '#' => !is_file,
        _ if rest.starts_with(['/', '?', '#']) => (1..=5).contains(&number),
        // `main.rs:12`.
        _ => !is_file && rest.is_empty() && (2..=5).contains(&number),
    }
}

/// All words of a text that hold an address, as they stand there.
pub(super) fn all(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(ends_word);
    words.filter_map(|word| {
        let word = word.get(..word.floor_char_boundary(LONGEST))?;
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
    fn signs_around_an_address_are_no_part_of_it() {
        let parts = find("(see:https://a.example/x_(y)).").unwrap();
        assert_eq!(parts, Parts { before: "(see:", address: "https://a.example/x_(y)", behind: ")." });
        assert_eq!(find("**https://a.example**").unwrap().address, "https://a.example");
    }
}
