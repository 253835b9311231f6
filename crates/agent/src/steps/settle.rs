//! Stores an answer in the context and reports it, sanitised and with checked citations.

use super::counted::counted;
use super::rows::resolved;
use crate::context::{By, Context, Thought};
use crate::event::Event;
use crate::reply::repeated::without_repeats;
use crate::run::Run;
use crate::step_id::StepId;
use vademecum_firewall::{Allowed, clean_answer};
use vademecum_grounding::citation::{CitationStyle, check};
use vademecum_grounding::sourced::add_sources;
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::{Error, excerpt};

/// Clears everything that belongs to an earlier answer.
pub(super) fn clear(context: &mut Context, style: CitationStyle) {
    context.workspace.citation_style = style;
    (context.citations, context.invalid_citations, context.removed) = Default::default();
    // The grounding of an earlier answer does not apply to this one.
    (context.grounding, context.told, context.unsupported) = (None, None, None);
    (context.abstained, context.reason, context.confidence) = (false, None, None);
    context.nearest = None;
}

/// Returns a sanitised text without repetitions at its end. Stores the removed parts in the context.
pub(super) fn clean(context: &mut Context, said: &str, allowed: Allowed) -> String {
    let cleaned = clean_answer(&without_repeats(said), allowed);
    context.removed = cleaned.removed;
    cleaned.text.trim().to_owned()
}

/// Stores a sanitised text as the answer, and checks its citations of the passages in `shown`.
pub(super) fn accept(run: &Run<'_>, context: &mut Context, said: &str, shown: Vec<Hit>) {
    context.context_used = resolved(&run.searcher, shown);
    cite(context, said);
}

/// Stores a text as the answer, and checks its citations of the context's passages.
pub(super) fn cite(context: &mut Context, said: &str) {
    let checked = check(said, &context.context_used, context.workspace.citation_style);
    context.answer = Some(checked.text);
    context.citations = checked.citations;
    context.invalid_citations = checked.invalid;
}

/// Reports the answer in the context: its citations, its author, and `made`, how it was produced.
pub(super) fn report(run: &Run<'_>, step: &StepId, context: &mut Context, by: By, made: &str, note: &str) {
    if by == By::Llm {
        add_forgotten(context);
    }
    for citation in &context.citations {
        run.observer.event(&Event::Citation { step: step.clone(), citation: citation.clone() });
    }
    context.answered_by = Some(by);
    let text = format!("{made}, with {}{note}", counted(context.citations.len(), "citation"));
    run.think(Thought { step: step.clone(), by, text });
}

/// Adds the sources that a model forgot. What was streamed is the model's text; they are added to the result.
fn add_forgotten(context: &mut Context) {
    let Some(said) = &context.answer else { return };
    let style = context.workspace.citation_style;
    let (answer, citations) =
        add_sources(&context.questions(), said, &context.citations, &context.context_used, style);
    (context.answer, context.citations) = (Some(answer), citations);
}

/// Adds sources to an answer that was written without passages, and reports them.
pub(super) fn source(run: &Run<'_>, step: &StepId, context: &mut Context) {
    add_forgotten(context);
    for citation in &context.citations {
        run.observer.event(&Event::Citation { step: step.clone(), citation: citation.clone() });
    }
}

/// Stores what a model wrote in a chat as the answer; `told` is the part of it that has been streamed.
pub(super) fn settle(
    run: &Run<'_>,
    step: &StepId,
    context: &mut Context,
    said: &str,
    shown: &[Hit],
    style: CitationStyle,
    told: &str,
) {
    clear(context, style);
    let allowed = context.allowed(&resolved(&run.searcher, shown.to_vec()));
    let said = clean(context, said, allowed);
    accept(run, context, &said, shown.to_vec());
    debug_assert!(context.answer.is_some(), "an accepted answer is in the context");
    let answer = context.answer.as_deref().unwrap_or_default();
    // What was streamed may go on with a repetition that was cut off.
    let is_told = !answer.is_empty() && told.starts_with(answer);
    let rest = if is_told { Some("") } else { answer.strip_prefix(told) }.unwrap_or_else(|| {
        retract(run, step, told, "the whole answer is told again");
        answer
    });
    if !rest.is_empty() {
        run.observer.event(&Event::Token { step: step.clone(), text: rest.to_owned() });
    }
    let made = format!("written from {}", counted(shown.len(), "passage"));
    report(run, step, context, By::Llm, &made, "");
}

/// Reports that streamed text is not the answer.
pub(super) fn retract(run: &Run<'_>, step: &StepId, told: &str, fallback: &str) {
    let error = Error::LlmReply {
        expected: "an answer, or calls of tools, in one turn",
        got: format!("text that is not the answer: {}", excerpt(told, 80)),
    };
    run.tell_failure(step, &error, fallback);
}
