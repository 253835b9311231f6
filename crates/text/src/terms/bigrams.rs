//! Terms of scripts in which spaces do not separate words: characters, and pairs of adjacent ones.
//!
//! Annex #29 has no dictionaries: it splits Han, Hiragana and Thai into characters, and keeps Katakana, and
//! Hangul between spaces, whole. A single character says little, and a whole phrase is seldom repeated.
//! Pairs of characters find words without a dictionary.

use super::analyzer::Analyzer;
use super::words::words;
use serde::{Deserialize, Serialize};
use vademecum_util::vec_map;

/// The rule by which text becomes terms. Stored with an index, which is queried by the rule it was built by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Rule {
    /// Words by Annex #29. The rule of indexes that store none.
    #[default]
    Words,
    /// In addition, characters and pairs of characters of unspaced scripts.
    Bigrams,
}

impl Rule {
    /// The rule of new indexes.
    pub const CURRENT: Self = Self::Bigrams;
}

/// Maximum number of additional terms of a query.
const MAX_TERMS: usize = 2048;

/// Derives the additional terms of consecutive words.
#[derive(Debug, Default)]
pub struct Bigrams {
    /// The offset at which the previous word ends, and its last character.
    previous: (usize, String),
}

impl Bigrams {
    /// Calls `emit` with the additional terms of the next word of a text, which begins at `start`: its characters, unless it is
    /// one, and pairs of adjacent characters, the first with the last one of the previous word.
    pub fn add(&mut self, start: usize, word: &str, analyzer: &Analyzer, emit: &mut dyn FnMut(&str)) {
        let (end, mut last) = std::mem::take(&mut self.previous);
        if word.is_ascii() || !word.contains(is_unspaced) {
            return;
        }
        if end != start {
            last.clear();
        }
        // The term of the whole word is the last one.
        let mut whole = String::new();
        analyzer.word(word, &mut |term| term.clone_into(&mut whole));
        for character in characters(&whole) {
            if !character.starts_with(is_unspaced) {
                last.clear();
                continue;
            }
            if !last.is_empty() {
                last.push_str(character);
                if last != whole {
                    emit(&last);
                }
            }
            if character != whole {
                emit(character);
            }
            character.clone_into(&mut last);
        }
        self.previous = (start + word.len(), last);
    }

    /// Returns the distinct additional terms of a query, sorted.
    pub fn of(query: &str, analyzer: &Analyzer) -> Vec<String> {
        let mut terms = Vec::new();
        let mut bigrams = Self::default();
        for (start, word) in words(query) {
            bigrams.add(start, word, analyzer, &mut |term| terms.push(term.to_owned()));
            if terms.len() > MAX_TERMS {
                break;
            }
        }
        vec_map::set(terms)
    }
}

/// Splits a term into characters; a vowel or tone mark of Thai and its neighbours belongs to the character before.
fn characters(term: &str) -> impl Iterator<Item = &str> {
    let mut rest = term;
    std::iter::from_fn(move || {
        let is_start = |(at, letter): &(usize, char)| *at > 0 && !is_southeast_asian(*letter);
        let end = rest.char_indices().find(is_start).map_or(rest.len(), |(at, _)| at);
        let (character, after) = rest.split_at_checked(end).filter(|_| end > 0)?;
        rest = after;
        Some(character)
    })
}

/// Returns whether a letter belongs to a script in which spaces do not separate words, or to Hangul, in which
/// they separate phrases.
pub fn is_unspaced(letter: char) -> bool {
    is_southeast_asian(letter)
        || matches!(letter,
            '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}' // Hangul
            | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{31ff}' // Hiragana, Katakana, Bopomofo, letters of Hangul
            | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' // Han
            | '\u{ff66}'..='\u{ffdc}') // narrow forms
}

/// Returns whether a letter or mark belongs to Thai, Lao, Burmese or Khmer, whose words are split into one character each.
const fn is_southeast_asian(letter: char) -> bool {
    matches!(letter, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

#[cfg(test)]
mod tests {
    use super::super::Language;
    use super::*;
    use proptest::prelude::*;

    /// Returns the additional terms in order.
    fn found(text: &str) -> Vec<String> {
        let (mut terms, mut bigrams) = (Vec::new(), Bigrams::default());
        let analyzer = Analyzer::new(Language::Other);
        for (start, word) in words(text) {
            bigrams.add(start, word, &analyzer, &mut |term| terms.push(term.to_owned()));
        }
        terms
    }

    #[test]
    fn adjacent_characters_are_pairs() {
        assert_eq!(found("東京都"), ["東京", "京都"]);
        assert_eq!(found("東京、都 と"), ["東京"], "punctuation and spaces separate");
        assert_eq!(found("東京タワーへ"), ["東京", "京タ", "タ", "タワ", "ワ", "ワー", "ー", "ーへ"]);
    }

    #[test]
    fn a_word_of_hangul_or_katakana_has_its_characters_and_pairs_beside_it() {
        assert_eq!(found("도서관"), ["도", "도서", "서", "서관", "관"]);
        assert_eq!(found("도서 책"), ["도", "서"], "a pair that is the word is its term already");
        assert_eq!(found("PDF파일"), ["파", "파일", "일"]);
    }

    #[test]
    fn marks_of_thai_belong_to_their_consonant() {
        assert_eq!(found("ที่บ้าน"), ["ที่บ้", "บ้า", "าน"]);
    }

    #[test]
    fn other_scripts_have_no_additional_terms() {
        assert_eq!(found("Rust naïve Привет שלום ελληνικά हिन्दी 2023"), [] as [&str; 0]);
    }

    #[test]
    fn widths_and_compositions_do_not_matter() {
        assert_eq!(found("ﾃﾞｰﾀ"), found("データ"));
        assert_eq!(found("\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}어"), found("한국어"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 4))]

        #[test]
        fn a_query_has_the_terms_of_the_same_words_in_a_text(
            before in "[a-z東京ア。 ]{0,6}", query in "[東京都にタワー도서관ทีบ้าน々ﾃﾞa ]{0,12}", after in "[a-z東京ア。 ]{0,6}",
        ) {
            let text = found(&format!("{before}\n{query}\n{after}"));
            for term in Bigrams::of(&query, &Analyzer::new(Language::Other)) {
                prop_assert!(text.contains(&term), "{term}");
                prop_assert!(!term.is_empty() && term.chars().all(is_unspaced));
            }
            prop_assert_eq!(found(&query), found(&query));
        }

        #[test]
        fn any_text_has_additional_terms_of_a_character_or_two(text in "(\\PC|[가-힣ぁ-ヿก-๛一-龥ｦ-ﾟ]){0,40}") {
            for language in [Language::Other, Language::English, Language::Turkish] {
                for term in Bigrams::of(&text, &Analyzer::new(language)) {
                    prop_assert!(characters(&term).count() <= 2, "{term}");
                }
            }
        }
    }
}
