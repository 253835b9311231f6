//! Tokenises a question by spaces, and finds negations.

/// Words that exclude what follows.
const DENIALS: [&str; 13] = [
    "not",
    "no",
    "non",
    "except",
    "excluding",
    "exclude",
    "without",
    "never",
    "besides",
    "isn't",
    "aren't",
    "don't",
    "doesn't",
];
/// Words that may occur between a negation and what it negates.
const BETWEEN: [&str; 24] = [
    "those", "the", "ones", "any", "all", "with", "from", "that", "are", "is", "of", "a", "an", "for", "by",
    "in", "have", "has", "having", "been", "be", "which", "where", "on",
];
/// Maximum number of such words.
const MAX_BETWEEN: usize = 4;

/// Splits at spaces, and removes surrounding punctuation.
pub(in super::super) fn tokens(question: &str) -> Vec<&str> {
    let marks = |letter: char| "?,;:()\"'!“”„".contains(letter);
    let bare = |token| str::trim_end_matches(str::trim_matches(token, marks), '.');
    question.split_whitespace().map(bare).filter(|token| !token.is_empty()).collect()
}

/// Splits as [`tokens`], in lowercase.
pub(in super::super) fn low_tokens(question: &str) -> Vec<String> {
    tokens(question).into_iter().map(|token| token.to_lowercase().replace('’', "'")).collect()
}

/// Returns the position of a negation of the word at `at`, if there is one; `of_field` are words of its field.
pub(in super::super) fn denied(low: &[String], at: usize, of_field: &[String]) -> Option<usize> {
    let before = low.get(..at)?;
    for (place, word) in before.iter().enumerate().rev().take(MAX_BETWEEN + 1) {
        let previous = place.checked_sub(1).and_then(|previous| before.get(previous)).map(String::as_str);
        let but_all = word == "but" && matches!(previous, Some("all" | "everything"));
        let other_than = word == "than" && previous == Some("other");
        if is_denial(word) || but_all {
            return Some(place);
        }
        if other_than {
            return place.checked_sub(1);
        }
        if !BETWEEN.contains(&word.as_str()) && !of_field.contains(word) {
            return None;
        }
    }
    None
}

/// Returns whether a lowercase word negates.
pub(in super::super) fn is_denial(low: &str) -> bool {
    DENIALS.contains(&low) || low.ends_with("n't")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negation_reaches_over_function_words() {
        let at = |question: &str, word: &str| {
            let low = low_tokens(question);
            denied(&low, low.iter().position(|one| one == word).unwrap(), &["status".to_owned()])
        };
        assert_eq!(at("List tickets that are not closed.", "closed"), Some(4));
        assert_eq!(at("List everything except those from Acme", "acme"), Some(2));
        assert_eq!(at("List tickets without status closed", "closed"), Some(2));
        assert_eq!(at("all but hardware", "hardware"), Some(1));
        assert_eq!(at("anything other than hardware", "hardware"), Some(1));
        assert_eq!(at("not printers but hardware", "hardware"), None);
        assert_eq!(at("closed tickets", "closed"), None);
    }
}
