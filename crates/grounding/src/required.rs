//! Checks requirements of particular questions: a date for an event that happens once, an amount for "how much", and no opposite of the verb.

use super::asking::is_german;
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
    let is_once = || has_word(question, |word| ONCE.contains(&word) && !is_article(question, word));
    let is_date = |word: &str| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        (3..=4).contains(&digits) || is_month(word) || OF_DATES.contains(&word) || OF_TIMES.contains(&word)
    };
    expected(question) == Expected::Date && is_once() && !has_word(near, is_date)
}

/// Verbs of events that happen once, with the beginnings of words that name the event. Both are separated by spaces.
const EVENTS: [(&str, &str); 6] = [
    ("born geboren", "born birth b geb née"),
    (
        "die died dies gestorben starb",
        "die dying dead death deceased passed perish drown bur funeral killed grave gest starb verst tod tot",
    ),
    (
        "built constructed erected gebaut erbaut errichtet",
        "build built construct erect dat open complet finish found raised gebaut erbaut errichtet bau stammt",
    ),
    (
        "founded established gegründet",
        "found establish open launch began begin start form set since creat origin incorporat gegründet gründ seit entstand",
    ),
    ("married geheiratet heiratete", "marri marry wed wife husband hochzeit heirat ehe"),
    ("invented erfunden", "invent patent develop discover erf entwick"),
];

/// Returns whether a word is the German article "die" rather than an English verb.
fn is_article(question: &str, word: &str) -> bool {
    word == "die" && is_german(question)
}

/// Returns whether a question asks for the date of an event that a text does not mention, as "When was the mill built?" of dated minutes.
/// A year in parentheses is taken for the event's.
pub fn lacks_event(question: &str, near: &str) -> bool {
    let is = |all: &str, word: &str| all.split_whitespace().any(|one| one == word);
    let asked = |(verbs, _): &&(&str, &str)| {
        has_word(question, |word| is(verbs, word) && !is_article(question, word))
    };
    let Some((_, told)) = EVENTS.iter().find(asked) else { return false };
    let tells = |word: &str| {
        told.split_whitespace().any(|begin| word.starts_with(begin) && (begin.len() > 1 || word == begin))
    };
    let has_year = near.split('(').skip(1).any(|behind| {
        let inside = behind.split(')').next().unwrap_or(behind);
        inside.split(|letter: char| !letter.is_ascii_digit()).any(|digits| digits.len() == 4)
    });
    expected(question) == Expected::Date && !has_word(near, tells) && !has_year
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

    #[test]
    fn the_date_of_something_else_is_no_date_of_an_event() {
        let near = "Minutes of the meeting on 12 March 2024 in the mill";
        assert!(lacks_event("When was the tide mill built?", near));
        assert!(lacks_event("In what year was Zelda born?", "Zelda baked this every September until 1971."));
        assert!(lacks_event("When did her brother Anders die?", "Anders went to sea in 1884."));
        assert!(!lacks_event("When did her brother Anders die?", "Anders was buried in 1931."));
        assert!(!lacks_event("When was the tide mill built?", "The mill dates from 1787."));
        assert!(!lacks_event(
            "When was the bridge built?",
            "It passes the Old Bridge (1851), the first of iron."
        ));
        assert!(!lacks_event("When is the meeting?", near) && !lacks_event("Who built the mill?", near));
        assert!(!lacks_event("When was Zelda born?", "Zelda Frick, b. 1903, lived by the mill."));
        assert!(!lacks_event(
            "When was Ada born?",
            "Ada Frick (10 December 1815 – 27 November 1852) was a miller."
        ));
        assert!(!lacks_event("When did she die?", "She passed away in 2019."));
        assert!(!lacks_event("Wann ist die nächste Sitzung?", "Nächste Sitzung: 12. März 2024, 19 Uhr"));
        assert!(!lacks_date("Wann öffnet die Bibliothek?", "Die Bibliothek öffnet um zehn."));
    }
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
