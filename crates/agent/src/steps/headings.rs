//! Tells whether a heading names what a question asks for.

use std::collections::BTreeSet;
use vademecum_grounding::asking::names_several;
use vademecum_grounding::claim::claimed_terms;
use vademecum_grounding::expected::Expected;
use vademecum_grounding::negation::negates;
use vademecum_text::terms::words;

/// Interrogatives that headings begin with as well.
const INTERROGATIVES: [&str; 10] =
    ["who", "what", "which", "when", "where", "how", "wer", "was", "wann", "wo"];

/// Returns whether the list below a heading is what a question asks for: "Goals", to a question for them, or "Who should not bathe".
pub(super) fn names_list(heading: &str, question: &str, asked: &BTreeSet<String>, kind: Expected) -> bool {
    let names_things = names_several(heading) || is_behind_what(heading, question);
    let is_named = kind == Expected::Other && names_things || begin_alike(heading, question);
    is_named && is_asked(heading, asked) && negates(heading) == negates(question)
}

/// Returns whether a name, such as a heading, has only terms of the question besides numbers: "2. Goals".
pub(super) fn is_asked(name: &str, asked: &BTreeSet<String>) -> bool {
    let mut terms = claimed_terms(name);
    terms.retain(|term| !term.starts_with(|first: char| first.is_ascii_digit()));
    !terms.is_empty() && terms.is_subset(asked)
}

/// Returns whether a heading has the noun behind "what" in a question: "What equipment do I need?"
fn is_behind_what(heading: &str, question: &str) -> bool {
    let mut said = words(question).map(|(_, word)| word.to_lowercase());
    let asks_what = said.next().is_some_and(|first| first == "what" || first == "which");
    asks_what && said.next().is_some_and(|noun| !claimed_terms(&noun).is_disjoint(&claimed_terms(heading)))
}

/// Returns whether a heading and a question begin with the same interrogative.
fn begin_alike(heading: &str, question: &str) -> bool {
    let first = |text: &str| words(text).next().map(|(_, word)| word.to_lowercase());
    first(heading)
        .is_some_and(|word| INTERROGATIVES.contains(&word.as_str()) && first(question) == Some(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_names_the_list_that_is_asked_for() {
        let names = |heading: &str, question: &str, kind: Expected| {
            names_list(heading, question, &claimed_terms(question), kind)
        };
        assert!(names("2. Goals", "What are the goals of the project?", Expected::Other));
        assert!(names("Equipment", "What equipment do I need?", Expected::Other));
        assert!(names("Who should not bathe", "Who should not take a bath?", Expected::Person));
        assert!(!names("Who should not bathe", "Who may bathe in the baths?", Expected::Person));
        assert!(!names("Pump", "What colour is the pump?", Expected::Other));
        assert!(!names("Goals", "When are the goals reached?", Expected::Date));
        assert!(!names("Goals and risks", "What are the goals?", Expected::Other));
    }
}
