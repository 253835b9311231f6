//! Distinguishes HTML tags from type parameters in an answer.

/// All HTML elements, including obsolete ones that browsers still support, and the SVG and MathML roots, which switch the parser
/// to other rules. An unknown element without attributes has no effect.
const ELEMENTS: [&str; 151] = [
    "a",
    "abbr",
    "acronym",
    "address",
    "applet",
    "area",
    "article",
    "aside",
    "audio",
    "b",
    "base",
    "basefont",
    "bdi",
    "bdo",
    "bgsound",
    "big",
    "blink",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "command",
    "content",
    "data",
    "datalist",
    "dd",
    "del",
    "details",
    "dfn",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "element",
    "em",
    "embed",
    "fencedframe",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "i",
    "iframe",
    "image",
    "img",
    "input",
    "ins",
    "isindex",
    "kbd",
    "keygen",
    "label",
    "legend",
    "li",
    "link",
    "listing",
    "main",
    "map",
    "mark",
    "marquee",
    "math",
    "menu",
    "menuitem",
    "meta",
    "meter",
    "multicol",
    "nav",
    "nextid",
    "nobr",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "ol",
    "optgroup",
    "option",
    "output",
    "p",
    "param",
    "picture",
    "plaintext",
    "portal",
    "pre",
    "progress",
    "q",
    "rb",
    "rp",
    "rt",
    "rtc",
    "ruby",
    "s",
    "samp",
    "script",
    "search",
    "section",
    "select",
    "selectedcontent",
    "shadow",
    "slot",
    "small",
    "source",
    "spacer",
    "span",
    "strike",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "track",
    "tt",
    "u",
    "ul",
    "var",
    "video",
    "wbr",
    "xmp",
];

/// What a `<` begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// Plain text.
    Text,
    /// A tag, or a `<` that must be removed; length in bytes.
    Removed(usize),
    /// Type parameters; length in bytes.
    Kept(usize),
}

/// Classifies a `<` that follows `word`; returns `None` if more input is needed.
pub(super) fn tag(window: &str, known: bool, word: &str) -> Option<Tag> {
    let inside = window.get(1..)?;
    let Some(first) = inside.chars().next() else { return known.then_some(Tag::Text) };
    if !first.is_ascii_alphabetic() && !"/!?".contains(first) {
        // `<1@b>` is an email address.
        let end = inside.find(|letter: char| letter.is_whitespace() || "<>".contains(letter));
        return match end.and_then(|end| Some((end, inside.split_at_checked(end)?))) {
            Some((end, (name, rest))) if rest.starts_with('>') && name.contains('@') => {
                Some(Tag::Removed(end + 2))
            }
            Some(_) => Some(Tag::Text),
            None => known.then_some(Tag::Text),
        };
    }
    match inside.find(['>', '<', '\n']) {
        Some(end) if inside.get(end..).is_some_and(|rest| rest.starts_with('>')) => {
            let name = inside.get(..end)?;
            let is_type = word.ends_with(char::is_alphanumeric) && is_parameters(name);
            Some(if is_type { Tag::Kept(end + 2) } else { Tag::Removed(end + 2) })
        }
        None if !known => None,
        _ => Some(Tag::Removed(1)),
    }
}

/// Returns whether this is a list of types, such as `K, V`.
fn is_parameters(name: &str) -> bool {
    let words = name
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty());
    // Text after a single colon may be read as an address: `<https:1>` is a link.
    let leads = name.replace("::", "").replace(": ", "").contains(':');
    name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_:, &".contains(letter))
        && !leads
        && words.take(1).all(|word| ELEMENTS.binary_search(&word.to_ascii_lowercase().as_str()).is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_parameters_are_no_tags() {
        assert!(ELEMENTS.is_sorted());
        assert_eq!(tag("<T> x", true, "Vec"), Some(Tag::Kept(3)));
        assert_eq!(tag("<K, V>", true, "Map"), Some(Tag::Kept(6)));
        assert_eq!(tag("<std::rc::Rc, T: Display>", true, "f"), Some(Tag::Kept(25)));
        assert_eq!(tag("<https:1>", true, "Vec"), Some(Tag::Removed(9)));
        assert_eq!(tag("<img src=x>", true, "Vec"), Some(Tag::Removed(11)));
        assert_eq!(
            tag("<T>", true, ""),
            Some(Tag::Removed(3)),
            "at the start of a line it would begin a block"
        );
        assert_eq!(tag("<svg>", true, "x"), Some(Tag::Removed(5)));
        assert_eq!(tag("<u64, String>", true, "HashMap"), Some(Tag::Kept(13)));
        assert_eq!(tag("< 5", true, ""), Some(Tag::Text));
        assert_eq!(tag("<img", false, ""), None);
    }

    #[test]
    fn elements_are_tags_even_after_a_letter() {
        for name in [
            "strong",
            "small",
            "h1",
            "H6",
            "tr",
            "th",
            "tbody",
            "section",
            "option",
            "summary",
            "time",
            "var",
            "tt",
            "noframes",
            "noembed",
            "listing",
            "plaintext",
            "xmp",
            "image",
            "applet",
            "math",
            "svg",
            "picture",
            "slot",
        ] {
            let written = format!("<{name}>");
            assert_eq!(tag(&written, true, "x"), Some(Tag::Removed(written.len())), "{name}");
            assert_eq!(
                tag(&format!("</{name}>"), true, "x"),
                Some(Tag::Removed(written.len() + 1)),
                "{name}"
            );
        }
    }
}
