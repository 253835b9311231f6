//! Tells whether one of two sentences with the same words negates what the other says.

use super::claim::claimed_terms;
use std::collections::BTreeSet;
use vademecum_text::terms::words;

/// Words that negate, in English, German, French and Spanish.
const NEGATIONS: [&str; 41] = [
    "not", "no", "never", "none", "nothing", "nobody", "nowhere", "neither", "nor", "cannot", "without",
    "unknown", "unable", "lacks", "hardly", "nicht", "kein", "keine", "keinen", "keiner", "keinem", "keines",
    "nie", "niemals", "nichts", "niemand", "nirgends", "weder", "ohne", "jamais", "sans", "aucun", "aucune",
    "rien", "nunca", "jamás", "sin", "ningún", "ninguna", "nadie", "nada",
];
/// French words that negate beside `ne` alone: a step and a person otherwise.
const BESIDE_NE: [&str; 2] = ["pas", "personne"];
/// Words after a negation that make it a bound or an addition, as in "no more than" and "not only".
const NO_NEGATION_BEFORE: [&str; 11] = [
    "only",
    "more",
    "less",
    "fewer",
    "later",
    "earlier",
    "longer than",
    "nur",
    "mehr als",
    "weniger",
    "seulement",
];
/// Negations of what they stand before alone, in the same languages.
const PREPOSITIONS: [&str; 4] = ["without", "ohne", "sans", "sin"];
/// Number of words that such a preposition belongs to, articles included.
const OBJECT_WORDS: usize = 3;
/// Beginnings of words that deny without a negation, such as "forbidden" for "not allowed".
const DENIALS: [&str; 16] = [
    "forbid",
    "forbad",
    "prohibit",
    "exclude",
    "refuse",
    "denied",
    "reject",
    "abolish",
    "banned",
    "absent",
    "failed",
    "fails",
    "verbot",
    "untersag",
    "ausgeschl",
    "interdi",
];
/// Words between clauses, beside punctuation.
const BETWEEN: [&str; 4] = [" but ", " aber ", " mais ", " pero "];

/// Returns whether a text contains a word that negates.
pub fn negates(text: &str) -> bool {
    words(text).map(|(_, word)| word.to_lowercase()).any(|word| is_negation(&word))
}

/// Returns whether a lowercase word negates.
fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word) || word.ends_with("n't") || word.ends_with("n’t")
}

/// Returns whether a sentence says the opposite of its support: a clause of one is negated that the other affirms.
pub(super) fn contradicts(sentence: &str, support: &str) -> bool {
    let (sentence, support) = (clauses(sentence), clauses(support));
    opposes(&sentence, &support) || opposes(&support, &sentence)
}

/// Returns whether one text negates what another affirms: a negated clause has terms in common with it, though not with any clause
/// that it negates or denies as well.
fn opposes(ours: &[Clause], theirs: &[Clause]) -> bool {
    let meets = |one: &BTreeSet<String>, other: &BTreeSet<String>| !one.is_disjoint(other);
    ours.iter().filter_map(|clause| clause.negated.as_ref()).any(|negated| {
        let agrees = |other: &&Clause| {
            other.negated.as_ref().is_some_and(|too| meets(negated, too))
                || (other.denies && meets(negated, &other.terms))
        };
        theirs.iter().any(|other| meets(negated, &other.terms)) && !theirs.iter().any(|other| agrees(&other))
    })
}

/// A part of a sentence.
struct Clause {
    terms: BTreeSet<String>,
    /// The terms that are negated, if any: with a preposition such as "without", those of the words that it belongs to.
    negated: Option<BTreeSet<String>>,
    /// Whether a word denies it without a negation.
    denies: bool,
}

