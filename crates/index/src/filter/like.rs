//! SQL's `like`, ignoring case: `%` matches any characters, `_` one, and `\` escapes the next.

/// A parsed pattern.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pattern(Vec<Part>);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    Any,
    One,
    Letter(char),
}

impl Pattern {
    /// Parses a pattern. Every string is valid.
    pub(super) fn new(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '%' if parts.last() == Some(&Part::Any) => {}
                '%' => parts.push(Part::Any),
                '_' => parts.push(Part::One),
                '\\' => parts.extend(letters.next().unwrap_or('\\').to_lowercase().map(Part::Letter)),
                _ => parts.extend(letter.to_lowercase().map(Part::Letter)),
            }
        }
        Self(parts)
    }

    /// Returns whether the whole of `text` matches. On a mismatch only the latest `%` is extended by a
    /// character; earlier ones never need to be, which bounds the work by the product of the lengths.
    pub(super) fn matches(&self, text: &str) -> bool {
        let mut letters = folded(text);
        let mut parts = self.0.as_slice();
        let mut retry = None;
        loop {
            let before = letters.clone();
            match (parts.split_first(), letters.next()) {
                (Some((Part::Any, rest)), _) => {
                    retry = Some((rest, before.clone()));
                    (parts, letters) = (rest, before);
                }
                (Some((Part::One, rest)), Some(_)) => parts = rest,
                (Some((Part::Letter(wanted), rest)), Some(letter)) if *wanted == letter => parts = rest,
                (None, None) => return true,
                _ => {
                    let Some((rest, from)) = &mut retry else { return false };
                    if from.next().is_none() {
                        return false;
                    }
                    (parts, letters) = (*rest, from.clone());
                }
            }
        }
    }
}

/// Folds case for comparison.
pub(super) fn fold(text: &str) -> String {
    folded(text).collect()
}

fn folded(text: &str) -> impl Iterator<Item = char> + Clone {
    text.chars().flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition of `like`, without optimisation.
    fn naive(pattern: &[char], text: &[char]) -> bool {
        match pattern.split_first() {
            None => text.is_empty(),
            Some(('%', rest)) => (0..=text.len()).any(|at| naive(rest, &text[at..])),
            Some(('_', rest)) => !text.is_empty() && naive(rest, &text[1..]),
            Some((letter, rest)) => text.first() == Some(letter) && naive(rest, &text[1..]),
        }
    }

    proptest! {
        #[test]
        fn a_pattern_matches_as_its_definition_says(pattern in "[ab%_]{0,8}", text in "[ab]{0,10}") {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(Pattern::new(&pattern).matches(&text), naive(&letters(&pattern), &letters(&text)));
        }
    }

    #[test]
    fn case_is_ignored_and_a_backslash_escapes() {
        assert!(Pattern::new("ÄPFEL%").matches("äpfel & birnen"));
        assert!(Pattern::new("100\\%").matches("100%"));
        assert!(!Pattern::new("100\\%").matches("1000"));
        assert!(Pattern::new("a\\").matches("A\\"));
    }

    #[test]
    fn matching_a_huge_text_is_fast() {
        assert!(!Pattern::new("%a%a%a%b").matches(&"a".repeat(200_000)));
    }
}
