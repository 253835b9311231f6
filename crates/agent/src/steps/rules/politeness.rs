//! Removes polite phrases around a question.

use super::words::{after, before, capitalised, content_words, is_auxiliary, is_question_word, words_of};

/// Phrases that introduce a question, optionally followed by `if` or `about`.
const LEADS: [&str; 26] = [
    "i was wondering",
    "i am wondering",
    "i'm wondering",
    "i wonder",
    "i'd like to know",
    "i would like to know",
    "i want to know",
    "i need to know",
    "i'd love to know",
    "i am trying to find out",
    "i'm trying to find out",
    "i am curious",
    "i'm curious",
    "do you happen to know",
    "do you know",
    "do you have any idea",
    "any idea",
    "i just wanted to ask",
    "i wanted to ask",
    "let me ask you",
    "my question is",
    "quick question",
    "i have a quick question",
    "i have a question",
    "one more question",
    "you know",
];
/// Phrases that address the assistant, and what it is asked to do.
const ASKED: [&str; 9] = [
    "can you",
    "could you",
    "would you",
    "will you",
    "you can",
    "you could",
    "someone could",
    "someone can",
    "anyone can",
];
const TO_DO: [&str; 8] = [
    "tell me",
    "let me know",
    "explain to me",
    "help me understand",
    "help me find out",
    "remind me",
    "inform me",
    "enlighten me",
];
/// Openers, before punctuation or directly before the question.
const OPENERS: [&str; 20] = [
    "hi there",
    "hello there",
    "hey there",
    "good morning",
    "good afternoon",
    "good evening",
    "hi",
    "hello",
    "hey",
    "excuse me",
    "sorry",
    "ok",
    "okay",
    "so",
    "well",
    "um",
    "uh",
    "thanks",
    "thank you",
    "great",
];
const CLOSERS: [&str; 7] =
    ["thanks in advance", "thank you very much", "thank you", "thanks a lot", "thanks", "thx", "cheers"];

/// Maximum number of phrases removed.
const MAX_ROUNDS: usize = 8;

/// Returns the question without polite phrases; `None` if there are none, or nothing else.
pub(in super::super) fn strip(question: &str) -> Option<String> {
    let whole = question.trim();
    let mut rest = whole;
    for _ in 0..MAX_ROUNDS {
        let Some(shorter) = begin(rest).or_else(|| end(rest)) else { break };
        // A question of which nothing would be left is not merely polite: "How do I say thank you?"
        if content_words(shorter).is_empty() && words_of(shorter).len() < 3 {
            break;
        }
        rest = shorter;
    }
    if rest == whole {
        return None;
    }
    let mark = if whole.trim_end_matches(['.', ' ']).ends_with('?') && !rest.ends_with(['?', '.', '!']) {
        "?"
    } else {
        ""
    };
    Some(capitalised(rest) + mark)
}

fn begin(text: &str) -> Option<&str> {
    let marks = |rest: &str| rest.starts_with([',', '!', '.', ':', ';', '-', '–', '—', '…']);
    let next = |rest: &'_ str| -> String {
        words_of(rest).into_iter().next().map_or(String::new(), |word| word.low)
    };
    if let Some(rest) = OPENERS.iter().find_map(|opener| after(text, opener)) {
        let trimmed = trim_start(rest);
        let word = next(trimmed);
        // "Hello world in Rust" begins with no greeting.
        let asks =
            is_question_word(&word) || is_auxiliary(&word) || word == "please" || begin(trimmed).is_some();
        let so_many =
            matches!(next(text).as_str(), "so" | "well" | "um" | "uh" | "great") && !marks(rest.trim_start());
        return (marks(rest.trim_start()) || (asks && !so_many)).then_some(trimmed);
    }
    if let Some(rest) = after(text, "please").filter(|rest| !rest.trim().is_empty()) {
        return Some(trim_start(rest));
    }
    let to_do = |text: &'_ str| -> Option<usize> {
        TO_DO.iter().find_map(|phrase| after(text, phrase)).map(str::len)
    };
    let asked = ASKED.iter().find_map(|phrase| after(text, phrase)).map(str::trim_start).map(|rest| {
        ["please", "kindly", "maybe", "possibly"]
            .iter()
            .find_map(|word| after(rest, word))
            .map_or(rest, str::trim_start)
    });
    let left = match asked {
        Some(rest) => to_do(rest),
        None => to_do(text).or_else(|| LEADS.iter().find_map(|lead| after(text, lead)).map(str::len)),
    }?;
    let rest = trim_start(text.get(text.len() - left..)?);
    let rest =
        ["if", "whether", "about"].iter().find_map(|word| after(rest, word)).map_or(rest, str::trim_start);
    // "Tell me more" refers to the previous answer.
    let of_itself = matches!(next(rest).as_str(), "" | "more" | "that" | "it" | "this");
    (!of_itself).then_some(rest)
}

fn end(text: &str) -> Option<&str> {
    let bare = text.trim_end_matches(['?', '.', '!', ' ']);
    if let Some(rest) = before(bare, "please") {
        return Some(rest.trim_end_matches([',', ' ', '-']));
    }
    let rest = CLOSERS.iter().find_map(|closer| before(bare, closer))?.trim_end();
    rest.ends_with([',', '.', '!', '?', '-', '\n']).then(|| rest.trim_end_matches([',', '-', ' ']))
}

fn trim_start(text: &str) -> &str {
    text.trim_start_matches([',', '!', '.', ':', ';', '-', '–', '—', '…', ' ', '\n', '\t'])
}
