//! Tells whether one of two sentences with the same words negates what the other says.

use super::claim::claimed_terms;
use std::collections::BTreeSet;
use vademecum_text::terms::words;

/// Words that negate, in English, German, French and Spanish.
const NEGATIONS: [&str; 37] = [
    "not", "no", "never", "none", "nothing", "nobody", "neither", "nor", "cannot", "without", "unknown",
    "unable", "lacks", "hardly", "nicht", "kein", "keine", "keinen", "keiner", "keinem", "keines", "nie",
    "niemals", "nichts", "ohne", "ne", "pas", "jamais", "sans", "aucun", "aucune", "rien", "nunca", "sin",
    "ningún", "ninguna", "nada",
];
/// Negations of what they stand before alone, in the same languages.
const PREPOSITIONS: [&str; 4] = ["without", "ohne", "sans", "sin"];
/// Number of words that such a preposition belongs to, articles included.
const OBJECT_WORDS: usize = 3;
/// Beginnings of words that deny something by themselves: what is forbidden is not allowed.
const DENIALS: [&str; 16] = [
    "forbid",
    "forbad",
    "prohibit",
    "exclu",
    "refus",
    "denied",
    "reject",
    "abolish",
    "banned",
    "absen",
    "fail",
    "verbot",
    "untersag",
    "ausgeschl",
    "interdi",
    "prohib",
];

/// Returns whether a sentence says the opposite of its support: a clause of one is negated that the other affirms.
pub(super) fn contradicts(sentence: &str, support: &str) -> bool {
    let (ours, theirs) = (negated(sentence), negated(support));
    let meets = |negated: &[BTreeSet<String>], other: &str| {
        let held = claimed_terms(other);
        negated.iter().any(|clause| !clause.is_disjoint(&held))
    };
    match (ours.is_empty(), theirs.is_empty()) {
        (false, true) => meets(&ours, support) && !denies(support),
        (true, false) => meets(&theirs, sentence) && !denies(sentence),
        _ => false,
    }
}

/// Returns the terms of each clause that contains a negation; of one with a preposition such as "without", those of the words
/// that it belongs to.
fn negated(text: &str) -> Vec<BTreeSet<String>> {
    let clauses = text.split([',', ';', ':', '.', '!', '?', '–', '—', '(', ')', '|', '\n']);
    clauses.filter_map(negated_part).map(claimed_terms).collect()
}

fn negated_part(clause: &str) -> Option<&str> {
    let found: Vec<(usize, &str)> = words(clause).collect();
    let is_preposition = |word: &str| PREPOSITIONS.contains(&word.to_lowercase().as_str());
    if found.iter().any(|(_, word)| is_negation(word) && !is_preposition(word)) {
        return Some(clause);
    }
    let at = found.iter().position(|(_, word)| is_preposition(word))?;
    let (start, _) = found.get(at)?;
    let end = found.get(at + 1 + OBJECT_WORDS).map_or(clause.len(), |(end, _)| *end);
    clause.get(*start..end)
}

fn is_negation(word: &str) -> bool {
    let word = word.to_lowercase();
    NEGATIONS.contains(&word.as_str()) || word.ends_with("n't") || word.ends_with("n’t")
}

fn denies(text: &str) -> bool {
    words(text).any(|(_, word)| DENIALS.iter().any(|denial| word.to_lowercase().starts_with(denial)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negated_clause_contradicts_one_that_affirms_the_same() {
        for (sentence, support) in [
            ("Dogs are allowed on deck.", "Dogs are not allowed on deck."),
            ("Dogs aren't allowed on deck.", "Dogs are allowed on deck."),
            ("The class of trains is not specified.", "Trains of class T7 serve the line."),
            ("Der Rasen darf gemäht werden.", "Der Rasen darf mittags nicht gemäht werden."),
            ("Owls fly with a sound.", "Owls fly without a sound because their feathers are soft."),
        ] {
            assert!(contradicts(sentence, support), "{sentence}");
        }
    }

    #[test]
    fn negations_of_something_else_and_denials_do_not_contradict() {
        for (sentence, support) in [
            ("The pier is open in May.", "The pier is open in May, not in October."),
            ("Dogs are not allowed on deck.", "Dogs are forbidden on deck."),
            ("Dogs are forbidden on deck.", "Dogs are not allowed on deck."),
            ("Dogs are not allowed on deck.", "No dogs on deck."),
            ("The tray of the labels is 12.", "| Labels | 12 | no |"),
            (
                "They have soft feathers.",
                "Owls fly without a sound because the edges of their feathers are soft.",
            ),
        ] {
            assert!(!contradicts(sentence, support), "{sentence}");
        }
    }
}
