//! Finds the support of each sentence of an answer, without a model.
//!
//! The support of a sentence is the window of one to three sentences of a passage that contains most of its terms, weighted by
//! their rarity in the evidence. The window must contain its numbers, the window or the text before it its names, and a quotation
//! must match literally. A number of something that the passage counts with other numbers only is missing. A sentence that
//! negates needs a support that does, and the reverse. A short answer, such as "30 days.", says nothing without the question: its
//! support must be one sentence with the words of the question, or with some of them if passages that mention its title have the
//! others. A sentence that cites several passages may combine them. A sentence that cites none must add something to the question
//! that the support contains, and the support's document must contain what the question is about, if any document does. This
//! detects fabricated content, not every wrong conclusion.

use super::chain::link;
use super::citation::Citation;
use super::claim::{Claim, claim};
use super::counted::Counted;
use super::expected::{Expected, expected, subjects};
use super::negation::contradicts;
use super::questions::{Question, Questions};
use super::quotation::{quotations, verbatim, without_list_marker, without_markers};
use super::source::{Source, Window};
use super::utf16::Utf16;
use super::weights::Weights;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use vademecum_protocol::document::{Hit, Span};
use vademecum_text::sentence::sentences;
use vademecum_text::terms::{is_blank, words};
use vademecum_util::small_sort::sort_by_key;
use vademecum_util::within::Within;

/// A sentence of the answer with the chunk that supports it best.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GroundedSentence {
    /// The sentence, citations included.
    pub text: String,
    /// Position in the answer, in UTF-16 code units.
    pub at: Span,
    /// Whether the evidence supports it.
    pub supported: bool,
    /// Weighted share of its terms in the support, in [0, 1].
    pub score: f32,
    /// Whether the support contains the sentence, or all its quotations, literally; absent for a paraphrase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verbatim: Option<bool>,
    /// Names and numbers that the chunk does not contain, and quotations that no chunk contains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The supporting chunk, or the closest one if the sentence is not supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_id: Option<String>,
    /// The document of the chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc_id: Option<String>,
    /// Position of the supporting text in that document, in UTF-16 code units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
}

/// Minimum weighted share of a sentence's terms in its support, if the sentence cites it.
const MIN_SCORE: f32 = 0.5;
/// The same for a sentence without citations: nobody but the words relates it to a passage.
const MIN_SCORE_UNCITED: f32 = 0.6;
/// Maximum number of terms of an answer that says nothing without its question.
const SHORT_ANSWER: usize = 3;
/// Minimum share of the question's terms in the sentence that supports such an answer.
const MIN_OF_QUESTION: f32 = 0.5;
/// The same where the terms that lead to the passage count too.
const MIN_WITH_LEADING: f32 = 0.6;
/// Terms that make no claim by themselves.
const NO_CLAIM: [&str; 5] = ["correct", "no", "ok", "sure", "yes"];
/// Stems of words about the answer and its sources rather than their subject.
const ABOUT_ANSWERS: [&str; 7] = ["accord", "answer", "context", "document", "passag", "question", "text"];
/// Subjects of sentences about a source: one that says no more than a word of it, such as "The passage is about ferries.", makes no
/// claim.
const SOURCES: [&str; 4] = ["context", "document", "passage", "text"];
/// Penalty per further sentence, so that the shortest sufficient window wins.
const LENGTH_COST: f32 = 0.02;
/// Bonus of a cited passage.
const CITED_BONUS: f32 = 0.05;

/// Finds the support of every sentence of `answer`. Skips headings. A sentence without a claim of its own, such as "Yes.", is
/// judged together with the next one; without a next one it is not supported.
pub fn ground(
    questions: &Questions<'_>,
    answer: &str,
    citations: &[Citation],
    evidence: &[Hit],
) -> Vec<GroundedSentence> {
    let mut sources: Vec<Source<'_>> = evidence.iter().map(Source::new).collect();
    let weights = Weights::new(&sources);
    let places = Utf16::new(answer);
    let mut units = units(answer, &places, citations, &sources);
    for Claim { names, openings, .. } in units.iter_mut().map(|unit| &mut unit.claim) {
        openings.retain(|term, _| sources.iter().all(|source| !source.has(term)));
        names.append(openings);
    }
    lean(&mut units, questions, &sources);
    if units.iter().any(|unit| !unit.of_questions.is_empty()) {
        link(&mut sources);
    }
    // Models repeat themselves, so equal sentences are judged once.
    let mut judged: BTreeMap<(&str, &BTreeSet<usize>), GroundedSentence> = BTreeMap::new();
    let verdicts = units.iter().map(|unit| {
        let verdict =
            judged.entry((&unit.words, &unit.cited)).or_insert_with(|| weights.judge(unit, &sources));
        GroundedSentence {
            text: answer.within(unit.bytes.clone()).to_owned(),
            at: places.span(&unit.bytes),
            ..verdict.clone()
        }
    });
    verdicts.collect()
}

