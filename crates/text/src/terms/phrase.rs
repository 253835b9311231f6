//! Phrase matching.

use super::normal::plain;
use super::words::words;

/// Returns whether `text` contains the words of `phrase`, as parsed by [`Query`](super::Query),
/// consecutively. Ignores case, accents and compatibility forms, but not inflection.
pub fn phrase_in(text: &str, phrase: &[String]) -> bool {
    let Some(first) = phrase.first() else { return true };
    // A phrase has no words of invisible letters, such as the Arabic tatweel.
    let is_seen = |word: &&str| word.is_ascii() || !plain(word).is_empty();
    let found: Vec<&str> = words(text).map(|(_, word)| word).filter(is_seen).collect();
    found.windows(phrase.len()).any(|window| {
        window.first().is_some_and(|word| is_written(word, first))
            && window.iter().zip(phrase).all(|(word, wanted)| is_written(word, wanted))
    })
}

fn is_written(word: &str, wanted: &str) -> bool {
    if word.is_ascii() && word.len() <= super::normal::MAX_LENGTH {
        word.eq_ignore_ascii_case(wanted) // the common case, without allocation
    } else {
        plain(word) == wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrase(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_phrase_matches_consecutive_words() {
        let text = "He said: “To be, or not to be” in the CAFÉ.";
        assert!(phrase_in(text, &phrase(&["to", "be", "or", "not"])));
        assert!(phrase_in(text, &phrase(&["the", "cafe"])));
        assert!(!phrase_in(text, &phrase(&["be", "not"])));
        assert!(!phrase_in(text, &phrase(&["caf"])));
        assert!(phrase_in("to \u{640} be", &phrase(&["to", "be"])), "a tatweel alone is no word");
    }

    #[test]
    fn an_empty_phrase_matches_everywhere_and_one_longer_than_the_text_nowhere() {
        assert!(phrase_in("text", &[]));
        assert!(!phrase_in("text", &phrase(&["text", "text"])));
    }
}
