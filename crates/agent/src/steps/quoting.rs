//! Chooses the quotations of an answer by rule, or abstains with a reason if no sentence answers.

use super::candidates::Candidate;
use super::extractive::{Extract, extract, extract_of_several, extract_part, extract_sides, nearest};
use super::quote::Quote;
use super::reading::Reading;
use super::row_hits::is_row;
use super::rows::is_beyond_passages;
use super::rules::small_talk::{SmallTalk, small_talk};
use super::rules::words::stems;
use super::tables::words::asks_for_rows;
use super::weighed::Weighed;
use crate::context::{Context, NearestSentence};
use std::collections::BTreeSet;
use vademecum_grounding::answerable::ABSTAIN_BELOW;
use vademecum_protocol::document::Hit;

/// The answer if the documents do not say.
pub(crate) const ABSTAINED: &str = "The library does not say.";
/// The reason if nothing was found.
const NOTHING_FOUND: &str = "Nothing in the documents answers this question.";
/// The reason if the passages found are probably about something else.
const UNLIKELY: &str = "The nearest passages do not seem to answer this question.";
/// The reason if the passages found contain no sentences, only code, tables or names.
const NO_SENTENCE: &str = "No sentence answers this question; the passages that were found may.";
/// The remark if two documents contradict each other.
const DISAGREE: &str = "The documents disagree: the first two sentences say different things.";
/// The remark if rows of a table are quoted to a question that selects or sums up rows.
const NEAREST_ROWS: &str = "These are the nearest rows; the whole table was not read for this question.";
/// The answer if no search could be made.
const NO_SEARCH: &str = "The documents were not searched for this: no search could be made.";
/// The answer if no search was needed and there is no model.
const NOT_SEARCHED: &str = "The documents were not searched for this.";

/// The probability below which no sentence is near: of the best sentences of unanswered questions with a lower one, few answer.
const UNRELATED_BELOW: f32 = 0.02;

/// What is quoted.
#[derive(Debug, Default)]
pub(super) struct Quoted {
    /// The sentences; none if the agent abstains.
    pub(super) quotes: Vec<Quote>,
    /// The reason to abstain, or a remark about the sentences.
    pub(super) reason: Option<String>,
    /// The probability that the passages answer; `None` without passages.
    pub(super) confidence: Option<f32>,
    /// The sentence that comes nearest, if the passages do not seem to answer.
    pub(super) nearest: Option<NearestSentence>,
}