/// Prepares sentences for the judgement beside questions: what they say about answers as such is no claim, and a short answer
/// needs the words of one of them in its support, unless it is a passage's own sentence about a part of the whole question.
fn lean(units: &mut [Unit], questions: &Questions<'_>, sources: &[Source<'_>]) {
    let asked: Vec<BTreeSet<String>> = questions.asked.iter().map(|question| claim(question).terms).collect();
    let is_asked = |term: &String| asked.iter().any(|terms| terms.contains(term));
    let subjects: BTreeSet<String> = questions.asked.iter().flat_map(|question| subjects(question)).collect();
    let decides = questions.asked.iter().any(|question| expected(question) == Expected::Decision);
    let is_about_answers = |term: &String| ABOUT_ANSWERS.contains(&term.as_str()) && !is_asked(term);
    for unit in units.iter_mut() {
        let Claim { terms, names, numbers, .. } = &mut unit.claim;
        let mut opening = words(&unit.words).map(|(_, word)| word.to_lowercase());
        let names_source = opening.next().is_some_and(|word| ["the", "this"].contains(&word.as_str()))
            && opening.next().is_some_and(|word| SOURCES.contains(&word.as_str()));
        terms.retain(|term| names.contains_key(term) || !is_about_answers(term));
        if names_source && terms.len() < 2 && names.is_empty() && numbers.is_empty() {
            terms.clear();
        }
        unit.decides = decides;
        unit.subjects = terms.iter().filter(|term| subjects.contains(*term)).cloned().collect();
        unit.asked = terms.iter().filter(|term| is_asked(term)).cloned().collect();
    }
    // A whole sentence is complete without the question. A fragment is not, unless it shares a term with the question.
    let is_quotation = |unit: &Unit| {
        let (words, terms) = (unit.words.trim(), &unit.claim.terms);
        sources.iter().any(|source| {
            verbatim(&source.hit.chunk.text, words).is_some_and(|bytes| {
                let is_whole = source.windows.iter().any(|one| one.sentences == 1 && one.bytes == bytes);
                (is_whole && terms.len() > 1) || asked.first().is_some_and(|whole| !terms.is_disjoint(whole))
            })
        })
    };
    let mut first = units.iter_mut().filter(|unit| !unit.words.ends_with('?'));
    let is_short = |unit: &&mut Unit| unit.claim.terms.len() <= SHORT_ANSWER && !is_quotation(unit);
    if let Some(first) = first.next().filter(is_short) {
        let whole = asked.first().cloned();
        // A part of the question may name the answer of an earlier one, and so may a search.
        let is_given = |terms: &BTreeSet<String>| first.claim.terms.is_subset(terms);
        let open = questions.asked.iter().zip(asked).enumerate();
        let open = open.filter(|(at, (_, terms))| *at == 0 || !is_given(terms));
        let wanted = open.map(|(_, (text, terms))| Question::new(text, terms));
        let searched =
            questions.searched.zip(whole).and_then(|(text, whole)| Question::searched(text, &whole));
        let searched = searched.filter(|search| !is_given(&search.terms));
        first.of_questions = wanted.chain(searched).filter(|question| !question.terms.is_empty()).collect();
    }
}

/// A sentence to judge.
struct Unit {
    bytes: Range<usize>,
    /// Its text without citations.
    words: String,
    claim: Claim,
    /// What it counts.
    counted: Counted,
    /// Its terms that are in the question or a part of it.
    asked: BTreeSet<String>,
    /// Those of them that follow an article there: what the question is about.
    subjects: BTreeSet<String>,
    /// Whether the question asks for yes or no.
    decides: bool,
    /// Indices of the passages that it cites.
    cited: BTreeSet<usize>,
    /// The questions without one of which it says nothing; none for a whole sentence, or if nothing was asked.
    of_questions: Vec<Question>,
}

impl Unit {
    /// Returns whether a support says the opposite. A short answer is read after its question, which may negate.
    fn contradicts(&self, support: &str) -> bool {
        let with = |question: &Question| contradicts(&format!("{}\n{}", question.text, self.words), support);
        let mut asked = self.of_questions.iter().filter(|question| question.ordinary.is_none()).peekable();
        if asked.peek().is_none() { contradicts(&self.words, support) } else { asked.all(with) }
    }

