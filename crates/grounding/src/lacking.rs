//! Tells that a text near an answer lacks what a question cannot do without: a reason, a time, or an identifier of the question.

use super::asking::asks_why;
use super::expected::{Expected, expected};
use super::presence::{OF_NUMBERS, has_word};
use std::collections::BTreeSet;
use vademecum_text::months::is_month;
use vademecum_text::terms::{edits, typo_limit, words};

/// Words that tell a reason, in English, German, French and Spanish.
const REASONS: [&str; 48] = [
    "because",
    "cause",
    "caused",
    "causes",
    "since",
    "due",
    "so",
    "therefore",
    "thus",
    "hence",
    "reason",
    "reasons",
    "owing",
    "thanks",
    "otherwise",
    "order",
    "prevent",
    "prevents",
    "avoid",
    "avoids",
    "means",
    "meant",
    "needs",
    "needed",
    "help",
    "helps",
    "allow",
    "allows",
    "that's",
    "explain",
    "explains",
    "weil",
    "da",
    "denn",
    "damit",
    "wegen",
    "aufgrund",
    "deshalb",
    "daher",
    "darum",
    "deswegen",
    "sonst",
    "grund",
    "gründe",
    "parce",
    "car",
    "porque",
    "pues",
];

/// Words that tell a time without a date.
const TIMES: [&str; 64] = [
    "today",
    "tomorrow",
    "yesterday",
    "morning",
    "mornings",
    "noon",
    "midday",
    "afternoon",
    "evening",
    "evenings",
    "night",
    "nights",
    "midnight",
    "week",
    "weeks",
    "weekend",
    "weekends",
    "weekday",
    "weekdays",
    "month",
    "months",
    "monthly",
    "year",
    "years",
    "yearly",
    "annually",
    "daily",
    "weekly",
    "spring",
    "summer",
    "autumn",
    "winter",
    "day",
    "days",
    "hour",
    "hours",
    "minutes",
    "before",
    "after",
    "until",
    "till",
    "when",
    "once",
    "while",
    "during",
    "as",
    "if",
    "always",
    "never",
    "now",
    "then",
    "soon",
    "immediately",
    "later",
    "easter",
    "christmas",
    "wenn",
    "nach",
    "vor",
    "bis",
    "sobald",
    "tag",
    "woche",
    "jahr",
];

/// Minimum number of terms that a reason consists of which no conjunction announces.
const TOLD: usize = 3;

/// Returns whether a question asks for a reason or a time, and the text that an answer is taken from has none. `told` are the terms that it has
/// besides those of the question.
pub fn lacks_circumstance(question: &str, near: &str, told: usize) -> bool {
    if asks_why(question) {
        return told < TOLD && !has_word(near, |word| REASONS.contains(&word));
    }
    let is_time = |word: &str| {
        TIMES.contains(&word)
            || OF_NUMBERS.contains(&word)
            || word.contains(|letter: char| letter.is_ascii_digit())
            || is_month(word)
    };
    expected(question) == Expected::Date && !has_word(near, is_time)
}

/// Returns the identifiers of a question in lower case: words of letters and digits, as "E4" and "DH-30", and numbers of versions.
fn identifiers(question: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut before = String::new();
    for word in question.split_whitespace() {
        let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        let low = bare.strip_suffix("'s").unwrap_or(bare).to_lowercase();
        let has_digit = low.contains(|letter: char| letter.is_ascii_digit());
        let is_code = has_digit
            && low.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && low.chars().all(|letter| letter.is_ascii_alphanumeric() || "-.".contains(letter));
        let is_version = low.starts_with(|letter: char| letter.is_ascii_digit())
            && low.chars().all(|letter| letter.is_ascii_digit() || letter == '.')
            && (before == "version" || low.matches('.').count() == 2);
        if is_code || is_version {
            found.insert(low.clone());
        }
        before = low;
    }
    found
}

