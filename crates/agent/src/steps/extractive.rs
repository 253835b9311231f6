//! Extractive answers, without a model: quotes the sentences of the evidence that best match the question.
//!
//! A sentence is scored by its meaning, if an encoder is there, and by the question's words in it, weighted by rarity in the
//! library; by its passage; and by whether it has a thing of the kind that the question asks for. The best one comes first.
//! Others follow within a length; repeated words count less, as in maximal marginal relevance (Carbonell and Goldstein,
//! SIGIR 1998).

use super::candidates::Candidate;
use super::continued::continued;
use super::parts::{Kind, Part, parts};
use super::quote::Quote;
use super::references::goes_on;
use super::row_hits::is_row;
use super::weighed::Weighed;
use std::ops::Range;
use vademecum_grounding::answerable::disagree;
use vademecum_protocol::document::{Hit, Span};
use vademecum_text::terms::words;

/// Maximum number of sentences in an answer.
const MAX_SENTENCES: usize = 3;
/// Maximum number of characters to which sentences are added.
const ENOUGH: usize = 700;
/// Maximum distance of a further sentence's score from that of the first, by words and meaning, with an encoder that matches words,
/// and by words alone, where scores tell sentences apart less.
const NEAR: f32 = 2.0;
const NEAR_BY_MATCHES: f32 = 1.8;
const NEAR_BY_WORDS: f32 = 0.5;

/// Maximum length of a sentence that is quoted because the answer goes on in it, in bytes.
const MAX_NEXT: usize = 200;
/// Maximum number of words of a brief answer in a text that asks the question itself.
const BRIEF: usize = 3;

/// The sentences that answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Extract {
    /// The sentences, the best one first.
    pub(super) quotes: Vec<Quote>,
    /// Whether the second contradicts the first.
    pub(super) disagrees: bool,
    /// Whether they are the parts of one list.
    pub(super) is_list: bool,
}

/// Returns the sentences that answer.
pub(super) fn extract(weighed: &Weighed, evidence: &[Hit]) -> Extract {
    let Some(first) = weighed.candidates.first() else { return Extract::default() };
    let opposed = weighed.candidates.iter().find(|one| opposes(one, first, evidence));
    let list = if opposed.is_none() { continued(first, evidence) } else { Vec::new() };
    if !list.is_empty() {
        return Extract { quotes: list, is_list: true, ..Extract::default() };
    }
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
    let mut quotes: Vec<Quote> = chosen.iter().filter_map(|one| quote(one, evidence)).collect();
    if after.is_none() && opposed.is_none() {
        let next = next(first, evidence).filter(|next| quotes.iter().all(|known| !overlap(known, next)));
        quotes.splice(1.min(quotes.len())..1.min(quotes.len()), next);
        quotes.truncate(MAX_SENTENCES);
    }
    Extract { quotes, disagrees: opposed.is_some(), is_list: false }
}

/// Returns the sentence after the best one if the answer may go on in it: it refers to the best one, or that one announces it, or asks a question that
/// it answers in a few words.
fn next(first: &Candidate, evidence: &[Hit]) -> Option<Quote> {
    let text = &evidence.get(first.passage)?.chunk.text;
    let follows = |part: &Part| {
        let between = text.get(first.bytes.end..part.bytes.start);
        part.kind == Kind::Sentence && between.is_some_and(|between| between.trim().is_empty())
    };
    let next = parts(text).into_iter().find(follows)?;
    let explains = || {
        let is_near =
            text.get(first.bytes.end..next.bytes.start).is_some_and(|between| !between.contains('\n'));
        first.is_sentence && answers_briefly(&first.text) && is_near && !next.text.contains(['?', '？'])
    };
    let is_next_step = || {
        first.is_sentence
            && first.asks_what_to_do
            && text.get(first.bytes.end..next.bytes.start).is_some_and(|between| !between.contains('\n'))
    };
    let is_meant =
        first.text.ends_with(':') || is_next_step() || first.may_go_on && (goes_on(&next.text) || explains());
    (is_meant && next.text.len() <= MAX_NEXT)
        .then(|| quote_of(first.passage, &next.bytes, next.text, evidence))?
}