    fn new(bytes: Range<usize>, words: String, claim: Claim) -> Self {
        let counted = Counted::of(&words);
        Self {
            bytes,
            words,
            claim,
            counted,
            asked: BTreeSet::new(),
            subjects: BTreeSet::new(),
            decides: false,
            cited: BTreeSet::new(),
            of_questions: Vec::new(),
        }
    }

    /// Returns whether the words alone relate it to a support: it adds something to the question that the support contains, unless
    /// yes or no is asked for; and the support's document knows a subject of the question in it, if any document does.
    fn is_related(&self, support: &Support<'_>, sources: &[Source<'_>]) -> bool {
        let is_new = |term: &&String| !self.asked.contains(*term) && !NO_CLAIM.contains(&term.as_str());
        let mut added = self.claim.terms.iter().filter(is_new).peekable();
        let adds = self.decides || added.peek().is_none() || added.any(|term| support.covered.contains(term));
        let knows_a_subject = |document: &Source<'_>| {
            let mut of_document = sources.iter().filter(|one| one.is_of_document(document));
            of_document.any(|source| self.subjects.iter().any(|term| source.has(term)))
        };
        adds && (knows_a_subject(support.source) || !sources.iter().any(knows_a_subject))
    }

    /// Returns the minimum share of its terms in a support.
    fn least(&self) -> f32 {
        if self.cited.is_empty() { MIN_SCORE_UNCITED } else { MIN_SCORE }
    }
}

/// Blanks out the marks that close an emphasis behind the end of a sentence, as in "**It is free.** [1]": the next sentence would begin with them.
fn without_closing_marks(text: &str) -> String {
    let (mut blanked, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(end) = rest.find(['.', '!', '?']) {
        let (sentence, behind) = rest.split_at(end + 1);
        blanked.push_str(sentence);
        rest = behind.trim_start_matches(['*', '_']);
        let marks = behind.len() - rest.len();
        let is_closed = rest.is_empty() || rest.starts_with(char::is_whitespace);
        blanked.push_str(&if is_closed { " ".repeat(marks) } else { behind.within(..marks).to_owned() });
    }
    blanked + rest
}

fn units(answer: &str, places: &Utf16, citations: &[Citation], sources: &[Source<'_>]) -> Vec<Unit> {
    let mut markers: Vec<(Range<usize>, usize)> = citations
        .iter()
        .filter_map(|one| Some((places.bytes(answer, one.at)?, one.number.checked_sub(1)?)))
        .collect();
    sort_by_key(&mut markers, |(marker, _)| marker.start);
    // A citation may follow the full stop of its sentence, so it is blanked out while sentences are split.
    let mut hidden = answer.to_owned();
    for (marker, _) in &markers {
        hidden.replace_range(marker.clone(), &" ".repeat(marker.len()));
    }
    let hidden = without_closing_marks(&hidden);
    let mut units: Vec<Unit> = Vec::new();
    let mut waiting: Option<Range<usize>> = None;
    let alone = |bytes: Range<usize>| {
        let words = without_list_marker(hidden.within(bytes.clone()).trim()).to_owned();
        let says = !is_blank(&words);
        says.then(|| Unit::new(bytes, words, Claim::default()))
    };
    for bytes in
        sentences(&hidden).into_iter().flat_map(|bytes| quotations(&hidden, bytes, &markers, sources))
    {
        let words = without_markers(&hidden, &bytes, &markers);
        let words = without_list_marker(&words);
        if words.starts_with('#') {
            units.extend(waiting.take().and_then(alone));
            continue;
        }
        let claim = claim(words);
        if claim.terms.iter().all(|term| NO_CLAIM.contains(&term.as_str())) {
            waiting = Some(waiting.map_or(bytes.start, |waiting| waiting.start)..bytes.end);
            continue;
        }
        let words = words.to_owned();
        let start = waiting.take().map_or(bytes.start, |waiting| waiting.start);
        units.push(Unit::new(start..bytes.end, words, claim));
    }
    units.extend(waiting.and_then(alone));
    let starts: Vec<usize> =
        units.iter().skip(1).map(|unit| unit.bytes.start).chain([answer.len()]).collect();
    for (unit, next) in units.iter_mut().zip(starts) {
        let from = markers.partition_point(|(marker, _)| marker.start < unit.bytes.start);
        for (marker, place) in markers.iter().skip(from).take_while(|(marker, _)| marker.start < next) {
            // A citation after other text, such as a heading, belongs to none of these sentences.
            let between = hidden.within(unit.bytes.end..marker.start.max(unit.bytes.end));
            if !between.trim_start().is_empty() {
                break;
            }
            unit.bytes.end = unit.bytes.end.max(marker.end);
            unit.cited.insert(*place);
        }
    }
    units
}

/// A window compared with a sentence.
struct Support<'a> {
    source: &'a Source<'a>,
    bytes: Range<usize>,
    score: f32,
    covered: BTreeSet<&'a String>,
    missing: Vec<String>,
    /// Whether it shares more than names and numbers, if the sentence has more.
    is_about: bool,
    rank: f32,
}

impl Support<'_> {
    fn holds(&self, least: f32) -> bool {
        self.score >= least && self.missing.is_empty() && self.is_about
    }
}

