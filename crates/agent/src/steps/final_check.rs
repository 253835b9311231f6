//! Checks what a model wrote, at the end of a run: estimates whether its passages answer the question. If no passage supports
//! the answer, the best quotation is put first, or the run abstains. The quotation is also put first if the question asks
//! for a person, and it names one where the model's answer names none.

use super::extractive::extract;
use super::quote::Quote;
use super::quoting::ABSTAINED;
use super::rows::asked_of_passages;
use super::rules::refusal::is_refusal;
use super::rules::small_talk::small_talk;
use super::weighed::Weighed;
use crate::context::{By, Context, Thought};
use crate::event::Event;
use crate::run::Run;
use crate::scratchpad::Made;
use crate::step_id::StepId;
use std::borrow::Cow;
use std::ops::Range;
use vademecum_firewall::clean_answer;
use vademecum_grounding::answerable::{ABSTAIN_BELOW, DOUBTFUL_BELOW};
use vademecum_grounding::citation::{Citation, CitedBy, without_citations};
use vademecum_grounding::claim::claimed_terms;
use vademecum_grounding::expected::{Expected, expected};
use vademecum_grounding::grounding::{GroundedSentence, ground};
use vademecum_grounding::questions::Questions;
use vademecum_protocol::document::{Hit, Span, whole_document};
use vademecum_text::sentence::sentences;
use vademecum_text::terms::Language;
use vademecum_util::within::Within;

/// The name under which it reports.
const STEP: StepId = StepId::Own(Cow::Borrowed("final_check"));
/// Minimum probability to contradict a model that says that the passages do not answer: it has read them.
const CONTRADICT_FROM: f32 = 0.8;
/// Maximum length of an answer in bytes. Longer ones are left as they are.
const MAX_ANSWER: usize = 32 << 10;
/// Maximum distance between two sentences of a paragraph, in UTF-16 code units.
const MAX_GAP: usize = 2;
/// The reason beside an answer that begins with a quotation.
const UNSUPPORTED: &str =
    "No passage supports what the model wrote; the sentence quoted first is from the documents.";
/// The same if the quotation may not answer.
const NEAREST: &str = "No passage supports what the model wrote; the sentence quoted first is the nearest in the documents, and may \
                       not answer.";
/// The reason beside an answer to a question for a person that names none.
const NAMELESS: &str = "What the model wrote names nobody; the sentence quoted first is from the documents.";
/// The reason to abstain in place of a model.
const NOTHING_SUPPORTS: &str =
    "No passage supports what the model wrote, and none that was found seems to answer this question.";

impl Run<'_> {
    /// Adds to a model's answer the confidence and, if nothing supports it, a quotation; abstains if none is near. Answers that
    /// rows or tools of the caller may support are left as they are, and so is small talk. The run does not abstain over an answer
    /// of which the model names the sources: it may have read them in another language.
    pub(crate) async fn final_check(&self, context: &mut Context) {
        let written = context.answer.clone().filter(|_| context.answered_by == Some(By::Llm));
        let Some(answer) = written.filter(|answer| answer.len() <= MAX_ANSWER) else { return };
        let is_own = |name: &str| self.tools.iter().any(|tool| tool.name == name);
        let by_own_tools = told(context).any(|one| is_own(&one.tool));
        // Rows that a rule has read from the question are exact; those of a plan may be those of another question.
        let rows = context.output.as_ref().is_some_and(|output| output.total > 0);
        let are_read = rows && context.plan.is_none();
        let was_searched = context.results.iter().flatten().any(|one| one.iterations > 0);
        let is_talk = small_talk(context.asked()).is_some() || only_asks(&answer);
        if is_talk || by_own_tools || are_read || (context.context_used.is_empty() && !was_searched) {
            return;
        }
        let question = asked_of_passages(self, context);
        let is_supported = self.is_supported(context, &answer);
        let spans: Vec<Span> = context.citations.iter().map(|one| one.at).collect();
        let said = without_citations(&answer, &spans);
        let is_nameless = lacks_person(&question, &said);
        if is_supported && context.confidence.is_some() && !is_nameless {
            return;
        }
        let weighed = Weighed::of(self, &STEP, &question, &context.context_used).await;
        let probability = weighed.signals.probability();
        context.confidence.get_or_insert(probability);
        let refuses = is_refusal(&answer, context.asked());
        if is_supported && is_nameless && !refuses && probability >= DOUBTFUL_BELOW {
            let names_one = weighed.candidates.first().is_some_and(|quote| {
                let in_context = quote.in_context(&context.context_used);
                !lacks_person(&question, &quote.text) && says_as_much(&in_context, &said, &question)
            });
            if names_one {
                quote_first(self, context, &weighed, &answer, NAMELESS);
            }
            return;
        }
        if is_supported || (refuses && probability < CONTRADICT_FROM) {
            return;
        }
        // In a conversation, an answer may be about earlier ones.
        let may_abstain = context.request.history.is_empty() && !rows;
        let names_sources = context.citations.iter().any(|one| one.by == CitedBy::Model);
        if probability >= DOUBTFUL_BELOW {
            quote_first(self, context, &weighed, &answer, UNSUPPORTED);
        } else if may_abstain && !names_sources && probability >= ABSTAIN_BELOW {
            quote_first(self, context, &weighed, &answer, NEAREST);
        } else if may_abstain && !names_sources {
            abstain(self, context, answer);
        }
    }

    /// Returns whether a passage supports any sentence of an answer.
    fn is_supported(&self, context: &Context, answer: &str) -> bool {
        // A question claims nothing, and small models repeat it.
        let claims = |one: &GroundedSentence| one.supported && !one.text.trim_end().ends_with(['?', '？']);
        let supported = |sentences: &[GroundedSentence]| sentences.iter().any(claims);
        let by_passages = match context.grounding.as_deref() {
            // Empty for an answer that claims nothing.
            Some(known) if !known.is_empty() => supported(known),
            _ => supported(&ground(&context.questions(), answer, &context.citations, &context.context_used)),
        };
        let listed = || -> Vec<Hit> {
            let of_tools =
                told(context).filter_map(|one| Some(whole_document(&one.tool, one.told.as_deref()?)));
            let rows = context.output.iter().map(|output| whole_document("rows", &output.markdown()));
            of_tools.chain(rows).collect()
        };
        by_passages || supported(&ground(&context.questions(), answer, &[], &listed()))
    }
}

