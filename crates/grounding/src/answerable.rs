//! Judges whether the best passages answer a question, as a probability.
//!
//! The judgement combines what an encoder measures with what the words tell: see [`Signals`]. Cosines are put in relation to those
//! of the library itself (see [`Calibration`](vademecum_protocol::relevance::Calibration)), so that the rule does not depend on
//! the encoder. Without them the words decide alone. Negations, and facts that a passage on the subject leaves out, are not
//! recognised.
//!
//! The weights were fitted by logistic regression to questions with an answer in the library, and as many each of another subject
//! and of passages that had been taken out.

use super::asking::asking_terms;
use super::claim::{Claim, claim};
use super::sufficiency::{held, is_instruction};
use serde::Serialize;
use std::collections::BTreeSet;
use vademecum_protocol::document::Hit;
use vademecum_protocol::relevance::{Frequencies, Relevance};
use vademecum_text::terms::terms;

/// Number of passages whose words are compared with the question's.
const PASSAGES: usize = 3;
/// Number of terms that a passage is expected to hold: more do not fit, however long the question.
const EXPECTED_TERMS: usize = 16;
/// Number of chunks that frequencies are related to at least: in a small library no word is rare or common.
const MIN_CHUNKS: f32 = 20.0;
/// Smallest standard deviation that is believed: passages that are all alike have none.
const MIN_DEVIATION: f32 = 0.01;
/// Bounds of the signals that have none by themselves.
const BOUND: f32 = 3.0;

/// Greatest probability where something is to be defined, and no sentence does.
const UNDEFINED: f32 = 0.15;
/// Greatest probability where the best sentence lacks what an answer cannot do without.
const LACKING: f32 = 0.1;

/// Weight of a thing to be counted that the passage does not name.
const UNCOUNTED: f32 = 1.2;
/// Weight of a year that the document does not have.
const OTHER_YEAR: f32 = 2.0;

/// The probability below which the agent abstains.
pub const ABSTAIN_BELOW: f32 = 0.2;
/// The probability below which sentences are the nearest ones rather than an answer.
pub const DOUBTFUL_BELOW: f32 = 0.5;

/// The terms of a question with their weights: rare ones weigh more.
#[derive(Debug, Clone, Default)]
pub struct Rarity {
    weights: Vec<(String, f32)>,
    /// Terms that no chunk contains.
    unknown: BTreeSet<String>,
    /// The weight of all terms, or of as many as a passage holds.
    sum: f32,
}

impl Rarity {
    /// Returns the terms of a question whose frequency is wanted.
    pub fn terms(question: &str) -> Vec<String> {
        let asking = asking_terms(question);
        let is_said = |term: &String| !is_instruction(term) && !asking.contains(term);
        claim(question).terms.into_iter().filter(is_said).collect()
    }

    /// Weighs terms by the number of chunks that contain them; all the same if nothing was counted.
    pub fn of(terms: &[String], counted: &Frequencies) -> Self {
        let chunks = MIN_CHUNKS.max(counted.chunks as f32);
        let weight = |at: usize| match counted.terms.get(at) {
            Some(count) => (1.0 + (chunks - *count as f32 + 0.5).max(0.5) / (*count as f32 + 0.5)).ln(),
            None => 1.0,
        };
        let weights: Vec<(String, f32)> =
            terms.iter().enumerate().map(|(at, term)| (term.clone(), weight(at))).collect();
        let mut sorted: Vec<f32> = weights.iter().map(|(_, weight)| *weight).collect();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let unknown = terms.iter().zip(&counted.terms).filter(|(_, count)| **count == 0);
        let unknown = unknown.map(|(term, _)| term.clone()).collect();
        Self { weights, unknown, sum: sorted.iter().take(EXPECTED_TERMS).sum() }
    }

    /// Returns whether no chunk of the library contains a term of the question.
    pub fn is_unknown(&self, term: &str) -> bool {
        self.unknown.contains(term)
    }

    /// Returns the share of the weight that a text's terms hold, in [0, 1]; 0 if the question has no terms.
    pub fn share(&self, held: &BTreeSet<String>) -> f32 {
        let found: f32 =
            self.weights.iter().filter(|(term, _)| held.contains(term)).map(|(_, weight)| weight).sum();
        if self.sum > 0.0 { (found / self.sum).min(1.0) } else { 0.0 }
    }
}

