//! Recognises answers that state that the passages contain no answer, as the prompt requests: "The passages do not say so."

use super::words::{stems, words_of};
use vademecum_grounding::claim::claim;
use vademecum_text::sentence::sentences;
use vademecum_util::within::Within;

const NEGATIONS: [&str; 10] =
    ["not", "no", "none", "nothing", "neither", "nor", "cannot", "nowhere", "unable", "without"];
/// Words for the sources.
const SOURCES: [&str; 7] = ["passage", "document", "excerpt", "source", "context", "text", "evidence"];
/// Verbs and adjectives that are negated about the sources.
const SAYING: [&str; 24] = [
    "say",
    "state",
    "mention",
    "contain",
    "hold",
    "include",
    "specify",
    "provide",
    "answer",
    "tell",
    "describe",
    "indicate",
    "address",
    "find",
    "found",
    "information",
    "detail",
    "give",
    "given",
    "cover",
    "discuss",
    "stand",
    "name",
    "explain",
];
/// Words that lead to a claim, a guess or a rule: "Documents must not contain names."
const CLAIMING: [&str; 12] = [
    "but", "however", "although", "though", "except", "must", "should", "shall", "may", "might", "probably",
    "likely",
];

/// Returns whether an answer claims only that nothing was found. It may repeat names and numbers of the question, but not contain
/// others.
pub fn is_refusal(answer: &str, question: &str) -> bool {
    let asked = claim(question);
    let said = claim(answer);
    let mut names = said.names.keys().chain(said.numbers.keys());
    let of_the_question = |term: &String| {
        [&asked.names, &asked.openings, &asked.numbers].iter().any(|all| all.contains_key(term))
    };
    let sentences = sentences(answer);
    said.quotes.is_empty()
        && names.all(of_the_question)
        && !sentences.is_empty()
        && sentences.into_iter().all(|at| finds_nothing(answer.within(at)))
}

fn finds_nothing(sentence: &str) -> bool {
    let held = stems(sentence);
    let has = |wanted: &[&str]| wanted.iter().any(|word| !held.is_disjoint(&stems(word)));
    let words = words_of(sentence);
    let is_said = |words: &[&str], low: &str| words.contains(&low);
    let negated = words.iter().any(|word| is_said(&NEGATIONS, &word.low) || word.low.ends_with("n't"));
    let claims = words.iter().any(|word| is_said(&CLAIMING, &word.low));
    negated && !claims && has(&SOURCES) && has(&SAYING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_makes_no_claim() {
        let question = "What does the Globex licence cost in 2023?";
        for refusal in [
            "The passages do not say what the licence costs.",
            "The provided documents don't contain this information.",
            "There is no information about the price of the Globex licence in 2023 in the documents.",
            "I could not find an answer in the documents.",
            "None of the passages mentions a price.",
        ] {
            assert!(is_refusal(refusal, question), "{refusal}");
        }
        for claimed in [
            "",
            "No.",
            "The licence costs nothing.",
            "The passages do not say so. It is more than the support.",
            "The passages do not mention Globex, but Initech.",
            "The passages do not say so, but it is 5 euros.",
            "The passages do not say so, and it is probably cheap.",
            "Documents must not contain names.",
            "The passages say that the licence is cheap.",
            "The documents say “there is no price for the licence”.",
        ] {
            assert!(!is_refusal(claimed, question), "{claimed}");
        }
    }
}
