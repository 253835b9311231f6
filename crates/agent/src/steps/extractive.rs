//! Extractive answers, without a model: quotes the sentences of the evidence that best match the question.
//!
//! A sentence is scored by its meaning, if an encoder is there, and by the question's words in it, weighted by rarity in the
//! library; by its passage; and by whether it has a thing of the kind that the question asks for. The best one comes first.
//! Others follow within a length; repeated words count less, as in maximal marginal relevance (Carbonell and Goldstein,
//! SIGIR 1998).

use super::candidates::Candidate;
use super::quote::Quote;
use super::row_hits::is_row;
use super::weighed::Weighed;
use vademecum_grounding::answerable::disagree;
use vademecum_protocol::document::{Hit, Span};

/// Maximum number of sentences in an answer.
const MAX_SENTENCES: usize = 3;
/// Maximum number of characters to which sentences are added.
const ENOUGH: usize = 700;
/// Maximum distance of a further sentence's score from that of the first, by words and meaning, with an encoder that matches words,
/// and by words alone, where scores tell sentences apart less.
const NEAR: f32 = 2.0;
const NEAR_BY_MATCHES: f32 = 1.8;
const NEAR_BY_WORDS: f32 = 0.5;

/// The sentences that answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Extract {
    /// The sentences, the best one first.
    pub(super) quotes: Vec<Quote>,
    /// Whether the second contradicts the first.
    pub(super) disagrees: bool,
}

/// Returns the sentences that answer.
pub(super) fn extract(weighed: &Weighed, evidence: &[Hit]) -> Extract {
    let Some(first) = weighed.candidates.first() else { return Extract::default() };
    let opposed = weighed.candidates.iter().find(|one| opposes(one, first, evidence));
    let before = weighed.candidates.iter().find(|one| first.refers_back && one.is_before(first, evidence));
    // "This is done by …" often says what the sentence about the question leaves open.
    let after = weighed.candidates.iter().find(|one| one.continues(first, evidence));
    let after = after.filter(|one| opposed.is_none() && first.length() + one.length() <= ENOUGH);
    // What the first sentence cannot be read without follows it, whatever its score.
    let mut chosen: Vec<&Candidate> = [Some(first), after, opposed, before].into_iter().flatten().collect();
    let near = match first.fit() {
        fit if fit.matched.is_some() => NEAR_BY_MATCHES,
        fit if fit.meaning.is_some() => NEAR,
        _ => NEAR_BY_WORDS,
    };
    let least = first.score() - near;
    for one in &weighed.candidates {
        let length: usize = chosen.iter().map(|one| one.length()).sum();
        let is_known = chosen.iter().any(|known| known.text == one.text || known.overlaps(one));
        let fits = length + one.length() <= ENOUGH;
        if chosen.len() < MAX_SENTENCES
            && !is_known
            && !one.is_of_other
            && fits
            && one.worth(&chosen) >= least
        {
            chosen.push(one);
        }
    }
    let quotes = chosen.iter().filter_map(|one| quote(one, evidence)).collect();
    Extract { quotes, disagrees: opposed.is_some() }
}

/// Returns whether a sentence of another document contradicts the first one. Rows of tables are about different things.
fn opposes(one: &Candidate, first: &Candidate, evidence: &[Hit]) -> bool {
    let document =
        |one: &Candidate| evidence.get(one.passage).map(|hit| (&hit.chunk.collection, &hit.chunk.doc_id));
    let is_row = |one: &Candidate| evidence.get(one.passage).is_some_and(is_row);
    document(one) != document(first) && !(is_row(one) && is_row(first)) && disagree(&first.text, &one.text)
}

/// Returns the best sentence for a sub-question that is not quoted already.
pub(super) fn extract_part(weighed: &Weighed, evidence: &[Hit], quoted: &[Quote]) -> Option<Quote> {
    let holding = weighed.candidates.iter().filter(|one| one.shares_words());
    let mut quotes = holding.filter_map(|one| quote(one, evidence));
    quotes.find(|one| quoted.iter().all(|known| known.text != one.text))
}

/// Returns the sentence for one of several questions: the best one that is not quoted already, unless a quoted one is much better.
pub(super) fn extract_of_several(weighed: &Weighed, evidence: &[Hit], quoted: &[Quote]) -> Option<Quote> {
    let least = weighed.candidates.first()?.score() - NEAR;
    let near = weighed.candidates.iter().take_while(|one| one.score() >= least);
    let mut quotes = near.filter_map(|one| quote(one, evidence));
    quotes.find(|one| quoted.iter().all(|known| known.text != one.text))
}

fn quote(one: &Candidate, evidence: &[Hit]) -> Option<Quote> {
    let chunk = &evidence.get(one.passage)?.chunk;
    let before = chunk.text.get(..one.bytes.start)?;
    let start = chunk.span.start + before.encode_utf16().count();
    let end = start + chunk.text.get(one.bytes.clone())?.encode_utf16().count();
    Some(Quote { number: one.passage + 1, text: one.text.clone(), span: Span { start, end } })
}