/// Returns whether a question asks for a person, and no sentence of a text names one. German, where all nouns look like names,
/// cannot be judged.
fn lacks_person(question: &str, text: &str) -> bool {
    let asked = claimed_terms(question);
    let is_german = |text: &str| Language::detect(text) == Language::German;
    expected(question) == Expected::Person
        && !is_german(question)
        && !is_german(text)
        && !sentences(text).into_iter().any(|at| Expected::Person.is_in(text.within(at), &asked))
}

/// Returns whether a quotation has all words of the question that an answer has.
fn says_as_much(quote: &str, answer: &str, question: &str) -> bool {
    let (quoted, said) = (claimed_terms(quote), claimed_terms(answer));
    claimed_terms(question).iter().filter(|term| said.contains(*term)).all(|term| quoted.contains(term))
}

/// Returns whether an answer consists of questions: a model may ask which one is meant.
fn only_asks(answer: &str) -> bool {
    let sentences = sentences(answer);
    let asks = |at: Range<usize>| answer.within(at).trim_end().ends_with(['?', '？']);
    !sentences.is_empty() && sentences.into_iter().all(asks)
}

/// Returns the calls of tools that told something besides passages.
fn told(context: &Context) -> impl Iterator<Item = &Made> {
    context.workspace.progress.made.iter().filter(|one| one.error.is_none() && one.told.is_some())
}

/// Puts the sentence that answers best before the answer, with its citation, and with the sentence beside it that is quoted too: one of
/// them may refer to the other by a pronoun.
fn quote_first(run: &Run<'_>, context: &mut Context, weighed: &Weighed, answer: &str, reason: &str) {
    let used = &context.context_used;
    let mut quotes = extract(weighed, used).quotes.into_iter();
    let Some(first) = quotes.next() else { return };
    let is_next = |next: &Quote| follows(next, &first) || follows(&first, next);
    let next = quotes.next().filter(|next| next.number == first.number && is_next(next));
    let (mut text, mut citations, mut removed) = (String::new(), Vec::new(), Vec::new());
    for quote in [Some(first), next].into_iter().flatten() {
        let Some(hit) = quote.number.checked_sub(1).and_then(|at| used.get(at)) else { return };
        // A quotation is sanitised like any answer.
        let cleaned = clean_answer(&quote.text, context.allowed(used));
        let said = cleaned.text.trim();
        let gap = if said.contains('\n') { '\n' } else { ' ' };
        text.extend((!text.is_empty()).then_some(gap));
        text.push_str(said);
        text.push(gap);
        let marker = context.workspace.citation_style.marker(quote.number, hit);
        let start = text.encode_utf16().count();
        citations.push(Citation::new(quote.number, hit, start, &marker, Some(quote.span)));
        text.push_str(&marker);
        removed.extend(cleaned.removed);
    }
    let grounded = ground(&Questions::default(), &text, &citations, used);
    let first = format!("{text}\n\n");
    let shift = first.encode_utf16().count();
    for one in &mut context.citations {
        one.at.start += shift;
        one.at.end += shift;
    }
    if let Some(sentences) = &mut context.grounding {
        for one in sentences.iter_mut() {
            one.at.start += shift;
            one.at.end += shift;
        }
        sentences.splice(..0, grounded);
    }
    context.answer = Some(first + answer);
    context.reason = Some(reason.to_owned());
    context.removed.extend(removed);
    for citation in &citations {
        run.observer.event(&Event::Citation { step: STEP, citation: citation.clone() });
    }
    context.citations.splice(..0, citations);
    run.think(Thought { step: STEP, by: By::Rule, text: reason.to_owned() });
}

/// Returns whether a quotation directly follows another one of its passage.
fn follows(next: &Quote, first: &Quote) -> bool {
    (0..=MAX_GAP).contains(&next.span.start.wrapping_sub(first.span.end))
}

/// Abstains in place of the model, whose text is kept beside.
fn abstain(run: &Run<'_>, context: &mut Context, answer: String) {
    context.unsupported = Some(answer);
    context.answer = Some(ABSTAINED.to_owned());
    (context.abstained, context.answered_by) = (true, Some(By::Rule));
    (context.reason, context.grounding) = (Some(NOTHING_SUPPORTS.to_owned()), None);
    context.citations.clear();
    run.think(Thought { step: STEP, by: By::Rule, text: NOTHING_SUPPORTS.to_owned() });
}
