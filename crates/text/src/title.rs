//! Titles as texts mention them.

/// Maximum length of a title that is looked for in texts, in bytes.
const MAX_TITLE_BYTES: usize = 256;

/// Returns a title as texts mention it, without a disambiguation such as in "Mercury (planet)". `None` if it
/// is too short, and would be found everywhere, or too long.
// One copy for all callers keeps the modules small.
#[inline(never)]
pub fn bare_title(title: &str) -> Option<&str> {
    let title = title.trim();
    let bare = title
        .strip_suffix(')')
        .and_then(|start| start.rsplit_once(" ("))
        .map_or(title, |(bare, _)| bare.trim());
    let has_letters = bare.chars().filter(|letter| letter.is_alphabetic()).nth(2).is_some();
    (has_letters && bare.len() <= MAX_TITLE_BYTES).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disambiguation_is_left_out_and_titles_that_are_everywhere_or_endless_are_not_looked_for() {
        assert_eq!(bare_title(" Mercury (planet) "), Some("Mercury"));
        assert_eq!(bare_title("(planet)"), Some("(planet)"));
        assert_eq!(bare_title("Tar"), Some("Tar"));
        assert_eq!(bare_title("42 It (film)"), None);
        assert_eq!(bare_title(&"a".repeat(256)).map(str::len), Some(256));
        assert_eq!(bare_title(&"a".repeat(257)), None);
    }
}
