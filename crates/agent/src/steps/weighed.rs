//! Weighs evidence against a question: the sentences that may answer it, by words and by meaning, and the signals by which it is
//! judged whether they do.

use super::candidates::{Candidate, Meaning, candidates};
use super::reading::Reading;
use super::row_hits::is_row;
use super::rules::compare::{Compared, read};
use super::rules::split::joined;
use crate::run::Run;
use crate::step_id::StepId;
use std::collections::BTreeSet;
use std::ops::Range;
use vademecum_grounding::answerable::{Matched, Rarity, SentenceFit, Signals, lacks_year};
use vademecum_grounding::asking::{counted_terms, counts_other, with_verb};
use vademecum_grounding::claim::{claimed_terms, names};
use vademecum_grounding::expected::{Expected, expected, needs_definition};
use vademecum_grounding::lacking::{asks_whose, lacks_circumstance, lacks_identifier, lacks_name};
use vademecum_grounding::maker::lacks_maker;
use vademecum_grounding::person::asks_name;
use vademecum_grounding::possession::Possession;
use vademecum_grounding::required::{asks_amount, lacks_date, lacks_event, tells_amount, tells_opposite};
use vademecum_grounding::sufficiency::held;
use vademecum_protocol::document::Hit;
use vademecum_protocol::relevance::{Calibration, Frequencies, Relevance, RelevanceRequest, Spread};
use vademecum_text::terms::words;

/// Number of sentences that are embedded: what an encoder takes about a tenth of a second for.
const EMBEDDED: usize = 12;
/// Maximum number of words of a question that sentences are compared with.
const MOST_WORDS: usize = 32;
/// Maximum number of questions in one.
const MOST_PARTS: usize = 3;
/// The scale of cosines in a library that is too small to measure it: that of common sentence encoders.
const TYPICAL: Spread = Spread { mean: 0.05, deviation: 0.1 };
/// Match of a word by meaning, below which it is not in a sentence.
const NO_MATCH: f32 = 0.3;
/// Match of a name that the library does not have, below which it is not in a sentence in another spelling either.
const NEAR_MATCH: f32 = 0.4;
/// Smallest standard deviation that is believed.
const MIN_DEVIATION: f32 = 0.01;

/// Evidence, weighed against a question.
pub(super) struct Weighed {
    /// The sentences that may answer, best first.
    pub(super) candidates: Vec<Candidate>,
    /// What the judgement is made from.
    pub(super) signals: Signals,
    /// What a caller's reader found; its judgement is taken instead.
    pub(super) reading: Option<Reading>,
    /// The same evidence, weighed against each of the questions that the question clearly consists of; empty for one question.
    pub(super) parts: Vec<Weighed>,
    /// The two sides of a comparison; empty for other questions.
    pub(super) sides: Vec<Side>,
}

/// A side of a comparison.
pub(super) struct Side {
    /// The terms that the other side does not have.
    pub(super) own: BTreeSet<String>,
    /// The evidence, weighed by words against the question what this side is.
    pub(super) weighed: Weighed,
}

impl Weighed {
    /// Weighs by words and, with an encoder that is ready, by meaning. If measuring fails, the words decide alone.
    pub(super) async fn of(run: &Run<'_>, step: &StepId, question: &str, evidence: &[Hit]) -> Self {
        if evidence.is_empty() {
            return Self::by_words(question, evidence);
        }
        let question = &*with_verb(question);
        let terms = Rarity::terms(question);
        let place =
            |hit: &Hit| (hit.chunk.collection.clone(), hit.chunk.doc_id.clone(), hit.chunk.id.clone());
        let rarity = Rarity::of(&terms, &run.searcher.frequencies(&terms));
        let mut found = candidates(question, evidence, &rarity);
        found.truncate(EMBEDDED);
        let request = RelevanceRequest {
            question: question.to_owned(),
            passages: evidence.iter().map(place).collect(),
            texts: found.iter().map(|one| one.in_context(evidence)).collect(),
            words: content_words(question),
        };
        let relevance = run.relevance(step, &request).await;
        Self::with(question, evidence, found, &rarity, &relevance)
    }

