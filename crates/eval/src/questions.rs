//! Questions to files, as a user of the page asks them, and whether the first quotation answers: `questions.jsonl` of a folder.

use super::answering::answered_by_rule;
use crate::errors::dataset_invalid;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use vademecum_agent::context::Context;
use vademecum_engine::KnowledgeBase;
use vademecum_grounding::citation::Citation;
use vademecum_protocol::error::{Error, Result, excerpt};
use vademecum_protocol::platform::Platform;

/// Number of passages that the demo page asks for.
const LIMIT: usize = 6;
/// Quotations below one heading that are at most so many letters apart share a card of the page.
const TOGETHER: usize = 240;

/// A question to files.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The question.
    pub text: String,
    /// What kind of question it is; questions of a kind are reported together.
    pub kind: String,
    /// What a right answer says: one of each of these. Empty if the documents do not answer.
    #[serde(default)]
    pub right: Vec<Vec<String>>,
    /// What only a wrong answer says.
    #[serde(default)]
    pub never: Vec<String>,
    /// Whether it is about the sample library of the page, which is not among the files.
    #[serde(default)]
    pub sample: bool,
}

/// What an answer is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The first quotation answers, or the agent says rightly that nothing does.
    Right,
    /// A further quotation answers.
    Late,
    /// What is quoted does not answer.
    Wrong,
    /// The agent abstains although the documents answer.
    Missed,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    /// The question.
    pub question: String,
    /// Its kind.
    pub kind: String,
    /// What the answer is worth.
    pub verdict: Verdict,
    /// The estimated probability that the passages answer.
    pub confidence: Option<f32>,
    /// The first quotations: what the first card of the page holds.
    pub first: String,
    /// The whole answer.
    pub answer: String,
    /// The question in other spelling, where the agent abstains.
    pub meant: Option<String>,
    /// Titles and headings of the passages, best first.
    pub passages: Vec<String>,
}

/// The questions of one kind, counted by what their answers are worth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of questions.
    pub all: usize,
    /// Answers whose first quotation is right, and right abstentions.
    pub right: usize,
    /// Answers of which a further quotation is right.
    pub late: usize,
    /// Wrong answers.
    pub wrong: usize,
    /// Wrong abstentions.
    pub missed: usize,
}

/// Parses the lines of a file.
///
/// # Errors
/// `dataset_invalid`, naming the line.
pub fn parse_questions(name: &str, text: &str) -> Result<Vec<Asked>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let parsed = lines.map(|(at, line)| {
        serde_json::from_str(line).map_err(|error| {
            dataset_invalid(
                &format!("{name}, line {}", at + 1),
                "a JSON object with `text` and `kind`",
                &format!("{} ({error})", excerpt(line, 60)),
            )
        })
    });
    parsed.collect()
}

/// Asks a question of all collections as the demo page does by default, without a model.
///
/// # Errors
/// The error that ended the run.
pub async fn ask(kb: &KnowledgeBase, asked: &Asked, platform: &dyn Platform) -> Result<Judged> {
    let held = kb.stats()?.collections.into_iter().filter(|one| one.documents > 0);
    let collections: Vec<String> = held.map(|one| one.name).collect();
    let steps = json!([{ "step": "search" }, { "step": "answer" }, { "step": "ground" }]);
    let pipeline =
        json!({ "question": asked.text, "limit": LIMIT, "collections": collections, "steps": steps });
    let context = answered_by_rule(kb, pipeline, platform).await?;
    match &context.log.error {
        Some(error) => Err(Error::LlmFailed { reason: format!("{}: {}", asked.text, error.message) }),
        None => Ok(judged(asked, &context)),
    }
}

fn judged(asked: &Asked, context: &Context) -> Judged {
    let answer = context.answer.clone().unwrap_or_default(); // absent where the agent abstained
    let first = first_card(&answer, &context.citations);
    let name = |hit: &vademecum_protocol::document::Hit| {
        let title = hit.chunk.title.iter().chain(&hit.chunk.headings);
        title.map(String::as_str).collect::<Vec<_>>().join(" > ")
    };
    Judged {
        question: asked.text.clone(),
        kind: asked.kind.clone(),
        verdict: verdict(asked, context.abstained, &first, &answer),
        confidence: context.confidence,
        meant: context.did_you_mean.clone(),
        first,
        passages: context.context_used.iter().map(name).collect(),
        answer,
    }
}

