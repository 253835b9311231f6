//! Decides whether an answer lacks what its question requires: a reason, a time, an identifier or a name.

use super::asking::asks_why;
use super::expected::{Expected, OF_DATES, expected};
use super::measure::is_unit;
use super::presence::has_word;
use std::collections::BTreeSet;
use vademecum_text::months::is_month;
use vademecum_text::terms::{edits, typo_limit, words};
use vademecum_util::within::Within;

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

/// Words with which a sentence tells a reason.
const BECAUSE: [&str; 15] = [
    "because",
    "since",
    "therefore",
    "thus",
    "hence",
    "reason",
    "reasons",
    "otherwise",
    "why",
    "weil",
    "denn",
    "wegen",
    "aufgrund",
    "deshalb",
    "porque",
];

/// Returns whether a sentence tells a reason in so many words: "because", "this is why".
pub fn tells_reason(sentence: &str) -> bool {
    !sentence.ends_with('?') && has_word(sentence, |word| BECAUSE.contains(&word))
}

/// Returns whether a question asks for a reason or a time that a text does not contain. `told` is the number of terms of the answer that the question
/// does not contain: with any, the answer may be right. `near` is the answer with the text around it.
pub fn lacks_circumstance(question: &str, near: &str, told: usize) -> bool {
    if told > 0 {
        return false;
    }
    match asks_why(question) {
        true => !has_word(near, |word| REASONS.contains(&word)),
        false => expected(question) == Expected::Date,
    }
}

/// The word before the number of a version.
const VERSION: &str = "version";

/// An identifier of a question: letters and a number.
#[derive(Debug, PartialEq, Eq)]
struct Identifier {
    letters: String,
    number: String,
    /// Whether its letters are an ordinary noun, such as "step": a text may number such things in another way.
    is_noun: bool,
}

/// Words before the number of one of several things of a kind.
const NUMBERED: [&str; 24] = [
    VERSION,
    "section",
    "chapter",
    "level",
    "zone",
    "room",
    "bus",
    "line",
    "track",
    "step",
    "set",
    "paragraph",
    "article",
    "part",
    "figure",
    "grade",
    "tier",
    "phase",
    "gate",
    "platform",
    "floor",
    "raum",
    "kapitel",
    "stufe",
];
/// Maximum length of the number behind a name: longer ones are amounts or years.
const MAX_NUMBER: usize = 3;

/// Returns the identifiers of a question, as "E4", "DH-30", "version 2" and "Tram 5".
fn identifiers(question: &str) -> Vec<Identifier> {
    let mut found = Vec::new();
    let (mut before, mut is_name) = (String::new(), false);
    let mut said = question.split_whitespace().enumerate().peekable();
    while let Some((at, word)) = said.next() {
        let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        let low = bare.strip_suffix("'s").unwrap_or(bare).to_lowercase();
        let letters: String = low.chars().take_while(char::is_ascii_alphabetic).collect();
        let number = low.within(letters.len()..);
        let number = number.strip_prefix(['-', '.', '_']).unwrap_or(number);
        let is_number = number.starts_with(|first: char| first.is_ascii_digit())
            && number.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
        let is_noun = NUMBERED.contains(&before.as_str());
        let is_dotted = number.contains('.');
        // "for Children 5 euros" has an amount.
        let is_amount = said.peek().is_some_and(|(_, next)| is_unit(&next.to_lowercase()));
        let is_of_name = is_name && number.len() <= MAX_NUMBER || is_noun || is_dotted;
        let is_apart = letters.is_empty()
            && is_of_name
            && !is_amount
            && bare.len() == word.trim_end_matches(is_mark).len();
        if is_number && (!letters.is_empty() || is_apart) {
            let letters = if is_apart { before.clone() } else { letters };
            let is_noun = is_apart && is_noun && before != VERSION;
            found.push(Identifier { letters, number: number.to_owned(), is_noun });
        }
        let is_of_date = is_month(&low) || OF_DATES.contains(&low.as_str());
        is_name = at > 0 && bare.starts_with(char::is_uppercase) && bare == word && !is_of_date;
        before = low;
    }
    found
}

/// Returns whether a question has an identifier that none of some texts has, while one has another with the same letters: "E4", where there are "E1"
/// and "E2".
pub fn lacks_identifier(question: &str, texts: &[&str]) -> bool {
    let mut wanted = identifiers(question);
    wanted.retain(|one| !one.is_noun);
    !wanted.is_empty() && lacks_any(&wanted, texts)
}

