//! Judges without a model whether evidence suffices for a question.
//!
//! It suffices if the best passages contain most of the question's terms and all of its names and numbers. If one passage leads
//! clearly, a smaller share is enough. Words are compared, not meanings, so the rule errs towards searching again, which is
//! cheap.

use super::attributes::told_terms;
use super::claim::{claim, claimed_terms};
use std::collections::BTreeSet;
use std::sync::LazyLock;
use vademecum_protocol::document::Hit;
use vademecum_text::terms::terms;
use vademecum_util::within::Within;

/// Minimum share of the question's terms in the passages.
const MIN_COVERAGE: f32 = 0.7;
/// The same if one passage leads.
const MIN_COVERAGE_WITH_LEAD: f32 = 0.5;
/// Minimum lead of the first score over the mean of the others, relative to the first.
const MIN_LEAD: f32 = 0.3;
/// Words that say what to do with the evidence and need not occur in it.
pub const INSTRUCTIONS: [&str; 20] = [
    "answer",
    "please",
    "define",
    "definition",
    "versus",
    "compare",
    "describe",
    "detail",
    "difference",
    "differ",
    "explain",
    "find",
    "give",
    "list",
    "mean",
    "name",
    "show",
    "summarize",
    "tell",
    "much",
];

/// The stems of [`INSTRUCTIONS`]: "describ", "summar".
static INSTRUCTION_STEMS: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| INSTRUCTIONS.iter().flat_map(|word| terms(word)).map(|stem| stem.text).collect());

/// A judgement with its reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct Sufficiency {
    /// Whether the evidence suffices.
    pub sufficient: bool,
    /// Share of the question's terms that the passages contain, in [0, 1].
    pub coverage: f32,
    /// Terms that they do not contain, as spelled in the question; names and numbers first.
    pub missing: Vec<String>,
    /// Names and numbers of the question, as spelled there.
    pub entities: Vec<String>,
}

impl Sufficiency {
    /// Returns the reason in one phrase, for a trace or a prompt.
    pub fn reason(&self) -> String {
        let covered = format!("the passages hold {:.0} % of the question's terms", self.coverage * 100.0);
        if self.missing.is_empty() {
            covered
        } else {
            format!("{covered}, without {}", self.missing.join(", "))
        }
    }

    /// Returns a query for the missing terms and the question's names, or `None` if nothing is missing.
    pub fn next_query(&self) -> Option<String> {
        let mut query: Vec<&str> = self.entities.iter().map(String::as_str).collect();
        query.extend(
            self.missing.iter().map(String::as_str).filter(|word| !self.entities.iter().any(|e| e == word)),
        );
        (!self.missing.is_empty()).then(|| query.join(" "))
    }
}

/// Judges whether the passages, best first, suffice for the question.
pub fn judge(question: &str, passages: &[Hit]) -> Sufficiency {
    let held: BTreeSet<String> = passages.iter().flat_map(held).collect();
    let asked = claim(question);
    let mut entities: Vec<String> = Vec::new();
    let mut missing_entities: Vec<String> = Vec::new();
    let unknown = |(term, _): &(&String, &String)| !held.contains(*term) && !is_instruction(term);
    let openings = asked.openings.iter().filter(unknown);
    for (term, written) in asked.names.iter().chain(&asked.numbers).chain(openings) {
        push_new(&mut entities, written);
        if !held.contains(term) {
            push_new(&mut missing_entities, written);
        }
    }
    let mut missing = missing_entities.clone();
    let wanted: Vec<&String> = asked.terms.iter().filter(|term| !is_instruction(term)).collect();
    let covered = wanted.iter().filter(|term| held.contains(**term)).count();
    // In the order and spelling of the question.
    for term in terms(question) {
        let written = question.within(term.at);
        let known = claimed_terms(written);
        if !is_instruction(&term.text) && known.is_disjoint(&held) {
            push_new(&mut missing, written);
        }
    }
    let coverage = if wanted.is_empty() { 1.0 } else { covered as f32 / wanted.len() as f32 };
    let least = if lead(passages) >= MIN_LEAD { MIN_COVERAGE_WITH_LEAD } else { MIN_COVERAGE };
    Sufficiency {
        sufficient: !passages.is_empty() && missing_entities.is_empty() && coverage >= least,
        coverage: if passages.is_empty() { 0.0 } else { coverage },
        missing,
        entities,
    }
}