/// Returns whether a text asks a question and answers it in a few words, such as "Tried it.", which the next sentence explains.
fn answers_briefly(text: &str) -> bool {
    let Some((_, behind)) = text.rsplit_once(['?', '？']) else { return false };
    let answer = behind.trim_start_matches(['*', '_', '"', '”', '’', ')']);
    let begins = answer.strip_prefix(' ').is_some_and(|said| !said.starts_with(char::is_lowercase));
    begins && (1..=BRIEF).contains(&words(answer).count())
}

/// Returns whether two quotes share a part of a document.
fn overlap(one: &Quote, other: &Quote) -> bool {
    one.number == other.number && one.span.start < other.span.end && other.span.start < one.span.end
}

/// Returns whether a sentence of another document contradicts the first one. Rows of tables are about different things.
fn opposes(one: &Candidate, first: &Candidate, evidence: &[Hit]) -> bool {
    let document =
        |one: &Candidate| evidence.get(one.passage).map(|hit| (&hit.chunk.collection, &hit.chunk.doc_id));
    let is_row = |one: &Candidate| evidence.get(one.passage).is_some_and(is_row);
    document(one) != document(first) && !(is_row(one) && is_row(first)) && disagree(&first.text, &one.text)
}

/// Returns the best sentence, whether it answers or not.
pub(super) fn nearest(weighed: &Weighed, evidence: &[Hit]) -> Option<Quote> {
    quote(weighed.candidates.first()?, evidence)
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

/// Returns the sentences for a comparison: one that contrasts both sides if there is one, and the best one of each side.
pub(super) fn extract_sides(weighed: &Weighed, evidence: &[Hit]) -> Vec<Quote> {
    let has_both = |one: &&Candidate| weighed.sides.iter().all(|side| one.tells(&side.own));
    let best = weighed.candidates.first().map_or(0.0, Candidate::score);
    let near = weighed.candidates.iter().take_while(|one| one.score() >= best - NEAR);
    let contrast = near.filter(has_both).find(|one| !one.text.ends_with('?') && contrasts(&one.text));
    let of_side = |at: usize| {
        let (side, other) = (weighed.sides.get(at)?, weighed.sides.get(1 - at)?);
        let tells = |one: &&Candidate| one.tells(&side.own) && !one.is_of_other && !one.text.ends_with('?');
        let all = || side.weighed.candidates.iter().filter(tells);
        all().find(|one| !one.tells(&other.own)).or_else(|| all().next())
    };
    let mut quotes: Vec<Quote> = Vec::new();
    for one in [contrast, of_side(0), of_side(1)].into_iter().flatten() {
        quotes.extend(quote(one, evidence).filter(|new| quotes.iter().all(|known| known.text != new.text)));
    }
    quotes
}

/// Words of sentences that contrast two things.
const CONTRASTS: [&str; 14] = [
    "unlike", "whereas", "while", "but", "rather", "instead", "than", "however", "contrast", "hingegen",
    "während", "aber", "sondern", "dagegen",
];

/// Returns whether a sentence contrasts two things. One that only mentions their difference must go on to tell it.
fn contrasts(sentence: &str) -> bool {
    let mut said = words(sentence).map(|(_, word)| word.to_lowercase());
    let mentions = sentence.contains("difference");
    let tells = [" is that ", " is in ", " is how ", " lies ", ": "].iter().any(|one| sentence.contains(one));
    if mentions { tells } else { said.any(|word| CONTRASTS.contains(&word.as_str())) }
}

fn quote(one: &Candidate, evidence: &[Hit]) -> Option<Quote> {
    quote_of(one.passage, &one.bytes, one.text.clone(), evidence)
}

fn quote_of(passage: usize, bytes: &Range<usize>, text: String, evidence: &[Hit]) -> Option<Quote> {
    let chunk = &evidence.get(passage)?.chunk;
    let before = chunk.text.get(..bytes.start)?;
    let start = chunk.span.start + before.encode_utf16().count();
    let end = start + chunk.text.get(bytes.clone())?.encode_utf16().count();
    Some(Quote { number: passage + 1, text, span: Span { start, end } })
}
