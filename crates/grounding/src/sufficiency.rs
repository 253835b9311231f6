//! Whether evidence is enough for a question, found without a model.
//!
//! It is enough when the best passages hold most of the question's terms and every name and number in it. A passage
//! that stands far above the others is more likely to be the one, so less is asked of it. The rule knows words and not
//! what they mean: it errs towards searching again, which costs little.

use super::claim::{claim, claimed_terms};
use std::collections::BTreeSet;
use vademecum_protocol::document::Hit;
use vademecum_text::terms::terms;

/// The share of the question's terms the passages must hold.
const ENOUGH: f32 = 0.7;
/// The share where one passage leads.
const ENOUGH_WITH_LEAD: f32 = 0.5;
/// How far, as a share of its score, the first must be above the mean of the others to lead.
const LEAD: f32 = 0.3;
/// Words that say what to do with the evidence and are not expected in it.
pub const INSTRUCTIONS: [&str; 16] = [
    "answer",
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

/// A judgement and its grounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Sufficiency {
    /// Whether it is enough.
    pub sufficient: bool,
    /// The share of the question's terms that the passages hold.
    pub coverage: f32,
    /// What they do not hold, as the question writes it: names and numbers first.
    pub missing: Vec<String>,
    /// Names and numbers of the question, as it writes them.
    pub entities: Vec<String>,
}

impl Sufficiency {
    /// The judgement in a few words.
    pub fn reason(&self) -> String {
        let covered = format!("the passages hold {:.0} % of the question's terms", self.coverage * 100.0);
        if self.missing.is_empty() {
            covered
        } else {
            format!("{covered}, without {}", self.missing.join(", "))
        }
    }

    /// What to search for next: what is missing, with the names it is asked about.
    pub fn next_query(&self) -> Option<String> {
        let mut query: Vec<&str> = self.entities.iter().map(String::as_str).collect();
        query.extend(
            self.missing.iter().map(String::as_str).filter(|word| !self.entities.iter().any(|e| e == word)),
        );
        (!self.missing.is_empty()).then(|| query.join(" "))
    }
}

/// Judges the passages, best first.
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
    // In the order of the question, as it writes them.
    for term in terms(question) {
        let written = question.get(term.at).unwrap_or_default();
        let known = claimed_terms(written);
        if !is_instruction(&term.text) && known.is_disjoint(&held) {
            push_new(&mut missing, written);
        }
    }
    let coverage = if wanted.is_empty() { 1.0 } else { covered as f32 / wanted.len() as f32 };
    let least = if lead(passages) >= LEAD { ENOUGH_WITH_LEAD } else { ENOUGH };
    Sufficiency {
        sufficient: !passages.is_empty() && missing_entities.is_empty() && coverage >= least,
        coverage: if passages.is_empty() { 0.0 } else { coverage },
        missing,
        entities,
    }
}

/// What a passage holds: its words, and those of the title and headings above it.
pub(super) fn held(hit: &Hit) -> BTreeSet<String> {
    let chunk = &hit.chunk;
    let mut held = claimed_terms(&chunk.text);
    for above in chunk.headings.iter().chain(&chunk.title) {
        held.extend(claimed_terms(above));
    }
    held
}

fn is_instruction(term: &str) -> bool {
    // Terms are stemmed: "describ", "summar".
    INSTRUCTIONS.iter().any(|word| *word == term || terms(word).iter().any(|stem| stem.text == term))
}

fn push_new(list: &mut Vec<String>, word: &str) {
    if !list.iter().any(|known| known == word) {
        list.push(word.to_owned());
    }
}

/// How far the first stands above the mean of the others, as a share of its score.
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
    fn passages_that_hold_the_question_are_enough() {
        let found = judge(
            "What is the notice to end the ACME contract?",
            &[hit("a", "The ACME contract may end with a notice of 30 days.")],
        );
        assert!(found.sufficient, "{found:?}");
        assert_eq!((found.coverage, found.next_query()), (1.0, None));
    }

    #[test]
    fn a_name_that_no_passage_holds_is_never_made_up_for() {
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
    fn the_next_query_is_what_is_missing_and_whom_it_is_about() {
        let found = judge("What does the Globex licence cost a seat?", &[hit("a", "The Globex licence.")]);
        assert_eq!(found.next_query().as_deref(), Some("Globex cost seat"));
    }

    #[test]
    fn what_the_question_tells_to_do_is_not_looked_for() {
        let passage = hit("a", "Support costs 10 euros. The licence costs 5 euros.");
        assert!(judge("Explain and compare the costs of support and licence", &[passage]).sufficient);
    }

    #[test]
    fn less_is_asked_of_a_passage_that_leads() {
        let question = "How long may invoices remain unpaid?";
        let mut evidence = [hit("a", "Invoices remain open for a month."), hit("b", "Other things.")];
        assert!(!judge(question, &evidence).sufficient);
        evidence[1].score = 0.1;
        assert!(judge(question, &evidence).sufficient);
    }

    #[test]
    fn nothing_is_never_enough() {
        let found = judge("Who?", &[]);
        assert_eq!((found.sufficient, found.coverage), (false, 0.0));
        assert!(judge("Who?", &[hit("a", "He.")]).sufficient, "there is nothing more to look for");
    }
}