    /// Weighs like [`Weighed::of`], and against each of several questions in one.
    pub(super) async fn with_parts(run: &Run<'_>, step: &StepId, question: &str, evidence: &[Hit]) -> Self {
        let mut weighed = Self::of(run, step, question, evidence).await;
        let parts = joined(question, MOST_PARTS);
        if parts.len() > 1 && !evidence.is_empty() {
            for part in parts {
                weighed.parts.push(Self::of(run, step, &part, evidence).await);
            }
        }
        if let Some(compared) = read(question).filter(|compared| are_told(compared, evidence)) {
            // In lower case: that is no name, which only a definition would answer.
            let weigh = |side: &String| {
                let weighed = Self::at_once(run, &format!("What is {}?", side.to_lowercase()), evidence);
                Side { own: claimed_terms(side), weighed }
            };
            weighed.sides = compared.own.iter().map(weigh).collect();
        }
        weighed
    }

    /// Weighs by words alone, which are rarer or more common in the library.
    pub(super) fn at_once(run: &Run<'_>, question: &str, evidence: &[Hit]) -> Self {
        let question = &*with_verb(question);
        let terms = Rarity::terms(question);
        let rarity = Rarity::of(&terms, &run.searcher.frequencies(&terms));
        let found = candidates(question, evidence, &rarity);
        Self::with(question, evidence, found, &rarity, &Relevance::default())
    }

    /// Weighs by words alone.
    pub(super) fn by_words(question: &str, evidence: &[Hit]) -> Self {
        let rarity = Rarity::of(&Rarity::terms(question), &Frequencies::default());
        let found = candidates(question, evidence, &rarity);
        Self::with(question, evidence, found, &rarity, &Relevance::default())
    }

    fn with(
        question: &str,
        evidence: &[Hit],
        mut candidates: Vec<Candidate>,
        rarity: &Rarity,
        relevance: &Relevance,
    ) -> Self {
        let measured = |scale: Calibration| scale.unrelated;
        let scale = relevance.calibration.map_or(TYPICAL, measured);
        let scaled = |cosine: f32| (cosine - scale.mean) / scale.deviation.max(MIN_DEVIATION);
        for (at, (one, cosine)) in candidates.iter_mut().zip(&relevance.texts).enumerate() {
            let of_passage = relevance.passages.get(one.passage).copied().flatten();
            one.set_meaning(Meaning {
                own: scaled(*cosine),
                passage: scaled(of_passage.unwrap_or(*cosine)),
                matched: relevance.matches.get(at).and_then(|words| Matched::of(words)),
            });
        }
        candidates.sort_by(|a, b| b.score().total_cmp(&a.score()));
        let continued =
            candidates.first().is_some_and(|best| candidates.iter().any(|one| one.continues(best, evidence)));
        let fit = candidates.first().map(Candidate::fit).unwrap_or_default();
        let fit = SentenceFit { kind: fit.kind || continued, ..fit };
        let is_undefined = needs_definition(question)
            && !candidates.iter().any(Candidate::has_kind)
            && !evidence.iter().any(|hit| is_headed_by(hit, question));
        let best = candidates.first();
        let hit = best.and_then(|one| evidence.get(one.passage));
        let counted = counted_terms(question);
        let is_uncounted = !counted.is_empty()
            && (hit.is_some_and(|hit| !counted.iter().any(|term| held(hit).contains(term)))
                || best.is_some_and(|best| counts_other(question, &counted, &best.text)));
        let of_document = |other: &&Hit| {
            hit.is_some_and(|hit| {
                (&hit.chunk.collection, &hit.chunk.doc_id) == (&other.chunk.collection, &other.chunk.doc_id)
            })
        };
        let is_of_other_year = hit.is_some() && lacks_year(question, evidence.iter().filter(of_document));
        // A sentence has the attribute of another owner, and none that of the one asked about.
        let is_of_other = Possession::of(question).is_some_and(|asked| {
            let tells = |one: &Candidate| one.tells(asked.attribute());
            let is_told = |one: &Candidate| tells(one) || expected(question).is_strict() && one.has_kind();
            let is_record = |one: &Candidate| evidence.get(one.passage).is_some_and(is_row);
            let owns = |one: &Candidate| is_record(one) && tells(one) || asked.is_owned_in(&one.text);
            !best.is_some_and(is_told) && candidates.iter().any(|one| one.is_of_other && owns(one))
        });
        let is_lacking =
            is_of_other || best.is_some_and(|best| lacks(question, evidence, best, continued, rarity));
        let signals = Signals::of(question, evidence, rarity, relevance, fit);
        let signals = Signals { is_undefined, is_uncounted, is_lacking, is_of_other_year, ..signals };
        Self { candidates, signals, reading: None, parts: Vec::new(), sides: Vec::new() }
    }
}

