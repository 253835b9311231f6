//! Tells how a question asks: for a way of doing something, for several things, or for a count.

use super::attributes::{measure_terms, measures_of};
use super::claim::claimed_terms;
use super::expected::{DECISIONS, Expected, MEASURES, REASONS, expected};
use super::measure::{counts, is_year, of_number};
use super::presence::OF_NUMBERS;
use std::borrow::Cow;
use std::collections::BTreeSet;
use vademecum_text::terms::{Language, words};

/// Verbs after "how" in questions for a way of doing something, and after "what" for several things to do.
const TO_DO: [&str; 10] = ["do", "can", "to", "should", "must", "shall", "would", "could", "kann", "muss"];

/// Requests for several things.
const ENUMERATE: [&str; 5] = ["list", "name", "enumerate", "steps", "nenne"];

/// Words that ask for several things in languages besides English.
const SEVERAL: [&str; 4] = ["welche", "quels", "quelles", "cuáles"];

/// Interrogatives that "is" is joined to, with and without an apostrophe: "whats", "where's".
const JOINED: [&str; 6] = ["what", "where", "who", "when", "how", "why"];

/// Beginnings of requests for a definition, in lower case, with the beginning of the question what it is.
const DEFINE: [(&str, &str); 9] = [
    ("define ", "What is"),
    ("definition of ", "What is"),
    ("the definition of ", "What is"),
    ("what is the definition of ", "What is"),
    ("meaning of ", "What is"),
    ("the meaning of ", "What is"),
    ("what is the meaning of ", "What is"),
    ("definiere ", "Was ist"),
    ("definition von ", "Was ist"),
];

/// Returns a question whose first word is an interrogative joined to "is" as two words, and a request to define a term as the question
/// what it is; another one as it is.
pub fn with_verb(question: &str) -> Cow<'_, str> {
    let low = question.trim_start().to_lowercase();
    let defined = DEFINE.iter().find_map(|(begin, asks)| Some((low.strip_prefix(begin)?.len(), asks)));
    if let Some((length, asks)) = defined {
        let term = question.len().checked_sub(length).and_then(|at| question.get(at..));
        return term.map_or(Cow::Borrowed(question), |term| Cow::Owned(format!("{asks} {term}")));
    }
    let parted = || {
        let (start, word) = words(question).next()?;
        let low = word.to_lowercase().replace('’', "'");
        let bare = low.strip_suffix("'s").or_else(|| low.strip_suffix('s'))?;
        let rest = question.get(start + word.len()..)?;
        JOINED.contains(&bare).then(|| format!("{bare} is{rest}"))
    };
    parted().map_or(Cow::Borrowed(question), Cow::Owned)
}

/// Returns whether a question asks how something is done, as in "How do I reset it?".
pub fn asks_how(question: &str) -> bool {
    let mut said = words(question).map(|(_, word)| word.to_lowercase());
    let is_how = said.next().is_some_and(|word| ["how", "wie", "cómo"].contains(&word.as_str()));
    is_how && said.next().is_some_and(|word| TO_DO.contains(&word.as_str()))
}

/// Returns whether a question asks for an action, as in "What should I do if the light is red?".
pub fn asks_what_to_do(question: &str) -> bool {
    let said: Vec<String> = words(question).take(4).map(|(_, word)| word.to_lowercase()).collect();
    let asks = said.first().is_some_and(|first| ["what", "was"].contains(&first.as_str()));
    let has_verb = said.get(1).is_some_and(|verb| TO_DO.contains(&verb.as_str()));
    asks && has_verb && said.iter().skip(1).any(|word| ["do", "tun", "machen"].contains(&word.as_str()))
}

/// Number of words at the beginning of a question among which a word that asks for a reason is looked for.
const BEFORE_WHY: usize = 3;

/// Returns whether a question asks for a reason.
pub fn asks_why(question: &str) -> bool {
    words(question).take(BEFORE_WHY).any(|(_, word)| REASONS.contains(&word.to_lowercase().as_str()))
}

/// Words that ask for a quantity, with the word after "how" that they follow.
fn after_how(question: &str) -> Option<(String, Vec<String>)> {
    let is_how = |word: &String| word == "how" || word == "wie";
    let mut said =
        words(question).map(|(_, word)| word.to_lowercase()).skip_while(|word| !is_how(word)).skip(1);
    let is_measure = |word: &String| {
        MEASURES.contains(&word.as_str()) || MANY.contains(&word.as_str()) || measures_of(word).is_some()
    };
    let measure = said.next().filter(is_measure)?;
    Some((measure, said.collect()))
}