fn verdict(asked: &Asked, abstained: bool, first: &str, answer: &str) -> Verdict {
    let is_wrong = |text: &str| asked.never.iter().any(|one| says(text, one));
    let is_right = |text: &str| {
        !is_wrong(text) && asked.right.iter().all(|either| either.iter().any(|one| says(text, one)))
    };
    match (asked.right.is_empty(), abstained) {
        (true, true) => Verdict::Right,
        (true, false) => Verdict::Wrong,
        (false, true) => Verdict::Missed,
        (false, false) if is_right(first) => Verdict::Right,
        (false, false) if !is_wrong(first) && is_right(answer) => Verdict::Late,
        (false, false) => Verdict::Wrong,
    }
}

/// Returns the text of the first quotations that share a card; the whole answer if it does not only quote.
fn first_card(answer: &str, citations: &[Citation]) -> String {
    let mut ordered: Vec<&Citation> = citations.iter().collect();
    ordered.sort_by_key(|citation| citation.at.start);
    let Some((first, mut place)) = ordered.first().and_then(|first| Some((*first, first.quote?))) else {
        return answer.to_owned();
    };
    let units: Vec<u16> = answer.encode_utf16().collect();
    let (mut card, mut from) = (String::new(), 0);
    for citation in ordered {
        let said = units.get(from..citation.at.start).map(String::from_utf16_lossy).unwrap_or_default();
        from = citation.at.end;
        let Some(quote) = citation.quote else { continue };
        let is_same = (&citation.doc_id, &citation.headings) == (&first.doc_id, &first.headings);
        if is_same && quote.start <= place.end + TOGETHER && quote.end + TOGETHER >= place.start {
            card.push_str(&said);
            (place.start, place.end) = (place.start.min(quote.start), place.end.max(quote.end));
        }
    }
    card.trim().to_owned()
}

/// Returns whether a text has these words in a row, whatever their case and punctuation.
fn says(text: &str, words: &str) -> bool {
    let plain = |text: &str| {
        let lower = text.to_lowercase();
        let parts = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(" ")
    };
    format!(" {} ", plain(text)).contains(&format!(" {} ", plain(words)))
}

/// Counts answers by kind, and in the end all that the documents answer, and all that they do not.
pub fn tallies(judged: &[Judged], asked: &[Asked]) -> (BTreeMap<String, Tally>, [Tally; 2]) {
    let (mut kinds, mut all) = (BTreeMap::<String, Tally>::new(), [Tally::default(); 2]);
    for (one, asked) in judged.iter().zip(asked) {
        let [answerable, unanswerable] = &mut all;
        let sum = if asked.right.is_empty() { unanswerable } else { answerable };
        for tally in [kinds.entry(one.kind.clone()).or_default(), sum] {
            tally.all += 1;
            match one.verdict {
                Verdict::Right => tally.right += 1,
                Verdict::Late => tally.late += 1,
                Verdict::Wrong => tally.wrong += 1,
                Verdict::Missed => tally.missed += 1,
            }
        }
    }
    (kinds, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(right: &[&[&str]], never: &[&str]) -> Asked {
        let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Asked {
            text: String::new(),
            kind: String::new(),
            right: right.iter().map(|either| own(either)).collect(),
            never: own(never),
            sample: false,
        }
    }

    #[test]
    fn an_answer_needs_one_of_each_words_and_none_that_are_wrong() {
        let rent = asked(&[&["1,180", "1180"], &["euros"]], &["3,540"]);
        let of = |abstained, first, answer| verdict(&rent, abstained, first, answer);
        assert_eq!(of(false, "The rent is 1,180 Euros.", "The rent is 1,180 Euros."), Verdict::Right);
        assert_eq!(of(false, "The rent.", "The rent. It is 1180 euros."), Verdict::Late);
        assert_eq!(
            of(false, "The rent is 1,180 euros, the deposit 3,540.", "The same: 1,180 euros."),
            Verdict::Wrong
        );
        assert_eq!(of(false, "The rent is 11,800 euros.", "The rent is 11,800 euros."), Verdict::Wrong);
        assert_eq!(of(true, "", ""), Verdict::Missed);
    }

    #[test]
    fn nothing_answers_a_question_that_the_documents_do_not() {
        assert_eq!(verdict(&asked(&[], &[]), true, "", ""), Verdict::Right);
        assert_eq!(verdict(&asked(&[], &[]), false, "The rent.", "The rent."), Verdict::Wrong);
    }
}
