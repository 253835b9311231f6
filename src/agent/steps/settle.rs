//! An answer that a model gave, made fit to be given out: without what could carry something away, with its citations checked.

use super::counted::counted;
use crate::agent::citation::{Citation, CitationStyle, check};
use crate::agent::context::{By, Context, Thought};
use crate::agent::event::Event;
use crate::agent::firewall::clean_answer;
use crate::agent::run::Run;
use crate::document::Hit;

/// Puts an answer into the context, whose passages were `shown` to the model, and tells of it.
pub(super) fn settle(
    run: &Run<'_>,
    step: &str,
    context: &mut Context,
    said: &str,
    shown: &[Hit],
    style: CitationStyle,
) {
    let cleaned = clean_answer(said, context.allowed(shown));
    let checked = check(cleaned.text.trim(), shown, style);
    context.removed = cleaned.removed;
    run.observer.event(&Event::Token { step: step.to_owned(), text: checked.text.clone() });
    context.answer = Some(checked.text);
    context.citations = checked.citations;
    context.invalid_citations = checked.invalid;
    context.citation_style = style;
    context.context_used = shown.to_vec();
    context.answered_by = Some(By::Llm);
    context.grounding = None;
    tell(run, step, &context.citations);
    let citations = counted(context.citations.len(), "citation");
    let text = format!("written from {}, with {citations}", counted(shown.len(), "passage"));
    run.think(Thought { step: step.to_owned(), by: By::Llm, text });
}

fn tell(run: &Run<'_>, step: &str, citations: &[Citation]) {
    for citation in citations {
        run.observer.event(&Event::Citation { step: step.to_owned(), citation: citation.clone() });
    }
}