/// Words after "how" that count or measure what follows them.
const MANY: [&str; 4] = ["many", "much", "viel", "viele"];

/// Interrogatives of German, with which a question begins.
const GERMAN: [&str; 20] = [
    "wer", "wen", "wem", "wessen", "was", "wann", "wo", "woher", "wohin", "wie", "wieviel", "wieviele",
    "warum", "weshalb", "wieso", "welche", "welcher", "welches", "welchen", "welchem",
];

/// Verbs of questions that say nothing of what is asked for.
const HAPPENS: [&str; 3] = ["passiert", "geschieht", "gibt"];
/// Adverbs after "wie" that need not be in an answer.
const ADVERBS: [&str; 3] = ["oft", "häufig", "spät"];

/// Returns whether a question begins as one in German does: terms are those of English, which keep its function words.
pub fn is_german(question: &str) -> bool {
    let mut said = words(question).map(|(_, word)| word.to_lowercase());
    let first = said.next().filter(|word| GERMAN.contains(&word.as_str()));
    // "Was it late?"
    let is_own = |word: String| !Language::English.stop_words().contains(&word.as_str());
    first.is_some_and(|word| word != "was" || said.next().is_some_and(is_own))
}

/// Returns the terms of a question that say in what way it asks, as "long" in "How long does it take?", and need not be in an answer.
pub fn asking_terms(question: &str) -> BTreeSet<String> {
    let mut asking = after_how(question).map(|(measure, _)| claimed_terms(&measure)).unwrap_or_default();
    if is_german(question) {
        let said = words(question).map(|(_, word)| word.to_lowercase());
        let is_function = |word: &String| {
            GERMAN.contains(&word.as_str())
                || HAPPENS.contains(&word.as_str())
                || ADVERBS.contains(&word.as_str())
                || Language::German.stop_words().contains(&word.as_str())
        };
        asking.extend(said.filter(is_function).flat_map(|word| claimed_terms(&word)));
    }
    if expected(question) == Expected::MailAddress {
        asking.extend(claimed_terms("address"));
    }
    asking
}

/// Returns the terms for the measure that a question asks for by an adjective, as "wide" and "width" of "How wide is it?".
pub fn measured_terms(question: &str) -> BTreeSet<String> {
    after_how(question).map(|(measure, _)| measure_terms(&measure)).unwrap_or_default()
}

/// Things that other words count as well: people are guests, and times are "twice".
const GENERIC: [&str; 8] = ["people", "persons", "person", "times", "things", "items", "personen", "leute"];

/// Returns the terms of what a question counts or measures, as "rivets" in "How many steel rivets does it have?" and "rain" in "How
/// much rain fell?"; none if it does not, or if other words count the same.
pub fn counted_terms(question: &str) -> BTreeSet<String> {
    let counts = |measure: &String| MANY.contains(&measure.as_str());
    let Some((_, rest)) = after_how(question).filter(|(measure, _)| counts(measure)) else {
        return BTreeSet::new();
    };
    // "How many kinds of bolts are there?" counts kinds.
    let is_end =
        |word: &&String| DECISIONS.contains(&word.as_str()) || ["of", "von"].contains(&word.as_str());
    let noun = rest.iter().take(COUNTED_WORDS).take_while(|word| !is_end(word));
    let is_joined = rest.iter().take(COUNTED_WORDS).any(|word| is_end(&word));
    // Without such a word after it, the noun is the first one.
    let noun = if is_joined { noun.last() } else { rest.first() };
    // Sums and times have units of their own.
    let is_measure = |word: &str| ["money", "time"].contains(&word) || measures_of(word).is_some();
    let is_generic = |word: &str| GENERIC.contains(&word);
    let noun = noun.filter(|word| !is_measure(word) && !is_generic(word));
    noun.map(|word| claimed_terms(word)).unwrap_or_default()
}

/// Returns whether a sentence with numbers counts other things only than those that a question counts; `counted` has the terms of
/// [`counted_terms`].
pub fn counts_other(question: &str, counted: &BTreeSet<String>, sentence: &str) -> bool {
    if counted.is_empty() || !claimed_terms(sentence).is_disjoint(counted) {
        return false;
    }
    let asked = claimed_terms(question);
    let mut numbers = words(sentence).filter(|(_, word)| {
        let low = word.to_lowercase();
        let is_number =
            low.starts_with(|first: char| first.is_ascii_digit()) || OF_NUMBERS.contains(&low.as_str());
        is_number && !asked.contains(&low)
    });
    numbers.all(|(start, word)| {
        let end = start + word.len();
        is_year(word) || of_number(sentence, start, end).is_some() || counts(sentence, end)
    })
}