/// Returns whether a question has an identifier that none of some texts has.
pub fn lacks_identifier(question: &str, texts: &[&str]) -> bool {
    let wanted = identifiers(question);
    if wanted.is_empty() {
        return false;
    }
    let joined = |text: &str| -> String {
        text.to_lowercase().chars().filter(|letter| letter.is_alphanumeric() || *letter == '.').collect()
    };
    let texts: Vec<String> = texts.iter().map(|text| joined(text)).collect();
    wanted.iter().any(|one| {
        let one: String = one.chars().filter(|letter| *letter != '-').collect();
        !texts.iter().any(|text| holds(text, &one))
    })
}

/// Returns whether no word of some texts resembles a name: a name may be misspelt, abbreviated or joined otherwise.
pub fn lacks_name(name: &str, texts: &[&str]) -> bool {
    let name = name.to_lowercase();
    let limit = typo_limit(&name);
    let resembles = |word: &str| {
        let word = word.to_lowercase();
        let is_beginning = word.len() > 2 && (name.starts_with(&word) || word.starts_with(&name));
        is_beginning || edits(&name, &word, limit).is_some()
    };
    !texts.iter().any(|text| words(text).any(|(_, word)| resembles(word)))
}

/// Returns whether a question asks for what belongs to somebody, which others than persons may do.
pub fn asks_whose(question: &str) -> bool {
    words(question)
        .next()
        .is_some_and(|(_, word)| ["whose", "wessen"].contains(&word.to_lowercase().as_str()))
}

/// Returns whether a text has an identifier that no further digit belongs to.
fn holds(text: &str, identifier: &str) -> bool {
    text.match_indices(identifier).any(|(at, _)| {
        let next = text.get(at + identifier.len()..).and_then(|rest| rest.chars().next());
        !next.is_some_and(|letter| letter.is_ascii_digit())
    })
}

/// Returns whether all words of a text that have a meaning are in a question.
pub fn only_repeats(text: &BTreeSet<String>, asked: &BTreeSet<String>) -> bool {
    !text.is_empty() && text.is_subset(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_told_by_its_conjunction() {
        let why = "Why is the harbour closed on Mondays?";
        assert!(lacks_circumstance(why, "Monday: closed", 0));
        assert!(!lacks_circumstance(why, "It is closed on Mondays, because of it.", 0));
        assert!(!lacks_circumstance(why, "It is closed on Mondays: the crane is serviced by hand.", 3));
        assert!(lacks_circumstance("Warum ist der Hafen zu?", "Der Hafen ist montags zu.", 1));
        assert!(!lacks_circumstance("Warum ist der Hafen zu?", "Wegen des Krans ist montags zu.", 1));
        assert!(!lacks_circumstance("Is the harbour closed?", "Monday: closed", 0));
    }

    #[test]
    fn a_time_may_be_told_by_what_else_happens() {
        let when = "When did Thomas leave?";
        assert!(lacks_circumstance(when, "She lived with Thomas in a brick house.", 3));
        for told in [
            "Thomas left after the flood.",
            "Thomas left at ten.",
            "Thomas left in May.",
            "Thomas left: 1912.",
        ] {
            assert!(!lacks_circumstance(when, told, 1), "{told}");
        }
    }

    #[test]
    fn a_name_may_be_written_in_another_way() {
        let texts = ["Setanta Sports and Percy Shelley at the Super Bowl, says the MSP."];
        for name in ["Sentanta", "Shelly", "Superbowl", "MSPs"] {
            assert!(!lacks_name(name, &texts), "{name}");
        }
        assert!(lacks_name("Meaco", &texts));
    }

    #[test]
    fn an_identifier_of_the_question_has_to_be_in_the_text() {
        let lacks = |question: &str, text: &str| lacks_identifier(question, &[text]);
        assert!(lacks("What does error E4 mean?", "E1: sensor; E2: fan; E40: door"));
        assert!(!lacks("What does error E4 mean?", "E1: sensor; E4: fan"));
        assert!(lacks("How loud is the DH-30?", "The DH-20 has 37 dB."));
        assert!(!lacks("How loud is the DH-30?", "The DH 30 has 37 dB."));
        assert!(lacks("What is new in version 3.3?", "Version 3.2 has a new format."));
        assert!(!lacks("What is new in version 3?", "Version 3 has a new format."));
        assert!(!lacks("What happens at 5pm on the 3rd of May?", "Nothing."));
        assert!(!lacks("Who paid 12.50?", "Nobody."));
    }
}
