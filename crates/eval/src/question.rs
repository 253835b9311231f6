//! Writes a question about a passage by rule: the rarest words of its most informative sentence.

use std::collections::HashSet;
use vademecum_text::sentence::sentences;
use vademecum_text::terms::{Analyzer, words};
use vademecum_util::small_sort::sort_by;
use vademecum_util::small_sort::sort_by_key;

/// Minimum number of content words in a sentence, so that some can be omitted.
const MIN_WORDS: usize = 4;
/// Maximum number of words in a question.
const MAX_WORDS: usize = 8;
/// Maximum length of a sentence in characters; longer ones are tables or listings.
const MAX_SENTENCE: usize = 400;
/// Minimum share of letters and spaces, which distinguishes prose from code.
const MIN_PROSE: f64 = 0.75;

struct Word<'a> {
    text: &'a str,
    /// Its position among all words of the sentence.
    place: usize,
    weight: f64,
}

/// Returns the rarest words of the best sentence, in its order, with gaps, so that the question is not a
/// substring of the passage. `weight` returns the weight of a term. `None` if no sentence has enough words.
pub(super) fn question_of(
    passage: &str,
    analyzer: &Analyzer,
    weight: &mut dyn FnMut(&str) -> f64,
) -> Option<String> {
    let mut candidates: Vec<(f64, String)> = Vec::new();
    for range in sentences(passage) {
        let Some(sentence) = passage.get(range).filter(|sentence| is_prose(sentence)) else { continue };
        let content = content_words(sentence, analyzer, weight);
        if let Some(question) = select(&content).filter(|question| !sentence.contains(question.as_str())) {
            let mut weights: Vec<f64> = content.iter().map(|word| word.weight).collect();
            sort_by(&mut weights, |a, b| b.total_cmp(a));
            candidates.push((weights.iter().take(MAX_WORDS).sum(), question));
        }
    }
    // Prefer the first of equal candidates.
    candidates.into_iter().rev().max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, question)| question)
}

fn is_prose(sentence: &str) -> bool {
    let (mut all, mut plain) = (0_usize, 0_usize);
    for letter in sentence.chars() {
        all += 1;
        plain += usize::from(letter.is_alphabetic() || letter == ' ');
    }
    all <= MAX_SENTENCE && plain as f64 >= MIN_PROSE * all as f64
}

/// Returns the distinct words of a sentence without stop words.
fn content_words<'a>(
    sentence: &'a str,
    analyzer: &Analyzer,
    weight: &mut dyn FnMut(&str) -> f64,
) -> Vec<Word<'a>> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for (place, (_, text)) in words(sentence).enumerate() {
        // In bytes, so that a single Chinese character is long enough.
        let Some(term) = analyzer.terms(text).pop().filter(|_| text.len() > 2) else { continue };
        let weight = weight(&term.text);
        if seen.insert(term.text) {
            found.push(Word { text, place, weight });
        }
    }
    found
}

/// Selects the rarest two thirds of the words.
fn select(content: &[Word<'_>]) -> Option<String> {
    if content.len() < MIN_WORDS {
        return None;
    }
    let mut rarest: Vec<&Word<'_>> = content.iter().collect();
    sort_by(&mut rarest, |a, b| b.weight.total_cmp(&a.weight).then(a.place.cmp(&b.place)));
    rarest.truncate((content.len() * 2 / 3).clamp(MIN_WORDS - 1, MAX_WORDS));
    sort_by_key(&mut rarest, |word| word.place);
    let in_a_row = rarest.windows(2).all(|pair| matches!(pair, [a, b] if a.place + 1 == b.place));
    if in_a_row {
        rarest.remove(1);
    }
    Some(rarest.iter().map(|word| word.text).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use vademecum_text::terms::Language;

    fn question(passage: &str) -> Option<String> {
        let analyzer = Analyzer::new(Language::English);
        // Weighs words by length, as if short words were common.
        question_of(passage, &analyzer, &mut |term| term.len() as f64)
    }

    #[test]
    fn rare_words_stay_in_order_and_some_are_omitted() {
        let passage = "It is so. Either party may terminate the agreement with a written notice of thirty days. Short one.";
        assert_eq!(question(passage).unwrap(), "terminate agreement written thirty");
    }

    #[test]
    fn a_question_has_gaps() {
        let passage = "Photosynthesis transforms atmospheric carbon dioxide.";
        let asked = question(passage).unwrap();
        assert!(!passage.contains(&asked), "{asked}");
    }

    #[test]
    fn code_tables_headings_and_short_sentences_give_no_question() {
        for passage in
            ["", "# Terms", "It is so.", "| a | b |\n| 1 | 2 |", "fn main() { let x = (1, 2); x.0 += 3; }"]
        {
            assert_eq!(question(passage), None, "{passage}");
        }
    }

    #[test]
    fn a_megabyte_takes_linear_time() {
        let now = std::time::Instant::now();
        for unit in ["word ", "Every ordinary sentence mentions different subjects. ", "a.", "(", "é "] {
            question(&unit.repeat((1 << 20) / unit.len()));
        }
        assert!(now.elapsed().as_secs() < 30, "{:?}", now.elapsed());
    }

    proptest! {
        #[test]
        fn a_question_has_words_of_one_sentence_and_is_not_a_substring(
            words in prop::collection::vec("[a-zé]{1,9}|the|of", 0..40),
            ends in prop::collection::vec(any::<bool>(), 40),
        ) {
            let joined = words.iter().zip(&ends).map(|(word, end)| if *end { format!("{word}. ") } else { format!("{word} ") });
            let passage: String = joined.collect();
            if let Some(question) = question(&passage) {
                prop_assert!(question.split(' ').count() >= 2);
                prop_assert!(question.split(' ').all(|word| words.iter().any(|known| known == word)));
                prop_assert!(sentences(&passage).into_iter().all(|range| !passage[range].contains(&question) || question.is_empty()));
            }
        }

        #[test]
        fn any_text_is_handled(passage in "\\PC{0,200}") {
            if let Some(question) = question(&passage) {
                prop_assert!(question.contains(char::is_alphanumeric));
            }
        }
    }
}
