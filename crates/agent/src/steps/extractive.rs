//! Extractive answers, without a model: quotes the sentences of the evidence that best match the question.
//!
//! The score of a sentence is the sum of the weights of the question's terms in it, weighted by rarity among the candidate
//! sentences, damped by length, and multiplied by the rank of its passage. Sentences are chosen greedily; repeated terms count
//! less, as in maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use vademecum_protocol::document::{Hit, Span};
use vademecum_text::sentence::sentences;
use vademecum_text::terms::{Term, terms};
use vademecum_util::small_sort::sort_by_key;
use vademecum_util::within::Within;

/// Number of sentences in an answer.
const MAX_SENTENCES: usize = 3;
/// Weight of a term that a chosen sentence already contains.
const REPEATED: f32 = 0.5;
/// Minimum score relative to the best sentence.
const MIN_SHARE: f32 = 0.3;
/// Bonus for a sentence that begins with the subject of the question, which is more often a definition.
const BEGINS_WITH_SUBJECT: f32 = 1.3;
/// Penalty for a sentence ending in a colon, which only announces the next one.
const ANNOUNCES: f32 = 0.8;
/// Penalty for a sentence without an end, which is often a caption or fragment.
const UNFINISHED: f32 = 0.5;
/// Number of words above which length is penalised.
const LONG: f32 = 12.0;

/// A sentence quoted from a passage.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quote {
    /// The number of the passage, from 1.
    pub(super) number: usize,
    /// The sentence, with line breaks replaced by spaces.
    pub(super) text: String,
    /// Position in the document, in UTF-16 code units.
    pub(super) span: Span,
}

struct Candidate {
    passage: usize,
    bytes: Range<usize>,
    held: BTreeSet<String>,
    words: usize,
    /// The factor for its form.
    form: f32,
}

/// Returns the best sentences, in the order of their passages.
pub(super) fn extract(question: &str, evidence: &[Hit]) -> Vec<Quote> {
    let asked: BTreeSet<String> = terms(question).into_iter().map(|term| term.text).collect();
    let candidates = candidates(&asked, evidence);
    if candidates.is_empty() {
        return first_sentences(evidence);
    }
    let mut chosen = choose(&asked, &candidates, evidence, MAX_SENTENCES);
    sort_by_key(&mut chosen, |one| (one.passage, one.bytes.start));
    chosen.into_iter().filter_map(|one| quote(one.passage, &one.bytes, evidence)).collect()
}

/// Returns the best sentence for a sub-question that is not quoted already.
pub(super) fn extract_part(part: &str, evidence: &[Hit], quoted: &[Quote]) -> Option<Quote> {
    let asked: BTreeSet<String> = terms(part).into_iter().map(|term| term.text).collect();
    let candidates = candidates(&asked, evidence);
    let best = choose(&asked, &candidates, evidence, 1 + quoted.len());
    let mut quotes = best.into_iter().filter_map(|one| quote(one.passage, &one.bytes, evidence));
    quotes.find(|one| quoted.iter().all(|known| known.text != one.text))
}

/// Returns at most `most` sentences, best first.
fn choose<'a>(
    asked: &BTreeSet<String>,
    candidates: &'a [Candidate],
    evidence: &[Hit],
    most: usize,
) -> Vec<&'a Candidate> {
    let weights = weights(asked, candidates);
    let mut said: BTreeSet<&String> = BTreeSet::new();
    let mut chosen: Vec<&Candidate> = Vec::new();
    let mut best_worth = 0.0;
    while chosen.len() < most {
        let worth = |one: &Candidate| {
            let terms: f32 = one
                .held
                .iter()
                .map(|term| {
                    weights.get(term).unwrap_or(&0.0) * if said.contains(term) { REPEATED } else { 1.0 }
                })
                .sum();
            let length = (one.words as f32 / LONG).max(1.0).sqrt();
            one.form * terms / length / (1.0 + 0.2 * one.passage as f32)
        };
        let open =
            candidates.iter().filter(|one| !chosen.iter().any(|taken| same_text(taken, one, evidence)));
        // `max_by` returns the last of equals; reversed, the first wins.
        let Some(next) = open.rev().max_by(|a, b| worth(a).total_cmp(&worth(b))) else { break };
        let value = worth(next);
        if value <= best_worth * MIN_SHARE {
            break;
        }
        best_worth = best_worth.max(value);
        said.extend(&next.held);
        chosen.push(next);
    }
    chosen
}

