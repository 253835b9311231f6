//! Checks requirements of particular questions: a date for an event that happens once, an amount for "how much", and no opposite of the verb.

use super::expected::{Expected, OF_DATES, expected};
use super::presence::has_word;
use std::collections::BTreeSet;
use vademecum_text::months::is_month;
use vademecum_text::terms::words;

/// What happens once, so that a time of day does not tell when.
const ONCE: [&str; 16] = [
    "built",
    "born",
    "founded",
    "released",
    "established",
    "published",
    "invented",
    "married",
    "die",
    "died",
    "finished",
    "completed",
    "gebaut",
    "geboren",
    "gegründet",
    "veröffentlicht",
];
/// Words that tell a date without a number, besides the names of days and months.
const OF_TIMES: [&str; 22] = [
    "spring",
    "summer",
    "autumn",
    "winter",
    "christmas",
    "easter",
    "yesterday",
    "today",
    "tomorrow",
    "ago",
    "last",
    "next",
    "year",
    "years",
    "week",
    "month",
    "war",
    "age",
    "frühling",
    "sommer",
    "herbst",
    "gestern",
];

/// Returns whether a question asks for the date of what happens once, and a text has no date.
pub fn lacks_date(question: &str, near: &str) -> bool {
    let is_once = || has_word(question, |word| ONCE.contains(&word));
    let is_date = |word: &str| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        (3..=4).contains(&digits) || is_month(word) || OF_DATES.contains(&word) || OF_TIMES.contains(&word)
    };
    expected(question) == Expected::Date && is_once() && !has_word(near, is_date)
}

/// Returns whether a question asks for a number in English, whose words for numbers are known.
pub fn asks_amount(question: &str) -> bool {
    let said: Vec<String> = words(question).map(|(_, word)| word.to_lowercase()).collect();
    said.windows(2)
        .any(|pair| matches!(pair, [how, much] if how == "how" && (much == "much" || much == "many")))
}

/// Words that tell an amount without a number.
const AMOUNTS: [&str; 32] = [
    "hundreds",
    "thousands",
    "millions",
    "billions",
    "dozens",
    "majority",
    "minority",
    "most",
    "many",
    "all",
    "every",
    "few",
    "several",
    "both",
    "pair",
    "couple",
    "double",
    "triple",
    "third",
    "thirds",
    "quarters",
    "part",
    "whole",
    "entire",
    "vast",
    "no",
    "nobody",
    "nothing",
    "zero",
    "single",
    "free",
    "each",
];

/// Returns whether a sentence tells an amount in words: "two-thirds", "most of them".
pub fn tells_amount(sentence: &str) -> bool {
    has_word(sentence, |word| word.split('-').any(|part| AMOUNTS.contains(&part)))
}

/// Prefixes by which a word means the opposite of its rest, as "uninstall" does.
const OPPOSITES: [&str; 3] = ["un", "de", "dis"];
/// Minimum length of the rest, in bytes.
const MIN_REST: usize = 5;

/// Returns whether a sentence contains the opposite of a word of the question, and no text the word itself: "uninstall", where a sentence says "install" and no text "uninstall".
pub fn tells_opposite(asked: &BTreeSet<String>, sentence: &BTreeSet<String>, texts: &[&str]) -> bool {
    let is_told = |term: &str| texts.iter().any(|text| text.to_lowercase().contains(term));
    let opposite = |term: &String| {
        OPPOSITES
            .iter()
            .filter_map(|prefix| term.strip_prefix(prefix))
            .any(|rest| rest.len() >= MIN_REST && sentence.contains(rest))
    };
    asked.iter().any(|term| opposite(term) && !is_told(term))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::claimed_terms;

    #[test]
    fn a_time_of_day_is_no_date_of_what_happens_once() {
        let built = "When was the hall built?";
        assert!(lacks_date(built, "The hall is open from 9:00 to 22:30."));
        assert!(
            !lacks_date(built, "It was built in 1921.") && !lacks_date(built, "It was built after the war.")
        );
        assert!(!lacks_date("When does the hall open?", "It opens at 9:00."));
        assert!(lacks_date("Wann wurde die Halle gebaut?", "Die Halle öffnet um 9:00 Uhr."));
    }

    #[test]
    fn how_much_and_how_many_ask_for_a_number() {
        assert!(asks_amount("How much is a key?") && asks_amount("And how many?"));
        assert!(tells_amount("Two-thirds of it is sold.") && tells_amount("Most were sold."));
        assert!(!tells_amount("A lost key is replaced at the tenant's expense."));
        assert!(!asks_amount("How does it work?") && !asks_amount("Combien de brebis ?"));
    }

    #[test]
    fn the_opposite_of_a_word_is_no_answer() {
        let opposite = |question: &str, sentence: &str, text: &str| {
            tells_opposite(&claimed_terms(question), &claimed_terms(sentence), &[text])
        };
        let sentence = "Install the program by apt.";
        assert!(opposite("How do I uninstall it?", sentence, sentence));
        assert!(!opposite("How do I uninstall it?", sentence, "To uninstall it, delete the folder."));
        assert!(!opposite("How do I install it?", sentence, sentence));
    }
}
