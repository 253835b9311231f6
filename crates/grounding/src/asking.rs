//! Tells how a question asks: for a way of doing something, for several things, or for a count.

use super::claim::claimed_terms;
use super::expected::{DECISIONS, MEASURES};
use std::collections::BTreeSet;
use vademecum_text::terms::words;

/// Verbs after "how" in questions for a way of doing something, and after "what" for several things to do.
const TO_DO: [&str; 10] = ["do", "can", "to", "should", "must", "shall", "would", "could", "kann", "muss"];

/// Requests for several things.
const ENUMERATE: [&str; 5] = ["list", "name", "enumerate", "steps", "nenne"];

/// Words that ask for several things in languages besides English.
const SEVERAL: [&str; 4] = ["welche", "quels", "quelles", "cuáles"];

/// Returns whether a question asks how something is done, as in "How do I reset it?".
pub fn asks_how(question: &str) -> bool {
    let mut said = words(question).map(|(_, word)| word.to_lowercase());
    let is_how = said.next().is_some_and(|word| ["how", "wie", "cómo"].contains(&word.as_str()));
    is_how && said.next().is_some_and(|word| TO_DO.contains(&word.as_str()))
}

/// Words that ask for a quantity, with the word after "how" that they follow.
fn after_how(question: &str) -> Option<(String, Vec<String>)> {
    let mut said =
        words(question).map(|(_, word)| word.to_lowercase()).skip_while(|word| word != "how").skip(1);
    let measure = said.next().filter(|word| MEASURES.contains(&word.as_str()))?;
    Some((measure, said.collect()))
}

/// Returns the terms of a question that say in what way it asks, as "long" in "How long does it take?", and need not be in an answer.
pub fn asking_terms(question: &str) -> BTreeSet<String> {
    after_how(question).map(|(measure, _)| claimed_terms(&measure)).unwrap_or_default()
}

/// Returns the terms of what a question counts or measures, as "rivets" in "How many steel rivets does it have?" and "rain" in "How
/// much rain fell?"; none if it does not.
pub fn counted_terms(question: &str) -> BTreeSet<String> {
    let counts = |measure: &String| ["many", "much"].contains(&measure.as_str());
    let Some((_, rest)) = after_how(question).filter(|(measure, _)| counts(measure)) else {
        return BTreeSet::new();
    };
    let noun = rest.iter().take(COUNTED_WORDS).take_while(|word| !DECISIONS.contains(&word.as_str()));
    let is_joined = rest.iter().take(COUNTED_WORDS).any(|word| DECISIONS.contains(&word.as_str()));
    // Without a verb after it, the noun is the first word.
    let noun = if is_joined { noun.last() } else { rest.first() };
    // Sums and times have units of their own.
    let noun = noun.filter(|word| !["money", "time"].contains(&word.as_str()));
    noun.map(|word| claimed_terms(word)).unwrap_or_default()
}

/// Maximum number of words of a counted thing: "steel rivets".
const COUNTED_WORDS: usize = 4;

/// Returns whether a question asks for several things, which a list may answer.
pub fn asks_several(question: &str) -> bool {
    let said: Vec<String> = words(question).take(3).map(|(_, word)| word.to_lowercase()).collect();
    let is = |at: usize, all: &[&str]| said.get(at).is_some_and(|word| all.contains(&word.as_str()));
    let is_plural = |at: usize| {
        let is_plural = |word: &String| {
            let is_other = DECISIONS.contains(&word.as_str());
            let ends = |end: &&str| word.ends_with(*end);
            !is_other && word.len() > 3 && word.ends_with('s') && !["ss", "us", "is"].iter().any(ends)
        };
        said.get(at).is_some_and(is_plural)
    };
    let asks_what = is(0, &["what", "which", "was"]);
    is(0, &ENUMERATE)
        || is(0, &SEVERAL)
        || asks_how(question)
        || asks_what && (is(1, &["are", "were", "sind"]) || is(1, &TO_DO) || is_plural(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_counts_the_noun_before_its_verb() {
        let counted = |question: &str| counted_terms(question).into_iter().collect::<Vec<_>>();
        assert_eq!(counted("How many steel rivets does it have?"), ["rivet"]);
        assert_eq!(counted("How many rivets hold the tower?"), ["rivet"]);
        assert_eq!(counted("How much rain fell?"), ["rain"]);
        assert!(
            counted("How much does it cost?").is_empty() && counted("How much money is left?").is_empty()
        );
        assert!(counted("How long does it take?").is_empty());
        assert_eq!(asking_terms("How long does it take?").into_iter().collect::<Vec<_>>(), ["long"]);
        assert!(asking_terms("What is a long walk?").is_empty());
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
        assert!(asks_how("How can I reset it?") && !asks_how("How high is it?"));
    }
}