/// How well the sentence fits that would answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct SentenceFit {
    /// Share of the question's terms in it, by rarity, in [0, 1].
    pub words: f32,
    /// The same in its passage, with title and headings.
    pub passage: f32,
    /// Cosine with the question, in standard deviations above unrelated texts. Absent without an encoder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<f32>,
    /// How well its words match the question's. Absent without an encoder whose tokens have vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched: Option<Matched>,
    /// Whether it has a thing of the kind that the question asks for.
    pub kind: bool,
}

/// How well the words of a sentence match those of a question by meaning: 0 as unrelated ones, at most 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Matched {
    /// The mean over the question's words.
    pub mean: f32,
    /// The match of the word that matches least.
    pub least: f32,
}

impl Matched {
    /// Sums up the matches of each word; `None` without words.
    pub fn of(words: &[f32]) -> Option<Self> {
        let least = words.iter().copied().reduce(f32::min)?;
        Some(Self { mean: words.iter().sum::<f32>() / words.len() as f32, least })
    }
}

/// What the judgement is made from.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Signals {
    /// Cosine of the nearest passage on the scale of the library: 0 for the nearest passage of another document, 1 for a span of
    /// the passage itself. Absent without an encoder or a calibration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<f32>,
    /// Lead of the nearest passage over the second, in standard deviations of unrelated passages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lead: Option<f32>,
    /// Share of the question's terms in the best of the first passages, by rarity, in [0, 1].
    pub words: f32,
    /// Share of the question's names and numbers in the best of the first passages; 1 without any.
    pub names: f32,
    /// Number of pairs of adjacent terms of the question that a passage has too, at most 3.
    pub pairs: f32,
    /// The sentence that would answer.
    pub sentence: SentenceFit,
    /// Whether the question asks what something is, and no sentence says so.
    pub is_undefined: bool,
    /// Whether the question asks how many there are of something that the passage of the sentence does not name.
    pub is_uncounted: bool,
    /// Whether the sentence lacks what an answer cannot do without, such as an amount of money.
    pub is_lacking: bool,
    /// Whether no passage of the document has a year of the question.
    pub is_of_other_year: bool,
}

impl Signals {
    /// Collects the signals of passages, best first, for a question.
    pub fn of(
        question: &str,
        passages: &[Hit],
        rarity: &Rarity,
        relevance: &Relevance,
        sentence: SentenceFit,
    ) -> Self {
        let texts: Vec<BTreeSet<String>> = passages.iter().take(PASSAGES).map(held).collect();
        let best = |share: &dyn Fn(&BTreeSet<String>) -> f32| texts.iter().map(share).fold(0.0, f32::max);
        let asked = claim(question);
        let names: Vec<&String> = asked.names.keys().chain(asked.numbers.keys()).collect();
        let of_names = |text: &BTreeSet<String>| match names.len() {
            0 => 1.0,
            count => names.iter().filter(|name| text.contains(**name)).count() as f32 / count as f32,
        };
        let adjacent = pairs(question);
        let of_pairs = |hit: &Hit| pairs(&hit.chunk.text).intersection(&adjacent).count() as f32;
        let pairs = passages.iter().take(PASSAGES).map(of_pairs).fold(0.0, f32::max);
        let mut cosines: Vec<f32> = relevance.passages.iter().flatten().copied().collect();
        cosines.sort_by(|a, b| b.total_cmp(a));
        let scaled = relevance.calibration.zip(cosines.first().copied()).map(|(scale, first)| {
            let deviation = scale.unrelated.deviation.max(MIN_DEVIATION);
            let range = (scale.own.mean - scale.nearest.mean).max(deviation);
            let second = cosines.get(1).copied().unwrap_or(scale.unrelated.mean);
            let place = (first - scale.nearest.mean) / range;
            (place.clamp(-BOUND, BOUND), ((first - second) / deviation).min(BOUND))
        });
        Self {
            place: scaled.map(|(place, _)| place),
            lead: scaled.map(|(_, lead)| lead),
            words: best(&|text| rarity.share(text)),
            names: best(&of_names),
            pairs: pairs.min(BOUND),
            sentence,
            is_undefined: false,
            is_uncounted: false,
            is_lacking: false,
            is_of_other_year: false,
        }
    }