fn clauses(text: &str) -> Vec<Clause> {
    let text = without_numbering(text);
    let text = BETWEEN.iter().fold(text, |text, word| text.replace(word, ", "));
    let parts = text.split([',', ';', ':', '.', '!', '?', '–', '—', '(', ')', '|', '\n']);
    let clause = |part: &str| Clause {
        terms: claimed_terms(part),
        negated: negated_part(part).map(claimed_terms),
        denies: words(part)
            .any(|(_, word)| DENIALS.iter().any(|denial| word.to_lowercase().starts_with(denial))),
    };
    parts.map(clause).filter(|clause| !clause.terms.is_empty()).collect()
}

/// Returns a text in which "No. 12" negates nothing.
fn without_numbering(text: &str) -> String {
    let mut plain = text.to_owned();
    for abbreviation in ["No. ", "no. ", "No.", "no."] {
        let places: Vec<usize> = plain.match_indices(abbreviation).map(|(at, _)| at).collect();
        for at in places.into_iter().rev() {
            let begins = plain.get(..at).is_some_and(|before| !before.ends_with(char::is_alphanumeric));
            let after = plain.get(at + abbreviation.len()..);
            if begins && after.is_some_and(|after| after.starts_with(|next: char| next.is_ascii_digit())) {
                plain.replace_range(at..at + abbreviation.len(), " ");
            }
        }
    }
    plain
}

fn negated_part(clause: &str) -> Option<&str> {
    let found: Vec<(usize, &str)> = words(clause).collect();
    let lower: Vec<String> = found.iter().map(|(_, word)| word.to_lowercase()).collect();
    // Upper case is a point of the compass.
    let is_ne = |(_, word): &(usize, &str)| *word == "ne" || word.starts_with("n'") || word.starts_with("n’");
    let has_ne = found.iter().any(is_ne);
    let is_bound = |at: usize| {
        let next = lower.get(at + 1).map_or("", String::as_str);
        let two = format!("{next} {}", lower.get(at + 2).map_or("", String::as_str));
        NO_NEGATION_BEFORE.contains(&next) || NO_NEGATION_BEFORE.contains(&two.as_str())
    };
    let negates = |(at, word): (usize, &String)| {
        let is_word = is_negation(word) && !PREPOSITIONS.contains(&word.as_str());
        let is_french = has_ne && BESIDE_NE.contains(&word.as_str());
        (is_word || is_french) && !is_bound(at)
    };
    if lower.iter().enumerate().any(negates) {
        return Some(clause);
    }
    let at = lower.iter().position(|word| PREPOSITIONS.contains(&word.as_str()))?;
    let (start, _) = found.get(at)?;
    let end = found.get(at + 1 + OBJECT_WORDS).map_or(clause.len(), |(end, _)| *end);
    clause.get(*start..end)
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
            ("Dogs are not allowed on deck.", "Dogs are allowed on deck, but not in the cabin."),
            ("Dogs are not allowed on deck.", "Dogs are allowed on deck, but smoking is prohibited."),
            ("The lounge is not open to members.", "The exclusive lounge is open to members."),
            ("allowed on deck", "Dogs are not allowed on deck."),
            ("Niemand darf das Deck betreten.", "Jeder darf das Deck betreten."),
            ("Le port est ouvert le dimanche.", "Le port n'est pas ouvert le dimanche."),
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
            ("Dogs are welcome.", "Dogs are welcome but cats are not."),
            ("The spare key hangs in room No. 12.", "The spare key hangs in room 12."),
            ("Bags weigh no more than 5 kg.", "Bags weigh at most 5 kg."),
            ("The notice is not less than 30 days.", "The notice is at least 30 days."),
            ("The ferry carries not only cars but also dogs.", "The ferry carries cars and dogs."),
            ("The NE gate opens at nine.", "The gate in the north east opens at nine."),
            ("L'hôtel est à deux pas de la gare.", "L'hôtel est près de la gare."),
            (
                "They have soft feathers.",
                "Owls fly without a sound because the edges of their feathers are soft.",
            ),
        ] {
            assert!(!contradicts(sentence, support), "{sentence}");
        }
    }
}