/// Returns the beginning of the best passage, for passages found by meaning that share no word with the question.
fn first_sentences(evidence: &[Hit]) -> Vec<Quote> {
    let prose = |(passage, hit): (usize, &Hit)| {
        let text = &hit.chunk.text;
        let found = sentences(text).into_iter().filter(|bytes| {
            text.get(bytes.clone()).is_some_and(|sentence| is_prose(sentence, &hit.chunk.headings))
        });
        let quotes: Vec<Quote> = found.take(2).filter_map(|bytes| quote(passage, &bytes, evidence)).collect();
        (!quotes.is_empty()).then_some(quotes)
    };
    evidence.iter().enumerate().find_map(prose).unwrap_or_default()
}

fn candidates(asked: &BTreeSet<String>, evidence: &[Hit]) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for (passage, hit) in evidence.iter().enumerate() {
        let text = &hit.chunk.text;
        for bytes in sentences(text) {
            let sentence = text.within(bytes.clone());
            let found = terms(sentence);
            let held: BTreeSet<String> = found
                .iter()
                .filter(|term| asked.contains(&term.text))
                .map(|term| term.text.clone())
                .collect();
            if !held.is_empty() && is_prose(sentence, &hit.chunk.headings) {
                let form = form(sentence, found.first().filter(|term| asked.contains(&term.text)));
                candidates.push(Candidate { passage, bytes, held, words: found.len(), form });
            }
        }
    }
    candidates
}

/// Returns the factor for the form of a sentence; `subject` is its first term if the question contains it.
fn form(sentence: &str, subject: Option<&Term>) -> f32 {
    let article =
        ["A ", "An ", "The "].iter().find(|article| sentence.starts_with(**article)).map_or(0, |a| a.len());
    let begins = subject.is_some_and(|term| term.at.start == article);
    let end = match sentence.trim_end_matches(['"', '\'', ')', '”', '’', '*', '_']).chars().last() {
        Some('.' | '!' | '?' | '。' | '！' | '？') => 1.0,
        Some(':') => ANNOUNCES,
        _ => UNFINISHED,
    };
    end * if begins { BEGINS_WITH_SUBJECT } else { 1.0 }
}

/// Returns whether a sentence is neither a heading nor code.
fn is_prose(sentence: &str, headings: &[String]) -> bool {
    let is_heading = sentence.starts_with('#') || headings.iter().any(|heading| heading == sentence);
    let symbols = sentence.chars().filter(|letter| "{}();=<>|`\\".contains(*letter)).count();
    let is_code = sentence.starts_with(['$', '`']) || sentence.contains("\n  ") || sentence.contains("    ");
    !is_heading && !is_code && symbols * 10 <= sentence.chars().count()
}

/// Returns the weight of each term of the question by its rarity among the candidates.
fn weights(asked: &BTreeSet<String>, candidates: &[Candidate]) -> BTreeMap<String, f32> {
    let all = candidates.len() as f32;
    let weight = |term: &String| {
        let holding = candidates.iter().filter(|one| one.held.contains(term)).count() as f32;
        (1.0 + (all + 0.5) / (holding + 0.5)).ln()
    };
    asked.iter().map(|term| (term.clone(), weight(term))).collect()
}

fn same_text(a: &Candidate, b: &Candidate, evidence: &[Hit]) -> bool {
    let text =
        |one: &Candidate| evidence.get(one.passage).and_then(|hit| hit.chunk.text.get(one.bytes.clone()));
    text(a) == text(b)
}

fn quote(passage: usize, bytes: &Range<usize>, evidence: &[Hit]) -> Option<Quote> {
    let chunk = &evidence.get(passage)?.chunk;
    let sentence = chunk.text.get(bytes.clone())?;
    // The marker of a list item or a quotation is not part of the sentence.
    let bare = sentence.trim_start_matches(['-', '*', '+', '>', ' ']);
    let before = chunk.text.get(..bytes.end.checked_sub(bare.len())?)?;
    let start = chunk.span.start + before.encode_utf16().count();
    let end = start + bare.encode_utf16().count();
    let text = bare.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(Quote { number: passage + 1, text, span: Span { start, end } })
}
