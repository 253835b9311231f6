//! An answer that a model gave, made fit to be given out: without what could carry something away, with its citations checked.

use super::counted::counted;
use super::rows::resolved;
use crate::context::{By, Context, Thought};
use crate::event::Event;
use crate::run::Run;
use vademecum_firewall::clean_answer;
use vademecum_grounding::citation::{Citation, CitationStyle, check};
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::{Error, excerpt};

/// Puts an answer into the context, whose passages were `shown` to the model, and tells of it; `told` is what was passed on of it
/// while it came.
pub(super) fn settle(
    run: &Run<'_>,
    step: &str,
    context: &mut Context,
    said: &str,
    shown: &[Hit],
    style: CitationStyle,
    told: &str,
) {
    let shown = &resolved(&run.searcher, shown.to_vec());
    let cleaned = clean_answer(said, context.allowed(shown));
    let checked = check(cleaned.text.trim(), shown, style);
    context.removed = cleaned.removed;
    let mut rest = checked.text.strip_prefix(told);
    if rest.is_none() {
        take_back(run, step, told, "the whole answer is told again");
        rest = Some(&checked.text);
    }
    if let Some(text) = rest.filter(|rest| !rest.is_empty()) {
        run.observer.event(&Event::Token { step: step.to_owned(), text: text.to_owned() });
    }
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

/// Makes void what was passed on as an answer and is none: that a step goes on after a failure says so to everybody who listens.
pub(super) fn take_back(run: &Run<'_>, step: &str, told: &str, fallback: &str) {
    let error = Error::LlmReply {
        expected: "an answer, or calls of tools, in one turn",
        got: format!("text that is not the answer: {}", excerpt(told, 80)),
    };
    run.tell_failure(step, &error, fallback);
}

fn tell(run: &Run<'_>, step: &str, citations: &[Citation]) {
    for citation in citations {
        run.observer.event(&Event::Citation { step: step.to_owned(), citation: citation.clone() });
    }
}