/// Maximum number of words of a counted thing: "steel rivets".
const COUNTED_WORDS: usize = 4;

/// Returns whether a question asks for several things, which a list may answer.
pub fn asks_several(question: &str) -> bool {
    let said: Vec<String> = words(question).take(3).map(|(_, word)| word.to_lowercase()).collect();
    let is = |at: usize, all: &[&str]| said.get(at).is_some_and(|word| all.contains(&word.as_str()));
    let is_plural = |at: usize| said.get(at).is_some_and(|word| is_plural(word));
    let asks_what = is(0, &["what", "which", "was"]);
    is_plural_name(question)
        || is(0, &ENUMERATE)
        || is(0, &SEVERAL)
        || asks_how(question)
        || asks_what && (is(1, &["are", "were", "sind"]) || is(1, &TO_DO) || is_plural(1))
        || asks_what_is_listed(question)
}

/// Returns whether a lowercase word is the plural of an English noun.
fn is_plural(word: &str) -> bool {
    let is_other = DECISIONS.contains(&word);
    let ends = |end: &&str| word.ends_with(*end);
    !is_other && word.len() > 3 && word.ends_with('s') && !["ss", "us", "is"].iter().any(ends)
}

/// Maximum number of words of a name that is asked for without a question.
const NAME_WORDS: usize = 6;
/// Words behind the noun of a name: "goals of the project".
const BEHIND_NOUN: [&str; 12] =
    ["of", "for", "in", "on", "at", "to", "from", "des", "der", "von", "vom", "im"];
/// Plurals for what one sentence tells, not a list.
const IN_A_SENTENCE: [&str; 9] =
    ["hours", "times", "days", "weeks", "months", "years", "minutes", "dates", "prices"];

/// Returns whether a heading, or another name, is that of several things: "Duties of the keeper".
pub fn names_several(name: &str) -> bool {
    let said: Vec<&str> = words(name).map(|(_, word)| word).collect();
    let is_end = |word: &&str| BEHIND_NOUN.contains(&word.to_lowercase().as_str());
    let end = said.iter().position(is_end).unwrap_or(said.len());
    let noun = end.checked_sub(1).and_then(|at| said.get(at)).map(|noun| noun.to_lowercase());
    noun.is_some_and(|noun| is_plural(&noun) && !IN_A_SENTENCE.contains(&noun.as_str()))
}

/// Returns whether a question is but the name of several things: "walnut ingredients", "goals of the project". Capitals behind the first word are
/// those of a name that may end in "s".
fn is_plural_name(question: &str) -> bool {
    let said: Vec<&str> = words(question).map(|(_, word)| word).collect();
    let asks = |word: &&str| {
        let low = word.to_lowercase();
        JOINED.contains(&low.as_str()) || low == "which" || low == "whose"
    };
    let first = said.first().map(|word| word.to_lowercase()).unwrap_or_default();
    let is_name = |word: &&str| word.starts_with(char::is_uppercase);
    (2..=NAME_WORDS).contains(&said.len())
        && !question.contains(['?', '？'])
        && !DECISIONS.contains(&first.as_str())
        && !said.iter().any(asks)
        && !said.last().is_some_and(is_name)
        && !is_german(question)
        && names_several(question)
}