/// Returns the terms of a passage, with those that its amounts imply, of its title and of the headings above it.
pub fn held(hit: &Hit) -> BTreeSet<String> {
    let chunk = &hit.chunk;
    let mut held = told_terms(&chunk.text);
    for above in chunk.headings.iter().chain(&chunk.title) {
        held.extend(claimed_terms(above));
    }
    held
}

pub(super) fn is_instruction(term: &str) -> bool {
    INSTRUCTIONS.contains(&term) || INSTRUCTION_STEMS.contains(term)
}

fn push_new(list: &mut Vec<String>, word: &str) {
    if !list.iter().any(|known| known == word) {
        list.push(word.to_owned());
    }
}

/// Returns the lead of the first score over the mean of the others, relative to the first, in [0, 1].
fn lead(passages: &[Hit]) -> f32 {
    let Some((first, others)) = passages.split_first() else { return 0.0 };
    if others.is_empty() || first.score <= 0.0 {
        return 0.0;
    }
    let mean = others.iter().map(|hit| hit.score).sum::<f32>() / others.len() as f32;
    ((first.score - mean) / first.score).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vademecum_protocol::document::whole_document as hit;

    #[test]
    fn passages_with_all_terms_suffice() {
        let found = judge(
            "What is the notice to end the ACME contract?",
            &[hit("a", "The ACME contract may end with a notice of 30 days.")],
        );
        assert!(found.sufficient, "{found:?}");
        assert_eq!((found.coverage, found.next_query()), (1.0, None));
    }

    #[test]
    fn a_missing_name_or_number_never_suffices() {
        let passage = hit("a", "The contract may end with a notice of thirty days.");
        let found =
            judge("What is the notice to end the contract with Globex?", std::slice::from_ref(&passage));
        assert!(!found.sufficient);
        assert_eq!(found.missing, ["Globex"]);
        let found = judge("Globex: what is the notice to end the contract?", std::slice::from_ref(&passage));
        assert_eq!((found.sufficient, found.missing), (false, vec!["Globex".to_owned()]));
        let found = judge("May the contract end with a notice of 31 days?", &[passage]);
        assert_eq!((found.sufficient, found.next_query().as_deref()), (false, Some("31")));
    }

    #[test]
    fn the_next_query_has_the_missing_terms_and_the_names() {
        let found = judge("What does the Globex licence cost a seat?", &[hit("a", "The Globex licence.")]);
        assert_eq!(found.next_query().as_deref(), Some("Globex cost seat"));
    }

    #[test]
    fn instructions_in_the_question_are_not_expected_in_the_passages() {
        let passage = hit("a", "Support costs 10 euros. The licence costs 5 euros.");
        assert!(judge("Explain and compare the costs of support and licence", &[passage]).sufficient);
    }

    #[test]
    fn a_leading_passage_needs_less_coverage() {
        let question = "How long may invoices remain unpaid?";
        let mut evidence = [hit("a", "Invoices remain open for a month."), hit("b", "Other things.")];
        assert!(!judge(question, &evidence).sufficient);
        evidence[1].score = 0.1;
        assert!(judge(question, &evidence).sufficient);
    }

    #[test]
    fn empty_evidence_never_suffices() {
        let found = judge("Who?", &[]);
        assert_eq!((found.sufficient, found.coverage), (false, 0.0));
        assert!(judge("Who?", &[hit("a", "He.")]).sufficient, "there is nothing more to look for");
    }
}