    /// Returns the probability that the passages answer the question, in [0, 1].
    pub fn probability(&self) -> f32 {
        let kind = f32::from(u8::from(self.sentence.kind));
        let missed = UNCOUNTED * f32::from(u8::from(self.is_uncounted))
            + OTHER_YEAR * f32::from(u8::from(self.is_of_other_year));
        let weighed = match (self.sentence.meaning, self.lead.zip(self.place), self.sentence.matched) {
            (Some(meaning), Some((lead, place)), Some(matched)) => {
                0.5 * meaning
                    + 0.18 * lead
                    + 0.47 * place
                    + 1.4 * self.words
                    + 1.0 * self.names
                    + 0.43 * self.pairs
                    + 2.4 * self.sentence.words
                    + 2.0 * self.sentence.passage
                    + 1.05 * kind
                    + 4.5 * matched.mean
                    + 1.9 * matched.least
                    - missed
                    - 10.5
            }
            (Some(meaning), Some((lead, _)), None) => {
                0.64 * meaning
                    + 0.46 * lead
                    + 1.19 * self.names
                    + 3.54 * self.sentence.words
                    + 5.0 * self.sentence.passage
                    + 1.26 * kind
                    - missed
                    - 10.12
            }
            _ => {
                4.0 * self.words
                    + 1.4 * self.names
                    + 0.9 * self.pairs
                    + 1.5 * self.sentence.words
                    + 5.2 * self.sentence.passage
                    + 0.4 * kind
                    - 6.9
            }
        };
        let probability = 1.0 / (1.0 + (-weighed).exp());
        let most = match (self.is_lacking, self.is_undefined) {
            (true, _) => LACKING,
            (_, true) => UNDEFINED,
            _ => 1.0,
        };
        probability.min(most)
    }
}

/// Returns whether a question names a year that no passage has.
pub fn lacks_year<'a>(question: &str, passages: impl Iterator<Item = &'a Hit>) -> bool {
    let numbers = claim(question).numbers;
    let mut years = numbers.keys().filter(|number| is_year(number)).peekable();
    years.peek().is_some() && {
        let all: BTreeSet<String> = passages.flat_map(held).collect();
        years.any(|year| !all.contains(year))
    }
}

/// Returns the years that a text names.
pub fn years(text: &str) -> BTreeSet<String> {
    claim(text).numbers.into_keys().filter(|number| is_year(number)).collect()
}

/// Returns whether a sentence names years, and none of those that a question names.
pub fn has_other_year(asked: &BTreeSet<String>, sentence: &str) -> bool {
    !asked.is_empty() && {
        let told = years(sentence);
        !told.is_empty() && told.is_disjoint(asked)
    }
}

/// Returns the pairs of adjacent terms of a text.
fn pairs(text: &str) -> BTreeSet<(String, String)> {
    let list: Vec<String> = terms(text).into_iter().map(|term| term.text).collect();
    list.windows(2).filter_map(|pair| Some((pair.first()?.clone(), pair.get(1)?.clone()))).collect()
}

/// Returns whether two sentences say different numbers of the same: one each, which is no year, and nearly all their other terms are
/// shared. With several numbers, one may say what the other is of: "The fee for 2023 is 100."
pub fn disagree(one: &str, other: &str) -> bool {
    let (first, second) = (claim(one), claim(other));
    let others = |terms: &BTreeSet<String>, numbers: &BTreeSet<&String>| -> BTreeSet<String> {
        terms.iter().filter(|term| !numbers.contains(term)).cloned().collect()
    };
    let numbers = |claim: &Claim| -> BTreeSet<String> { claim.numbers.keys().cloned().collect() };
    let (ours, theirs) = (numbers(&first), numbers(&second));
    let is_claim = |numbers: &BTreeSet<String>| numbers.len() == 1 && !numbers.iter().any(|one| is_year(one));
    if !is_claim(&ours) || !is_claim(&theirs) || ours == theirs {
        return false;
    }
    let (ours, theirs) =
        (others(&first.terms, &ours.iter().collect()), others(&second.terms, &theirs.iter().collect()));
    let all = ours.union(&theirs).count();
    all > 1 && ours.intersection(&theirs).count() as f32 >= MIN_SHARED * all as f32
}

fn is_year(number: &str) -> bool {
    number.len() == 4 && number.parse().is_ok_and(|year| (1900..2100).contains(&year))
}