/// Identifiers of a question, to recognise sentences about other things of the same kind.
#[derive(Debug)]
pub struct Identifiers(Vec<Identifier>);

impl Identifiers {
    /// Reads a question.
    pub fn of(question: &str) -> Self {
        Self(identifiers(question))
    }

    /// Returns whether a sentence is about another thing of the kind of one that the question identifies: "Sev 2", where "Sev 1" is asked about.
    pub fn has_other(&self, sentence: &str) -> bool {
        !self.0.is_empty() && lacks_any(&self.0, &[sentence])
    }
}

fn lacks_any(wanted: &[Identifier], texts: &[&str]) -> bool {
    let texts: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
    wanted.iter().any(|one| {
        let is_version = one.letters == VERSION;
        let of = |letters: &str| -> Vec<&str> {
            texts.iter().flat_map(|text| numbers_of(text, letters)).collect()
        };
        let mut numbers = of(&one.letters);
        numbers.extend(if is_version { of("v") } else { Vec::new() });
        // A version that no text has: "Loom 3.1".
        let is_dotted = one.number.contains('.') && one.letters != VERSION;
        if is_dotted && !texts.iter().any(|text| has_number(text, &one.number)) {
            return true;
        }
        let whole = |number: &str| number.strip_suffix(".0").unwrap_or(number).to_owned();
        let is_part = |number: &&str| number.starts_with(&format!("{}.", one.number));
        let is_same = |number: &&str| whole(number) == whole(&one.number) || is_part(number);
        !numbers.is_empty() && !numbers.iter().any(is_same)
    })
}

/// Returns whether a character ends a sentence or a part of it.
fn is_mark(letter: char) -> bool {
    ".,;:?!".contains(letter)
}

/// Returns whether a text has a number, perhaps with further parts: "3.1" in "3.1.2".
fn has_number(text: &str, number: &str) -> bool {
    text.match_indices(number).any(|(at, _)| {
        let (before, after) = (text.within(..at), text.within(at + number.len()..));
        let is_digit = |letter: char| letter.is_ascii_digit();
        !before.ends_with(|letter: char| is_digit(letter) || letter == '.') && !after.starts_with(is_digit)
    })
}

/// Returns the numbers behind some letters, which at most one sign separates.
fn numbers_of<'a>(text: &'a str, letters: &str) -> Vec<&'a str> {
    let mut numbers = Vec::new();
    let mut end = 0;
    for (at, _) in text.char_indices().filter(|(_, letter)| letter.is_ascii_digit()) {
        if at < end {
            continue;
        }
        let rest = text.within(at..);
        let length =
            rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
        let number = rest.within(..length).trim_end_matches('.');
        end = at + number.len();
        let before = text.within(..at);
        let before = before.strip_suffix(['-', '.', '_', ' ']).unwrap_or(before);
        let ends_apart = |before: &str| !before.ends_with(|letter: char| letter.is_alphanumeric());
        if before.strip_suffix(letters).is_some_and(ends_apart) {
            numbers.push(number);
        }
    }
    numbers
}

/// Returns whether no word of the texts resembles a name. Words that differ by a typing error, or of which one begins the other, resemble each other.
pub fn lacks_name(name: &str, texts: &[&str]) -> bool {
    let name = name.to_lowercase();
    // Skips days and months, because "daily" answers a question about Saturday.
    if is_month(&name) || OF_DATES.contains(&name.as_str()) {
        return false;
    }
    let limit = typo_limit(&name);
    let resembles = |word: &str| {
        let word = word.to_lowercase();
        let (short, long) = if word.len() < name.len() { (&word, &name) } else { (&name, &word) };
        let is_beginning =
            short.len() > 2 && short.len() * 2 > long.len() && long.starts_with(short.as_str());
        is_beginning || edits(&name, &word, limit).is_some()
    };
    !texts.iter().any(|text| words(text).any(|(_, word)| resembles(word)))
}

/// Returns whether a question begins with "whose": its answer need not be a person.
pub fn asks_whose(question: &str) -> bool {
    words(question)
        .next()
        .is_some_and(|(_, word)| ["whose", "wessen"].contains(&word.to_lowercase().as_str()))
}

