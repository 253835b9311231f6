//! Metrics of short answers, as in SQuAD (Rajpurkar et al., EMNLP 2016): ignoring case, punctuation and
//! articles.

use std::collections::HashMap;
use vademecum_text::sentence::sentences;

/// Returns whether an answer equals one of the correct ones.
pub fn exact_match(answer: &str, right: &[String]) -> bool {
    let answer = plain(answer);
    right.iter().any(|one| plain(one) == answer)
}

/// Returns the token F1 of an answer: the maximum over the correct answers.
pub fn f1(answer: &str, right: &[String]) -> f64 {
    right.iter().map(|one| overlap(&plain(answer), &plain(one))).fold(0.0, f64::max)
}

/// Returns whether a text contains one of the correct answers. A number must be there as a number, and not in a list.
pub fn says(text: &str, right: &[String]) -> bool {
    let told: Vec<f64> = text
        .lines()
        .filter(|line| !line.starts_with("- "))
        .flat_map(str::split_whitespace)
        .filter_map(number)
        .collect();
    let text = format!(" {} ", plain(text).join(" "));
    right.iter().any(|one| match number(one) {
        Some(one) => told.contains(&one),
        None => {
            let one = plain(one).join(" ");
            !one.is_empty() && text.contains(&format!(" {one} "))
        }
    })
}

/// Parses a word as a number, without currency and punctuation around it.
fn number(word: &str) -> Option<f64> {
    let bare = word.trim_start_matches(|letter: char| !letter.is_ascii_digit() && letter != '-');
    bare.trim_end_matches(|letter: char| !letter.is_ascii_digit()).replace(',', "").parse().ok()
}

/// Returns the first sentence of an answer; empty without one.
pub fn first_sentence(answer: &str) -> &str {
    sentences(answer).into_iter().next().and_then(|range| answer.get(range)).unwrap_or("")
}

fn overlap(answer: &[String], right: &[String]) -> f64 {
    let mut left: HashMap<&str, usize> = HashMap::new();
    right.iter().for_each(|word| *left.entry(word).or_default() += 1);
    let shared = answer
        .iter()
        .filter(|word| {
            left.get_mut(word.as_str())
                .is_some_and(|count| count.checked_sub(1).map(|less| *count = less).is_some())
        })
        .count() as f64;
    if shared == 0.0 {
        return f64::from(u8::from(answer.is_empty() && right.is_empty()));
    }
    2.0 * shared / (answer.len() + right.len()) as f64
}

/// Normalises a text to the words that are compared.
fn plain(text: &str) -> Vec<String> {
    let letters = text.chars().flat_map(char::to_lowercase);
    let spaced: String = letters.map(|letter| if letter.is_alphanumeric() { letter } else { ' ' }).collect();
    let is_article = |word: &&str| matches!(*word, "a" | "an" | "the");
    spaced.split_whitespace().filter(|word| !is_article(word)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn right(answers: &[&str]) -> Vec<String> {
        answers.iter().map(|answer| (*answer).to_owned()).collect()
    }

    #[test]
    fn case_punctuation_and_articles_are_ignored() {
        assert!(exact_match("The G. Stanley Hall!", &right(&["g stanley hall"])));
        assert!(!exact_match("Stanley Hall", &right(&["G. Stanley Hall"])));
        assert!(exact_match("Stanley Hall", &right(&["G. Stanley Hall", "Stanley Hall"])));
    }

    #[test]
    fn f1_penalises_missing_and_superfluous_words() {
        assert_eq!(f1("Hall", &right(&["Stanley Hall"])), 2.0 / 3.0);
        assert_eq!(f1("hall hall", &right(&["Stanley Hall"])), 0.5, "a word counts once");
        assert_eq!(f1("nobody", &right(&["Stanley Hall"])), 0.0);
        assert_eq!(f1("the", &right(&["a"])), 1.0);
    }

    #[test]
    fn answers_match_whole_words_only() {
        assert!(says("It was G. Stanley Hall, of course.", &right(&["Stanley Hall"])));
        assert!(!says("It was Stanley Halliday.", &right(&["Stanley Hall"])));
        assert!(!says("Anything.", &right(&["the"])));
    }

    #[test]
    fn numbers_are_compared_as_numbers_and_not_with_a_list() {
        assert!(says("There are 4 rows:\n- Truck 7", &right(&["4"])));
        assert!(says("The sum is $1,200.50.", &right(&["1200.5"])));
        assert!(!says("There are 14 rows:\n- Truck 4", &right(&["4"])));
        assert!(!says("The mean is 878 of 7.", &right(&["878.7"])));
    }
}
