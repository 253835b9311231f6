//! Checks what a model wrote, at the end of a run: estimates whether its passages answer the question, and puts the best
//! quotation first if no passage supports the answer although one probably answers.

use super::extractive::extract;
use super::rows::asked_of_passages;
use super::rules::refusal::is_refusal;
use super::weighed::Weighed;
use crate::context::{By, Context, Thought};
use crate::event::Event;
use crate::run::Run;
use crate::step_id::StepId;
use std::borrow::Cow;
use vademecum_firewall::clean_answer;
use vademecum_grounding::answerable::DOUBTFUL_BELOW;
use vademecum_grounding::citation::Citation;
use vademecum_grounding::grounding::{GroundedSentence, ground};

/// The name under which it reports.
const STEP: StepId = StepId::Own(Cow::Borrowed("final_check"));
/// Minimum probability to contradict a model that says that the passages do not answer: it has read them.
const CONTRADICT_FROM: f32 = 0.8;
/// Maximum length of an answer in bytes. Longer ones are left as they are.
const MAX_ANSWER: usize = 32 << 10;
/// The reason beside an answer that begins with a quotation.
const UNSUPPORTED: &str =
    "No passage supports what the model wrote; the sentence quoted first is from the documents.";

impl Run<'_> {
    /// Adds to a model's answer the confidence and, if nothing supports it, a quotation. Answers that tools or rows may support are
    /// left as they are.
    pub(crate) async fn final_check(&self, context: &mut Context) {
        let written = context.answer.clone().filter(|_| context.answered_by == Some(By::Llm));
        let Some(answer) = written.filter(|answer| answer.len() <= MAX_ANSWER) else { return };
        let by_tools = context.workspace.progress.made.iter().any(|one| one.told.is_some());
        if context.context_used.is_empty() || context.output.is_some() || by_tools {
            return;
        }
        let is_supported = self.is_supported(context, &answer);
        if is_supported && context.confidence.is_some() {
            return;
        }
        let question = asked_of_passages(self, context);
        let weighed = Weighed::of(self, &STEP, &question, &context.context_used).await;
        let probability = weighed.signals.probability();
        context.confidence.get_or_insert(probability);
        let least = if is_refusal(&answer, context.asked()) { CONTRADICT_FROM } else { DOUBTFUL_BELOW };
        if !is_supported && probability >= least {
            quote_first(self, context, &weighed, &answer);
        }
    }

    /// Returns whether a passage supports any sentence of an answer.
    fn is_supported(&self, context: &Context, answer: &str) -> bool {
        let supported = |sentences: &[GroundedSentence]| sentences.iter().any(|one| one.supported);
        match context.grounding.as_deref() {
            // Empty for an answer that claims nothing.
            Some(known) if !known.is_empty() => supported(known),
            _ => supported(&ground(answer, &context.citations, &context.context_used)),
        }
    }
}

/// Puts the sentence that answers best before the answer, with its citation.
fn quote_first(run: &Run<'_>, context: &mut Context, weighed: &Weighed, answer: &str) {
    let used = &context.context_used;
    let Some(quote) = extract(weighed, used).quotes.into_iter().next() else { return };
    let Some(hit) = quote.number.checked_sub(1).and_then(|at| used.get(at)) else { return };
    // A quotation is sanitised like any answer.
    let cleaned = clean_answer(&quote.text, context.allowed(used));
    let said = cleaned.text.trim();
    let marker = context.workspace.citation_style.marker(quote.number, hit);
    let start = said.encode_utf16().count() + 1;
    let citation = Citation::new(quote.number, hit, start, &marker, Some(quote.span));
    let first = format!("{said} {marker}");
    let grounded = ground(&first, std::slice::from_ref(&citation), used);
    let first = format!("{first}\n\n");
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
    context.reason = Some(UNSUPPORTED.to_owned());
    context.removed.extend(cleaned.removed);
    run.observer.event(&Event::Citation { step: STEP, citation: citation.clone() });
    context.citations.insert(0, citation);
    run.think(Thought { step: STEP, by: By::Rule, text: UNSUPPORTED.to_owned() });
}