impl Weights {
    /// Judges a sentence; the caller fills in its text and position.
    fn judge(&self, unit: &Unit, sources: &[Source<'_>]) -> GroundedSentence {
        let mut judged = GroundedSentence {
            text: String::new(),
            at: Span { start: 0, end: 0 },
            supported: false,
            score: 0.0,
            verbatim: None,
            missing: Vec::new(),
            chunk_id: None,
            doc_id: None,
            span: None,
        };
        if unit.claim.terms.is_empty() {
            return judged;
        }
        // Cited passages are tried first.
        let cited = |place: &usize| unit.cited.contains(place);
        let mut order: Vec<usize> = (0..sources.len()).collect();
        sort_by_key(&mut order, |place| !cited(place));
        let in_order = || order.iter().filter_map(|place| sources.get(*place));
        let find = |words: &str| {
            in_order().find_map(|source| Some((source, verbatim(&source.hit.chunk.text, words)?)))
        };
        let literal = find(&unit.words);
        // A part of a sentence may leave out its negation.
        let is_whole = |(source, bytes): &&(&Source<'_>, Range<usize>)| {
            let around = source.windows.iter().find(|window| {
                window.sentences == 1 && window.bytes.start <= bytes.start && bytes.end <= window.bytes.end
            });
            around.is_none_or(|window| {
                !contradicts(&unit.words, source.hit.chunk.text.within(window.bytes.clone()))
            })
        };
        if let Some((source, bytes)) =
            literal.as_ref().filter(|_| unit.of_questions.is_empty()).filter(is_whole)
        {
            judged.cite_support(source, bytes);
            (judged.supported, judged.score, judged.verbatim) = (true, 1.0, Some(true));
            return judged;
        }
        let quoted: Vec<_> = unit.claim.quotes.iter().map(|quote| (quote, find(quote))).collect();
        let invented = quoted.iter().filter(|(_, found)| found.is_none()).map(|(quote, _)| (*quote).clone());
        judged.missing = invented.collect();
        let supports: Vec<Support<'_>> = sources
            .iter()
            .enumerate()
            .filter_map(|(place, source)| self.best_window(unit, source, cited(&place)))
            .collect();
        // `max_by` returns the last of equals; reversed, the first wins.
        let is_related = |one: &Support<'_>| !unit.cited.is_empty() || unit.is_related(one, sources);
        let rank = |one: &Support<'_>| one.rank + f32::from(u8::from(is_related(one)));
        let Some(best) = supports.iter().rev().max_by(|a, b| rank(a).total_cmp(&rank(b))) else {
            return judged;
        };
        judged.cite_support(best.source, &best.bytes);
        judged.score = best.score;
        let mut missing = best.missing.clone();
        let mut is_about = best.is_about;
        if unit.cited.len() > 1 && !best.holds(unit.least()) {
            let drawn: Vec<&Support<'_>> = supports
                .iter()
                .filter(|one| {
                    unit.cited
                        .iter()
                        .any(|place| sources.get(*place).is_some_and(|cited| std::ptr::eq(cited, one.source)))
                })
                .collect();
            let covered: BTreeSet<&String> =
                drawn.iter().flat_map(|one| one.covered.iter().copied()).collect();
            judged.score = judged.score.max(self.share(&unit.claim, covered.into_iter()));
            missing.retain(|word| drawn.iter().all(|one| one.missing.contains(word)));
            is_about |= drawn.iter().any(|one| one.is_about);
        }
        if let Some((_, Some((source, bytes)))) = quoted.first() {
            judged.cite_support(source, bytes);
        }
        judged.supported = judged.missing.is_empty()
            && missing.is_empty()
            && is_about
            && judged.score >= unit.least()
            && is_related(best)
            && !unit.contradicts(best.source.hit.chunk.text.within(best.bytes.clone()));
        let within = |(source, bytes): &(&Source<'_>, Range<usize>)| {
            std::ptr::eq(*source, best.source)
                && best.bytes.start <= bytes.start
                && bytes.end <= best.bytes.end
        };
        let literal = literal.filter(|literal| judged.supported && within(literal));
        if let Some((source, bytes)) = &literal {
            judged.cite_support(source, bytes);
            judged.score = 1.0;
        }
        let is_literal = literal.is_some();
        judged.verbatim = (is_literal || !quoted.is_empty()).then_some(judged.missing.is_empty());
        judged.missing.extend(missing);
        judged
    }

    /// Returns whether a window may support a sentence: for one that needs a question, a single sentence that contains the words of
    /// the question, or some of them if passages that mention its title contain the others.
    fn answers(&self, unit: &Unit, source: &Source<'_>, window: &Window) -> bool {
        let is_said = |term: &String| window.held.contains(term);
        let is_above = |term: &String| source.above.contains(term);
        let is_led = |term: &String| source.leading.contains(term);
        let has = |Question { terms, ordinary, .. }: &Question| {
            let weight = |counts: &dyn Fn(&String) -> bool| -> f32 {
                terms.iter().filter(|term| counts(term)).map(|term| self.of(term)).sum()
            };
            let (all, held) = (weight(&|_| true), weight(&|term| is_said(term) || is_above(term)));
            let with_leading = weight(&|term| is_said(term) || is_above(term) || is_led(term));
            let adds_own = terms.iter().any(|term| is_said(term) && !is_above(term));
            let is_about = ordinary.as_ref().is_none_or(|words| words.iter().any(is_said));
            is_about && (held >= MIN_OF_QUESTION * all || adds_own && with_leading >= MIN_WITH_LEADING * all)
        };
        unit.of_questions.is_empty() || (window.sentences == 1 && unit.of_questions.iter().any(has))
    }

    fn best_window<'s>(&self, unit: &Unit, source: &'s Source<'s>, cited: bool) -> Option<Support<'s>> {
        let claim = &unit.claim;
        let is_ordinary =
            |term: &&String| !claim.names.contains_key(*term) && !claim.numbers.contains_key(*term);
        let has_ordinary = claim.terms.iter().any(|term| is_ordinary(&term));
        let held = |window: &'s Window| -> BTreeSet<&'s String> {
            let known = claim.terms.iter().filter_map(|term| {
                // A pronoun may refer to a name that occurs before.
                let by_name = || claim.names.get(term).and_then(|_| source.known_in(window, term));
                window.held.get(term).or_else(|| source.above.get(term)).or_else(by_name)
            });
            known.collect()
        };
        let windows = source.windows.iter().filter(|window| self.answers(unit, source, window));
        let supports = windows.map(|window| {
            let covered = held(window);
            let names = claim.names.iter().filter(|(term, _)| source.known_in(window, term).is_none());
            let is_denied = |number: &str| unit.counted.is_denied(number, &source.counted);
            let numbers = claim.numbers.iter().filter(|(term, _)| !covered.contains(term) || is_denied(term));
            let missing: Vec<String> = numbers.chain(names).map(|(_, written)| written.clone()).collect();
            let score = self.share(claim, covered.iter().copied());
            let bonus = if cited { CITED_BONUS } else { 0.0 };
            let is_about = !has_ordinary || covered.iter().any(is_ordinary);
            let mut support =
                Support { source, bytes: window.bytes.clone(), score, covered, missing, is_about, rank: 0.0 };
            let holds = if support.holds(unit.least()) { 1.0 } else { 0.0 };
            support.rank = holds + score + bonus - LENGTH_COST * window.sentences as f32;
            support
        });
        // The first of equals wins.
        supports
            .fold(None, |best: Option<Support<'s>>, one| match best {
                Some(best) if best.rank >= one.rank => Some(best),
                _ => Some(one),
            })
            .filter(|best| best.score > 0.0)
    }
}

impl GroundedSentence {
    fn cite_support(&mut self, source: &Source<'_>, bytes: &Range<usize>) {
        self.chunk_id = Some(source.hit.chunk.id.clone());
        self.doc_id = Some(source.hit.chunk.doc_id.clone());
        self.span = Some(source.span(bytes));
    }
}

#[cfg(test)]
#[path = "grounding_tests.rs"]
mod tests;