/// Returns whether a question asks for all of a list: "What is on the packing list?", "Was steht auf der Packliste?".
fn asks_what_is_listed(question: &str) -> bool {
    let said: Vec<String> = words(question).map(|(_, word)| word.to_lowercase().replace('’', "'")).collect();
    let has = |at: usize, all: &[&str]| said.get(at).is_some_and(|word| all.contains(&word.as_str()));
    let Some(last) = said.last() else { return false };
    if is_german(question) {
        return has(0, &["was"]) && has(2, &["auf", "in"]) && last.ends_with("liste");
    }
    let is_on = has(0, &["what"]) && has(2, &["on", "in"]) || has(0, &["what's"]) && has(1, &["on", "in"]);
    is_on && ["list", "checklist"].contains(&last.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_for_what_a_list_has_asks_for_several_things() {
        for question in [
            "What is on the packing list?",
            "What’s on the list?",
            "What belongs in the checklist?",
            "Was steht auf der Packliste?",
        ] {
            assert!(asks_several(question), "{question}");
        }
        for question in [
            "What is the price on the list?",
            "What was the list price of the pump?",
            "What is a linked list?",
            "What is on the list of plot 4?",
            "Was it on the list?",
            "What happened to the list?",
            "Was kostet die Pumpe in der Preisliste?",
        ] {
            assert!(!asks_several(question), "{question}");
        }
    }

    #[test]
    fn a_name_in_the_plural_asks_for_several_things() {
        for question in ["walnut ingredients", "goals of the brook project", "Steps to upgrade it"] {
            assert!(asks_several(question), "{question}");
        }
        for question in [
            "opening hours",
            "price of the tickets",
            "Are there goals?",
            "tickets?",
            "goals",
            "the glass bus",
            "Does it have wheels",
            "Ziele des Projekts",
            "tell me where Ruth lives",
            "explain why the pump leaks",
            "contact Mark Williams",
        ] {
            assert!(!asks_several(question), "{question}");
        }
    }

    #[test]
    fn a_question_counts_the_noun_before_its_verb() {
        let counted = |question: &str| counted_terms(question).into_iter().collect::<Vec<_>>();
        assert_eq!(counted("How many steel rivets does it have?"), ["rivet"]);
        assert_eq!(counted("How many rivets hold the tower?"), ["rivet"]);
        assert_eq!(counted("How many other kinds of steel rivets are there?"), ["kind"]);
        assert!(counted("How many people live there?").is_empty(), "guests are people");
        assert_eq!(counted("How much rain fell?"), ["rain"]);
        assert!(
            counted("How much does it cost?").is_empty() && counted("How much money is left?").is_empty()
        );
        assert!(counted("How long does it take?").is_empty());
        assert_eq!(asking_terms("How long does it take?").into_iter().collect::<Vec<_>>(), ["long"]);
        assert!(asking_terms("What is a long walk?").is_empty());
        assert_eq!(counted("Wie viele Tassen fasst die Kanne?"), ["tassen"]);
        let asking = |question: &str| asking_terms(question).into_iter().collect::<Vec<_>>();
        assert_eq!(asking("Wie lange dauert die Fahrt?"), ["die", "lang", "wie"]);
        assert!(asking("Was it late?").is_empty());
    }

    #[test]
    fn an_interrogative_that_is_joined_to_its_verb_is_two_words() {
        assert_eq!(with_verb("whats a slice"), "what is a slice");
        assert_eq!(with_verb("Where’s the archive?"), "where is the archive?");
        assert_eq!(with_verb("Define Weir"), "What is Weir");
        assert_eq!(with_verb("the meaning of fee?"), "What is fee?");
        assert_eq!(with_verb("What is the meaning of fee?"), "What is fee?");
        assert_eq!(with_verb("Definiere Wehr"), "Was ist Wehr");
        for question in ["What is it?", "show whats new", "hows", ""] {
            assert_eq!(with_verb(question), if question == "hows" { "how is" } else { question });
        }
    }

    #[test]
    fn a_number_of_something_else_is_no_count_of_what_is_asked_for() {
        let other =
            |question: &str, sentence: &str| counts_other(question, &counted_terms(question), sentence);
        let question = "How many dogs live on the farm?";
        assert!(other(question, "The farm has three barns."));
        assert!(other(question, "The farm was built in 1920, and measures 4 ha."));
        assert!(!other(question, "Two dogs guard it, and it has three barns."));
        assert!(!other(question, "They are 14 in all."), "the number stands alone");
        assert!(!other("How many people live there?", "It houses 14 guests."));
        assert!(!other("How high is it?", "It has three barns."));
    }

    #[test]
    fn several_things_are_asked_for_by_a_plural_and_by_what_is_to_be_done() {
        for question in [
            "What are the rules?",
            "Which tools are needed?",
            "What must the tenant do?",
            "How do I reset it?",
            "List the risks.",
        ] {
            assert!(asks_several(question), "{question}");
        }
        for question in
            ["What is the rule?", "Which bus is red?", "What does it mean?", "How long is it?", "Who came?"]
        {
            assert!(!asks_several(question), "{question}");
        }
        assert!(asks_what_to_do("What should I do if it is red?") && asks_what_to_do("what to do in a fire"));
        assert!(!asks_what_to_do("What does the valve do?") && !asks_what_to_do("What is to do?"));
        assert!(asks_how("How can I reset it?") && !asks_how("How high is it?"));
    }
}
