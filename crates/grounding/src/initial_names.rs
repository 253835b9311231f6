//! Detects names at the beginning of a sentence. Every sentence begins with a capital, so such a name is recognised by what
//! follows it, as in "Globex may" or "Globex pays the", and by its absence from the passages.

use vademecum_text::terms::{Language, terms, words};

/// Words that follow a subject.
const AFTER_SUBJECT: [&str; 26] = [
    "also", "and", "can", "cannot", "could", "did", "does", "doesn't", "had", "has", "is", "isn't", "may",
    "might", "must", "never", "not", "only", "or", "shall", "should", "was", "who", "will", "won't", "would",
];
/// Words that follow a verb.
const AFTER_VERB: [&str; 13] =
    ["a", "all", "an", "any", "each", "every", "her", "his", "its", "no", "that", "the", "their"];
/// Endings of nouns and adverbs that are no names. Plurals are excluded too.
const COMMON_ENDINGS: [&str; 9] = ["ance", "ed", "ence", "ing", "ion", "ity", "ly", "ment", "ness"];

/// Numerals. "One" is omitted: it is more often a pronoun.
const NUMBER_WORDS: [(&str, &str); 20] = [
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("fifteen", "15"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("seventy", "70"),
    ("eighty", "80"),
    ("ninety", "90"),
];

/// Returns the words that begin an English sentence and may be names, each as its search term and its spelling. Conservative:
/// most sentences begin with a common noun that the passages need not contain.
pub(super) fn openings(text: &str) -> Vec<(String, String)> {
    if !matches!(Language::detect(text), Language::English | Language::Other) {
        return Vec::new();
    }
    let found = words(text).filter_map(|(at, word)| {
        let capital = word.len() > 1 && word.starts_with(char::is_uppercase);
        let before = text.get(..at)?.trim_end_matches(OPENING);
        let begins = capital && !before.ends_with(is_within_sentence);
        let after = text.get(at + word.len()..)?;
        if !begins || is_common(word) || !is_subject(word, after, text) {
            return None;
        }
        let term = normalised_number(terms(word).pop()?.text, word);
        term.starts_with(char::is_alphabetic).then(|| (term, word.to_owned()))
    });
    found.collect()
}

/// Quotation marks and brackets that may open directly before a word.
pub(super) const OPENING: [char; 9] = [' ', '\n', '(', '[', '"', '“', '‘', '«', '*'];

pub(super) fn is_within_sentence(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, ',' | ';' | ')' | '\'' | '’' | '%' | '–' | '—' | '&' | '/')
}

/// Normalises a number: `12,000` to `12000`, `2,5` to `2.5`, `30th` and `thirty` to `30`. Returns any other term unchanged.
pub(super) fn normalised_number(term: String, written: &str) -> String {
    let spelt = NUMBER_WORDS.iter().find(|(word, _)| written.eq_ignore_ascii_case(word));
    if let Some((_, digits)) = spelt {
        return (*digits).to_owned();
    }
    if !term.starts_with(|first: char| first.is_ascii_digit()) {
        return term;
    }
    let ordinal = ["st", "nd", "rd", "th"].iter().find_map(|suffix| term.strip_suffix(suffix));
    let term = ordinal.unwrap_or(&term);
    let mut groups = term.split(',').skip(1).peekable();
    let thousands = groups.peek().is_some() && groups.all(|group| group.len() == 3);
    term.replace(',', if thousands { "" } else { "." })
}

fn is_common(word: &str) -> bool {
    let low = word.to_lowercase().replace('’', "'");
    let bare = low.strip_suffix("'s").unwrap_or(&low);
    let plural = bare.ends_with('s') && !["ss", "us", "is"].iter().any(|end| bare.ends_with(end));
    plural || COMMON_ENDINGS.iter().any(|end| bare.ends_with(end))
}

fn is_subject(word: &str, after: &str, text: &str) -> bool {
    if word.ends_with("'s") || word.ends_with("’s") {
        return true;
    }
    let after = after.trim_start_matches(['*', '_', '"', '”', '»', ')']);
    // "Globex: what does it cost?" asks about Globex; in "Price: 5 euros", "Price" is a label.
    if after.starts_with(':') {
        return text.trim_end().ends_with('?');
    }
    let mut next = words(after).map(|(_, word)| word.to_lowercase().replace('’', "'"));
    let (Some(first), true) = (next.next(), after.starts_with(' ')) else { return false };
    let is_verb = || (first.ends_with('s') || first.ends_with("ed")) && !terms(&first).is_empty();
    let has_object = |word: String| {
        word.starts_with(|first: char| first.is_ascii_digit()) || AFTER_VERB.contains(&word.as_str())
    };
    AFTER_SUBJECT.contains(&first.as_str()) || (is_verb() && next.next().is_some_and(has_object))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_at_the_start_of_a_sentence_is_recognised_by_what_follows() {
        let found = |text: &str| openings(text).into_iter().map(|(_, written)| written).collect::<Vec<_>>();
        assert_eq!(found("Globex may end it. **Initech** pays the fees."), ["Globex", "Initech"]);
        assert_eq!(found("Goethe's works are those that he wrote."), ["Goethe's"]);
        assert_eq!(found("Globex: what does it cost?"), ["Globex"]);
        for common in [
            "Termination is possible with a notice of 30 days.",
            "Customers may end the contract.",
            "Additionally, the price is higher.",
            "Written notice is required.",
            "Annual fees are due in May.",
            "Open the file and read it.",
            "Price: 5 euros for the year.",
            "Thirty and more days are enough.",
            "It is so. The end may be near.",
            "Die Kündigung ist mit einer Frist von 30 Tagen möglich.",
        ] {
            assert!(found(common).is_empty(), "{common}: {:?}", found(common));
        }
    }
}