/// Returns whether passages have what both sides of a comparison share, and something of what each has of its own.
fn are_told(compared: &Compared, evidence: &[Hit]) -> bool {
    let told: BTreeSet<String> = evidence.iter().flat_map(held).collect();
    claimed_terms(&compared.shared).is_subset(&told)
        && compared.own.iter().all(|own| !claimed_terms(own).is_disjoint(&told))
}

/// Returns whether the best sentence lacks what an answer cannot do without. `continued` is whether the next one has a thing of the kind that is
/// asked for.
fn lacks(question: &str, evidence: &[Hit], best: &Candidate, continued: bool, rarity: &Rarity) -> bool {
    let (kind, asked) = (expected(question), claimed_terms(question));
    let has_kind = continued || best.has_kind();
    let has_all = |least: f32| best.fit().matched.is_none_or(|matched| matched.least >= least);
    // Tells that the sentence has neither a name nor all words of a question for a person, such as "Who approved it?".
    let may_be_nameless = best.is_field || best.refers_back || asks_whose(question);
    // A sentence may contain all words of "name of the passenger who fell" without the name.
    let may_be_told = has_all(NO_MATCH) && !asks_name(question);
    let is_nameless = kind == Expected::Person && !may_be_told && !may_be_nameless;
    let lacks_maker = || !may_be_nameless && lacks_maker(question, &best.text);
    let is_dated = kind == Expected::Date && has_kind;
    let told = best.told_besides(&asked, evidence);
    let near = [&*best.in_context(evidence), best.surroundings(evidence)].join("\n");
    let is_of_document = |other: &&Hit| {
        evidence.get(best.passage).is_some_and(|hit| {
            (&hit.chunk.collection, &hit.chunk.doc_id) == (&other.chunk.collection, &other.chunk.doc_id)
        })
    };
    let texts = evidence.iter().filter(is_of_document).flat_map(|hit| {
        let chunk = &hit.chunk;
        chunk.title.iter().chain(&chunk.headings).map(String::as_str).chain([chunk.text.as_str()])
    });
    let texts: Vec<&str> = texts.collect();
    let is_unknown = || {
        let unknown = names(question).into_iter().filter(|(term, _)| rarity.is_unknown(term));
        !has_all(NEAR_MATCH) && unknown.into_iter().any(|(_, name)| lacks_name(&name, &texts))
    };
    best.is_of_other
        || best.lacks_attribute && !(has_kind && kind != Expected::Other) && !has_all(NO_MATCH)
        || !has_kind
            && (kind.is_strict() || is_nameless || asks_amount(question) && !tells_amount(&best.text))
        || !is_dated && lacks_circumstance(question, &near, told)
        || is_unknown()
        || lacks_date(question, &near)
        || lacks_event(question, &near)
        || tells_opposite(&asked, &claimed_terms(&best.text), &texts)
        || lacks_identifier(question, &texts)
        || lacks_maker()
}

/// Returns the bytes of the words of a question that have a meaning of their own.
fn content_words(question: &str) -> Vec<Range<usize>> {
    let of_meaning = words(question).filter(|(_, word)| !claimed_terms(word).is_empty());
    of_meaning.map(|(at, word)| at..at + word.len()).take(MOST_WORDS).collect()
}

/// Returns whether a passage has what a question asks for as its heading or its title: the text below explains it.
fn is_headed_by(hit: &Hit, question: &str) -> bool {
    let asked = claimed_terms(question);
    let mut above = hit.chunk.headings.iter().chain(&hit.chunk.title);
    !asked.is_empty() && above.any(|heading| claimed_terms(heading) == asked)
}
