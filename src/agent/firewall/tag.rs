//! What is a tag of HTML in an answer, and what a type of a program.

/// Names of elements, beside those with a sign in them. Others do nothing where they have no attributes.
const ELEMENTS: [&str; 85] = [
    "a",
    "abbr",
    "address",
    "area",
    "article",
    "aside",
    "audio",
    "b",
    "base",
    "bdi",
    "bdo",
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
    "data",
    "dd",
    "del",
    "details",
    "dfn",
    "dialog",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "fieldset",
    "figure",
    "font",
    "footer",
    "form",
    "frame",
    "frameset",
    "head",
    "header",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "label",
    "li",
    "link",
    "main",
    "map",
    "mark",
    "marquee",
    "math",
    "menu",
    "meta",
    "meter",
    "nav",
    "noscript",
    "object",
    "ol",
    "p",
    "plaintext",
    "pre",
    "q",
    "s",
    "script",
    "select",
    "span",
    "style",
    "sub",
    "sup",
    "svg",
    "table",
    "td",
    "template",
    "textarea",
    "title",
    "u",
    "ul",
    "video",
    "xmp",
];

/// What begins with a `<`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// A sign of its own.
    Text,
    /// A tag, or a `<` that must not stand there, of so many bytes.
    Removed(usize),
    /// The type of a program, of so many bytes.
    Kept(usize),
}

/// What begins here, after this word; nothing where more must come first.
pub(super) fn tag(window: &str, known: bool, word: &str) -> Option<Tag> {
    let inside = window.get(1..)?;
    let Some(first) = inside.chars().next() else { return known.then_some(Tag::Text) };
    if !first.is_ascii_alphabetic() && !"/!?".contains(first) {
        return Some(Tag::Text);
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

/// Whether this is a list of types, such as `K, V`.
fn is_parameters(name: &str) -> bool {
    let words = name
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty());
    name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_:, &".contains(letter))
        && words.take(1).all(|word| ELEMENTS.binary_search(&word.to_ascii_lowercase().as_str()).is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_programs_are_no_tags() {
        assert!(ELEMENTS.is_sorted());
        assert_eq!(tag("<T> x", true, "Vec"), Some(Tag::Kept(3)));
        assert_eq!(tag("<K, V>", true, "Map"), Some(Tag::Kept(6)));
        assert_eq!(tag("<img src=x>", true, "Vec"), Some(Tag::Removed(11)));
        assert_eq!(
            tag("<T>", true, ""),
            Some(Tag::Removed(3)),
            "at the start of a line it would begin a block"
        );
        assert_eq!(tag("<svg>", true, "x"), Some(Tag::Removed(5)));
        assert_eq!(tag("< 5", true, ""), Some(Tag::Text));
        assert_eq!(tag("<img", false, ""), None);
    }
}
