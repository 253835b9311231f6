//! Splits questions and values into words.

use super::table::stem;
use super::words::numeral;
use vademecum_util::within::Within;

/// A word of a question or a value: as written, in lowercase, and its stem.
#[derive(Debug, Clone)]
pub(in crate::steps) struct Token {
    pub(in crate::steps) text: String,
    pub(in crate::steps) low: String,
    pub(in crate::steps) stem: String,
}

/// Splits a text into words and commas, without other marks.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let is_number = |word: &str| {
        (!word.is_empty() && word.chars().all(|letter| letter.is_ascii_digit()))
            || numeral(&word.to_lowercase()).is_some()
    };
    let mut found = Vec::new();
    let mut push = |word: &str| {
        let low = word.to_lowercase();
        if !low.is_empty() {
            found.push(Token { text: word.to_owned(), stem: stem(&low), low });
        }
    };
    for raw in text.replace('’', "'").split_whitespace() {
        let marks = |letter: char| "?;:()\"!“”„[]{}".contains(letter);
        let bare = raw.trim_matches(marks);
        let comma = bare.ends_with(',');
        let bare = bare.trim_matches([',', '.', '\'']).trim_matches(marks);
        // "#1014".
        let bare = bare.strip_prefix('#').filter(|rest| is_number(rest)).unwrap_or(bare);
        match bare.strip_suffix("'s") {
            Some(owner) if !matches!(owner.to_lowercase().as_str(), "who" | "what" | "where" | "when") => {
                push(owner);
                push("'s");
            }
            // "3-bedroom flats", "two-storey houses", "non-electric cars".
            _ => match bare.split_once('-') {
                Some((number, noun)) if is_number(number) && noun.chars().all(char::is_alphabetic) => {
                    push(number);
                    push(noun);
                }
                Some((non, noun)) if non.eq_ignore_ascii_case("non") => {
                    push(non);
                    push(noun);
                }
                _ => push(bare),
            },
        }
        if comma {
            push(",");
        }
    }
    found
}

/// Returns the words of a value as they may occur in a question.
pub(super) fn value_words(text: &str) -> Vec<Token> {
    tokens(text).into_iter().filter(|token| token.low != ",").collect()
}

/// Words directly before a participle: "was done", "have we done".
const BEFORE: [&str; 13] =
    ["was", "were", "is", "are", "been", "have", "has", "had", "we", "they", "you", "i", "got"];
/// Auxiliaries with a subject behind them: "did Hauge spread".
const BEFORE_SUBJECT: [&str; 3] = ["did", "do", "does"];

/// Returns whether a token is a verb, by the words before it, where it may be a noun as well.
pub(in crate::steps) fn is_verb(all: &[Token], at: usize) -> bool {
    let before = all.within(..at);
    let is = |token: &Token, words: &[&str]| words.contains(&token.low.as_str());
    let has_subject = before.iter().any(|token| is(token, &BEFORE_SUBJECT));
    let is_noun = all.get(at + 1).is_some_and(|next| is(next, &["of", "between"]));
    !is_noun
        && before
            .last()
            .is_some_and(|last| is(last, &BEFORE) || has_subject && !is(last, &["the", "a", "an"]))
}