impl Quoted {
    /// Returns the best sentences, or the best one for each sub-question. If some words of the question's conditions were not
    /// understood, only sentences that contain one of them, since others would be from other documents.
    pub(super) fn of(
        context: &Context,
        evidence: &[Hit],
        weighed: &Weighed,
        unread: Option<&[String]>,
    ) -> Self {
        if evidence.is_empty() || unread.is_some_and(is_beyond_passages) {
            return Self::default();
        }
        if let Some(Reading { quote, probability }) = &weighed.reading {
            let reason = quote.is_none().then(|| UNLIKELY.to_owned());
            let quotes = quote.iter().cloned().collect();
            return Self { quotes, reason, confidence: Some(*probability), nearest: None };
        }
        let mut found = Extract::default();
        let mut probability = weighed.signals.probability();
        for part in context.parts() {
            let by_words = Weighed::by_words(part, evidence);
            probability = probability.max(by_words.signals.probability());
            found.quotes.extend(extract_part(&by_words, evidence, &found.quotes));
        }
        if context.parts().is_empty() {
            let of_parts = weighed.parts.iter().map(|part| part.signals.probability());
            probability = of_parts.fold(probability, f32::max);
        }
        // A comparison has an answer if both sides have one.
        let of_sides = weighed.sides.iter().map(|side| side.weighed.signals.probability());
        let of_sides = of_sides.reduce(f32::min).filter(|_| !weighed.signals.is_lacking).unwrap_or(0.0);
        probability = probability.max(of_sides);
        if probability < ABSTAIN_BELOW {
            let near = nearest(weighed, evidence).filter(|_| probability >= UNRELATED_BELOW);
            return Self {
                reason: Some(UNLIKELY.to_owned()),
                confidence: Some(probability),
                nearest: near.map(|Quote { number, span, .. }| NearestSentence { number, span }),
                ..Self::default()
            };
        }
        let answered = weighed.parts.iter().filter(|part| part.signals.probability() >= ABSTAIN_BELOW);
        for part in answered.filter(|_| context.parts().is_empty()) {
            found.quotes.extend(extract_of_several(part, evidence, &found.quotes));
        }
        if found.quotes.is_empty() && of_sides >= ABSTAIN_BELOW {
            found.quotes = extract_sides(weighed, evidence);
        }
        if found.quotes.is_empty() {
            found = extract(weighed, evidence);
        }
        // What every row has, the names of its fields, makes none of them an answer.
        let is_of_rows = |quote: &Quote| hit_of(quote, evidence).is_some_and(is_row);
        let mut remark = None;
        if found.quotes.iter().all(is_of_rows) {
            let asked = stems(context.asked());
            let is_named =
                |quote: &Quote| hit_of(quote, evidence).is_some_and(|hit| names_value(hit, &asked));
            let has_meaning = weighed.candidates.first().is_some_and(Candidate::has_meaning);
            if !found.quotes.iter().any(is_named) && !has_meaning {
                return Self {
                    reason: Some(UNLIKELY.to_owned()),
                    confidence: Some(probability),
                    ..Self::default()
                };
            }
            remark = asks_for_rows(context.asked()).then(|| NEAREST_ROWS.to_owned());
        }
        if let Some(unread) = unread {
            let about = stems(&unread.join(" "));
            let tells = |quote: &Quote| !stems(&quote.text).is_disjoint(&about);
            // A list is quoted with all of its parts, or not.
            if !(found.is_list && found.quotes.iter().any(tells)) {
                found.quotes.retain(tells);
            }
        }
        let reason = (found.disagrees && found.quotes.len() > 1).then(|| DISAGREE.to_owned()).or(remark);
        Self { quotes: found.quotes, reason, confidence: Some(probability), nearest: None }
    }
}

fn hit_of<'a>(quote: &Quote, evidence: &'a [Hit]) -> Option<&'a Hit> {
    evidence.get(quote.number.checked_sub(1)?)
}

/// Returns whether a value of a row has one of these stems.
fn names_value(row: &Hit, asked: &BTreeSet<String>) -> bool {
    let values = row.chunk.text.lines().filter_map(|line| line.split_once(':'));
    values.into_iter().any(|(_, value)| !stems(value).is_disjoint(asked))
}

/// What is said if nothing is quoted.
pub(super) struct Unanswered {
    pub(super) text: String,
    /// Whether the documents were searched and do not say.
    pub(super) abstained: bool,
    pub(super) reason: Option<String>,
}

impl Unanswered {
    /// Tells why nothing is quoted: of `unread` conditions it could not be determined which documents they mean.
    pub(super) fn of(context: &Context, evidence: &[Hit], unread: Option<&[String]>) -> Self {
        let said = |text: String| Self { text, abstained: false, reason: None };
        let because =
            |reason: String| Self { text: ABSTAINED.to_owned(), abstained: true, reason: Some(reason) };
        if let Some(unread) = unread {
            let words = unread.join(" ");
            return because(format!(
                "{NOTHING_FOUND} Which documents are meant by “{words}” could not be determined."
            ));
        }
        if context.skip_retrieval {
            return said(
                small_talk(context.asked()).map_or_else(|| NOT_SEARCHED.to_owned(), SmallTalk::reply),
            );
        }
        if !evidence.is_empty() {
            return because(NO_SENTENCE.to_owned());
        }
        if context.results.as_ref().is_some_and(|all| all.iter().all(|one| one.iterations == 0)) {
            return said(NO_SEARCH.to_owned());
        }
        because(NOTHING_FOUND.to_owned())
    }
}