/// Returns whether a question contains all terms of a text, which has at least one.
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
        assert!(!lacks_circumstance(why, "It is closed for repairs on Mondays.", 1));
        assert!(lacks_circumstance("Warum ist der Hafen zu?", "Der Hafen ist zu.", 0));
        assert!(!lacks_circumstance("Wieso ist der Hafen zu?", "Deshalb ist der Hafen zu.", 0));
        assert!(!lacks_circumstance("Is the harbour closed?", "Monday: closed", 0));
    }

    #[test]
    fn a_version_that_no_text_has_is_lacking() {
        let lacks = |question: &str, text: &str| lacks_identifier(question, &[text]);
        assert!(lacks("When was Loom 3.1 released?", "Loom needs lib 1.12 or later."));
        assert!(
            !lacks("When was Loom 3.1 released?", "3.1.2: faster")
                && !lacks("Is 1.5 kg enough?", "It takes 2 kg.")
        );
        assert!(!lacks("Is £3.50 enough?", "It costs £4."), "a price");
    }

    #[test]
    fn a_sentence_tells_a_reason_in_so_many_words() {
        assert!(
            tells_reason("It is closed, because the bay is frozen.")
                && tells_reason("This is why it is closed.")
        );
        assert!(!tells_reason("It is closed in winter.") && !tells_reason("Why is it closed?"));
    }

    #[test]
    fn a_time_is_told_by_something_besides_the_words_of_the_question() {
        assert!(lacks_circumstance("When did Thomas leave?", "Thomas left.", 0));
        assert!(!lacks_circumstance("When did Thomas leave?", "Thomas left overnight.", 1));
        assert!(!lacks_circumstance("Where did Thomas leave?", "Thomas left.", 0));
    }

    #[test]
    fn a_name_may_be_written_in_another_way() {
        let texts = ["Setanta Sports and Percy Shelley at the Super Bowl, says the MSP."];
        for name in ["Sentanta", "Shelly", "Superbowl", "MSPs"] {
            assert!(!lacks_name(name, &texts), "{name}");
        }
        assert!(lacks_name("Meaco", &texts));
        assert!(lacks_name("Andrew", &["Bread and butter, for all that has been."]));
        assert!(!lacks_name("Saturday", &["It is open daily."]));
    }

    #[test]
    fn an_identifier_of_the_question_has_to_be_in_a_text_that_has_others_like_it() {
        let lacks = |question: &str, text: &str| lacks_identifier(question, &[text]);
        assert!(lacks("What does error E4 mean?", "E1: sensor; E2: fan; E40: door; the 4 codes"));
        assert!(!lacks("What does error E4 mean?", "E1: sensor; | E4 | 3 beeps |"));
        assert!(lacks("How loud is the DH-30?", "The DH-20 has 37 dB."));
        assert!(!lacks("How loud is the DH-30?", "DH 20 | DH-30 | 37 dB"));
        assert!(!lacks("What was the revenue in Q3?", "Q2 2024: 4 million; Q3 2024: 5 million"));
        assert!(lacks("What is new in version 3.3?", "Version 3.2 has a new format."));
        assert!(!lacks("What is new in version 3?", "Version 3.2 has a new format."));
        let both = "Unlike version 2, version 3 returns times in UTC. Version 2 was switched off on 30 June. It is 1.5 times as fast.";
        assert!(!lacks("What is the difference between version 2 and version 3?", both));
        assert!(!lacks("What is new in version 2.0?", "Version 2 is faster than 1.4."));
        assert!(lacks("How fast is Sev 4 answered?", "Sev 1: 10 minutes; Sev 2: an hour"));
        assert!(!lacks("How fast is Sev 2 answered?", "Sev 1: 10 minutes; Sev 2: an hour"));
        assert!(!lacks("Who is in room 12?", "Rooms 10–14: Ada; room 20: Tom"), "numbered in another way");
        assert!(!lacks("What does Annex 4 say?", "Annex 4.1: rent; Annex 4.2: heating"));
        assert!(!lacks("Kostet es für Kinder 5 Euro?", "Kinder 3 Euro, Erwachsene 7"));
        assert!(!lacks("Is Ada there on Monday 12?", "Monday 11: closed"));
        let asked = Identifiers::of("What does the Brix 20 cost?");
        assert!(asked.has_other("The Brix 12 costs 169 euros.") && !asked.has_other("It costs 229 euros."));
        for text in ["In June 2024 it changed.", "Covid was over.", "under 18: 5 euros, under 6: free"] {
            for question in ["What changed in mid-2024?", "Was it COVID-19?", "What is the under-18 rate?"] {
                assert!(!lacks(question, text), "{question} {text}");
            }
        }
        assert!(!lacks("What happens at 5pm on the 3rd of May?", "Nothing at 4pm."));
    }
}
