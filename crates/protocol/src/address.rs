//! Decides which addresses a page may link as they are.

/// Returns whether an address is safe to link: it has the scheme `http`, `https` or `mailto`, or is relative. Rejects other
/// schemes (scripts, files), control characters, and HTML entities where the scheme would be.
pub fn harmless(address: &str) -> bool {
    let address = address.trim_ascii();
    if address.chars().any(char::is_control) {
        return false;
    }
    let plain: String = address.chars().filter(|letter| !letter.is_whitespace()).collect();
    // A page that inserts it into HTML unescaped would turn `&#106;avascript&colon;` into `javascript:`.
    let beginning = plain.split(['/', '?']).next().unwrap_or_default();
    let in_entities = beginning.split('&').skip(1).any(|rest| rest.starts_with('#') || rest.contains(';'));
    !in_entities && matches!(scheme(&plain.to_lowercase()), None | Some("http" | "https" | "mailto"))
}

/// Returns the scheme of a lowercase address; `None` for a host with a port.
pub fn scheme(address: &str) -> Option<&str> {
    let (scheme, after) = address.split_once(':')?;
    let is_scheme = scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+.-".contains(letter));
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    let is_port = (1..=5).contains(&digits)
        && after.get(digits..).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
        && scheme.contains('.');
    (is_scheme && !is_port).then_some(scheme)
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn unsafe_addresses_are_rejected_in_every_spelling() {
        for bad in [
            "javascript:alert(1)",
            " JavaScript:alert(1)",
            "java script:alert(1)",
            "java\nscript:alert(1)",
            "\u{a0}javascript:alert(1)",
            "https://a.example/\u{0}",
            "https://a.example/\u{85}",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "blob:https://a.example/1",
            "&#106;avascript:alert(1)",
            "javascript&colon;alert(1)",
            "intent://x",
        ] {
            assert!(!harmless(bad), "{bad:?}");
        }
        for good in [
            "https://a.example/x?q=a&b=c;d:e#f",
            "HTTP://A.example",
            " https://a.example/x\n",
            "mailto:a@b.example",
            "/acme.md",
            "acme.md#part-2",
            "../notes/a.md?x=1:2",
            "Q&A.html",
            "//a.example/x",
            "a.example:8080/x",
            "",
        ] {
            assert!(harmless(good), "{good:?}");
        }
    }
}