/// Minimum share of the terms besides numbers that two sentences about the same have in common.
const MIN_SHARED: f32 = 0.7;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::claimed_terms;
    use vademecum_protocol::document::whole_document as hit;
    use vademecum_protocol::relevance::Calibration;

    fn judged(question: &str, passages: &[Hit], relevance: &Relevance) -> f32 {
        let terms = Rarity::terms(question);
        let rarity = Rarity::of(&terms, &Frequencies { terms: vec![1; terms.len()], chunks: 50 });
        let fit = SentenceFit {
            words: passages.first().map_or(0.0, |one| rarity.share(&claimed_terms(&one.chunk.text))),
            passage: passages.first().map_or(0.0, |one| rarity.share(&held(one))),
            meaning: relevance.calibration.zip(relevance.passages.first().copied().flatten()).map(
                |(scale, cosine)| {
                    (cosine - scale.unrelated.mean) / scale.unrelated.deviation.max(MIN_DEVIATION)
                },
            ),
            matched: None,
            kind: true,
        };
        Signals::of(question, passages, &rarity, relevance, fit).probability()
    }

    fn seen_at(cosine: f32, calibration: Calibration) -> Relevance {
        Relevance { passages: vec![Some(cosine)], calibration: Some(calibration), ..Relevance::default() }
    }

    #[test]
    fn a_passage_with_the_words_answers_and_one_about_something_else_does_not() {
        let passages = [hit("a", "The tower of Ozymand is 330 metres high.")];
        let words = Relevance::default();
        assert!(judged("How high is the tower of Ozymand?", &passages, &words) > DOUBTFUL_BELOW);
        assert!(judged("Who may end the lease of a flat?", &passages, &words) < ABSTAIN_BELOW);
    }

    #[test]
    fn cosines_count_on_the_scale_of_the_library() {
        let passages = [hit("a", "A plain note.")];
        let wide = Calibration::of(&[0.0, 0.1, 0.05], &[0.3, 0.4], &[0.7, 0.8]);
        let narrow = Calibration::of(&[0.80, 0.81, 0.805], &[0.83, 0.84], &[0.87, 0.88]);
        let near = |cosine, scale| judged("What is it about?", &passages, &seen_at(cosine, scale));
        assert!(near(0.75, wide) > near(0.35, wide));
        assert!((near(0.25, wide) - near(0.854, narrow)).abs() < 0.05);
        assert!(near(0.81, narrow) < ABSTAIN_BELOW, "high by itself, but not in this library");
    }

    #[test]
    fn a_paraphrase_answers_without_a_shared_word() {
        let scale = Calibration::of(&[0.0, 0.1, 0.05], &[0.3, 0.4], &[0.7, 0.8]);
        let passages = [hit("a", "Staff get ten days of paid absence when ill.")];
        let asked =
            |cosine| judged("How long can employees be off sick?", &passages, &seen_at(cosine, scale));
        assert!(asked(0.7) >= ABSTAIN_BELOW && asked(0.3) < ABSTAIN_BELOW);
    }

    #[test]
    fn passages_that_are_all_alike_give_a_finite_probability() {
        let alike = Calibration::of(&[0.9; 8], &[0.9; 4], &[0.9; 4]);
        let passages = [hit("a", "The same."), hit("b", "The same.")];
        let probability = judged("Is it the same?", &passages, &seen_at(0.9, alike));
        assert!((0.0..=1.0).contains(&probability), "{probability}");
    }

    #[test]
    fn a_question_without_terms_has_no_answer() {
        assert!(judged("Who is it?", &[hit("a", "It is he.")], &Relevance::default()) < ABSTAIN_BELOW);
    }

    #[test]
    fn a_long_question_expects_no_more_terms_than_a_passage_holds() {
        let filler: String = (0..2_000).map(|at| format!("filler{at} ")).collect();
        let text = "Either party may end the lease of the northern warehouse by written notice of ninety days, sent to \
                    the registered office of the landlord, the tenant or their agent in Ghent.";
        let question = format!("{text} {filler} What is the notice?");
        assert!(judged(&question, &[hit("a", text)], &Relevance::default()) > ABSTAIN_BELOW);
    }

    #[test]
    fn a_sentence_of_another_year_has_none_of_those_asked_for() {
        let asked = years("What was the dividend in 2023?");
        assert!(has_other_year(&asked, "The dividend for 2024 is 0.80."));
        assert!(!has_other_year(&asked, "In 2023 it was less than in 2024."));
        assert!(!has_other_year(&asked, "It was 0.65."));
        assert!(!has_other_year(&years("What was the dividend?"), "The dividend for 2024 is 0.80."));
    }

    #[test]
    fn sentences_disagree_if_only_their_numbers_differ() {
        assert!(disagree("The notice period is 30 days.", "The notice period is sixty days."));
        assert!(!disagree("The notice period is 30 days.", "The notice period is 30 days."));
        assert!(!disagree("The notice period is 30 days.", "The trial period is six weeks."));
        assert!(!disagree("The notice period is 30 days.", "The notice period is long."));
        assert!(!disagree("The fee for 2023 is 100.", "The fee for 2024 is 120."));
        assert!(!disagree("The contract was signed in 2023.", "The contract was signed in 2024."));
    }
}
