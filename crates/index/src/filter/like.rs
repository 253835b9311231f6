//! SQL's `like`: `%` is any letters, `_` any one, `\` takes the next as it is. Case makes no difference.

/// A pattern, ready to be compared.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pattern(Vec<Part>);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    Any,
    One,
    Letter(char),
}

impl Pattern {
    /// Reads a pattern. Every text is one.
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

    /// Whether the whole of `text` fits. Where it does not go on, the latest `%` takes one letter more: an earlier
    /// one need never be tried again, so the work is the product of the lengths at most.
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

/// Text as it is compared where case makes no difference.
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

    /// The definition, written down.
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
    fn case_makes_no_difference_and_a_backslash_takes_a_letter_as_it_is() {
        assert!(Pattern::new("ÄPFEL%").matches("äpfel & birnen"));
        assert!(Pattern::new("100\\%").matches("100%"));
        assert!(!Pattern::new("100\\%").matches("1000"));
        assert!(Pattern::new("a\\").matches("A\\"));
    }

    #[test]
    fn a_huge_text_takes_no_more_than_a_moment() {
        assert!(!Pattern::new("%a%a%a%b").matches(&"a".repeat(200_000)));
    }
}
