//! `ask`: answers a question by quoting the library, as `agent.pipeline(question).search().answer()` does without a language model.

use crate::arguments::Ask;
use crate::exit::Exit;
use crate::output::Output;
use crate::passages::{beginning, collections, filter, open, source};
use futures_executor::block_on;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write;
use vademecum::agent::context::{Context, StepError};
use vademecum::document::Hit;
use vademecum::error::{Error, Result};
use vademecum::eval::answered_by_rule;

/// Passages that are printed if there is no answer.
const NEAREST: usize = 3;

/// Answers a question.
///
/// # Errors
/// Those of the library, the model and the question.
pub(crate) fn ask(arguments: &Ask, output: Output) -> Result<Exit> {
    let filters = filter(&arguments.scope)?;
    let opened = open(&arguments.library, &arguments.scope.model, output)?;
    if opened.has_meaning && opened.kb.is_uncalibrated()? {
        // Tells a passage about something else from one that answers.
        block_on(opened.kb.calibrate())?;
    }
    let pipeline = json!({
        "question": arguments.question,
        "filters": filters,
        "collections": collections(&arguments.scope),
        "steps": [{ "step": "search" }, { "step": "answer" }],
    });
    let context = block_on(answered_by_rule(&opened.kb, pipeline, &*opened.host))?;
    if let Some(StepError { code, message, retryable, .. }) = context.log.error {
        let unknown = || Error::internal(format!("The search failed ({code}): {message}"));
        return Err(Error::relayed(&code, message.clone(), retryable).unwrap_or_else(unknown));
    }
    output.result(&context, || text(&context))?;
    let is_answered = context.answer.is_some() && !context.abstained;
    Ok(if is_answered { Exit::Done } else { Exit::Partly })
}

/// Returns the sentence that comes nearest, in one line.
fn nearest(context: &Context) -> Option<String> {
    let nearest = context.nearest.as_ref()?;
    let chunk = &context.context_used.get(nearest.number.checked_sub(1)?)?.chunk;
    let within =
        nearest.span.start.checked_sub(chunk.span.start)?..nearest.span.end.checked_sub(chunk.span.start)?;
    let units: Vec<u16> = chunk.text.encode_utf16().collect();
    let sentence = String::from_utf16_lossy(units.get(within)?);
    Some(sentence.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn text(context: &Context) -> String {
    let mut text = context.answer.clone().unwrap_or_else(|| "The library does not say.".into());
    text.push('\n');
    // Writing to a string cannot fail.
    if let Some(reason) = &context.reason {
        let _ = writeln!(text, "{reason}");
    }
    if let Some(query) = &context.did_you_mean {
        let _ = writeln!(text, "Did you mean: {query}");
    }
    if context.abstained || context.citations.is_empty() {
        if let Some(sentence) = nearest(context) {
            let _ = writeln!(text, "\nThe nearest sentence, which may not answer:\n  {sentence}");
        }
        if !context.context_used.is_empty() {
            text.push_str("\nThe nearest passages:\n");
        }
        for hit in context.context_used.iter().take(NEAREST) {
            let _ = writeln!(text, "- {}\n  {}", source(&hit.chunk), beginning(&hit.chunk));
        }
        return text.trim_end().to_owned();
    }
    let cited: BTreeSet<usize> = context.citations.iter().map(|citation| citation.number).collect();
    let passage = |number: usize| -> Option<&Hit> { context.context_used.get(number.checked_sub(1)?) };
    text.push('\n');
    for (number, hit) in cited.into_iter().filter_map(|number| Some((number, passage(number)?))) {
        let _ = writeln!(text, "[{number}] {}", source(&hit.chunk));
    }
    text.trim_end().to_owned()
}
