//! Answers that a caller's reader, such as a model for extractive question answering, finds in the evidence.

use super::quote::Quote;
use crate::errors::function_result;
use crate::run::Run;
use crate::step_id::StepId;
use serde::Deserialize;
use serde_json::{Value, json};
use vademecum_grounding::answerable::ABSTAIN_BELOW;
use vademecum_grounding::utf16::Utf16;
use vademecum_protocol::document::{Hit, Span};
use vademecum_protocol::error::{Result, excerpt};

/// Number of passages that are read, the best ones.
const READ: usize = 10;

/// What a reader finds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reading {
    /// The words that answer, if that is probable.
    pub(super) quote: Option<Quote>,
    /// The probability that a passage has an answer.
    pub(super) probability: f32,
}

/// The words of a passage that may answer, in UTF-16 code units of its text.
#[derive(Deserialize)]
struct Found {
    start: usize,
    end: usize,
    probability: f32,
}

/// Has the reader `name` read the evidence. `None` without evidence, or if the reader fails, which is reported.
pub(super) async fn read(
    run: &Run<'_>,
    step: &StepId,
    name: &str,
    question: &str,
    evidence: &[Hit],
) -> Result<Option<Reading>> {
    let hits = evidence.get(..READ).unwrap_or(evidence);
    if hits.is_empty() {
        return Ok(None);
    }
    let input = json!({ "question": question, "chunks": hits });
    let output = run.call_function(step, name, &input).await;
    match output.and_then(|output| best(&output, hits)) {
        Ok(reading) => Ok(Some(reading)),
        Err(error) => {
            run.fall_back(step, error, "the best sentences of the passages")?;
            Ok(None)
        }
    }
}

/// Returns the most probable of the answers, one per passage or null.
fn best(output: &Value, hits: &[Hit]) -> Result<Reading> {
    let wrong = || {
        let expected = "{ start, end, probability } or null for each chunk, with places in its text";
        function_result("the reader", expected, &excerpt(&output.to_string(), 80))
    };
    let found: Vec<Option<Found>> = Vec::deserialize(output).map_err(|_| wrong())?;
    if found.len() != hits.len() {
        return Err(wrong());
    }
    let mut reading = Reading { quote: None, probability: 0.0 };
    for (number, (found, hit)) in (1..).zip(found.into_iter().zip(hits)) {
        let Some(Found { start, end, probability }) = found else { continue };
        let (text, within) = (&hit.chunk.text, Span { start, end });
        let bytes = Utf16::new(text).bytes(text, within).filter(|bytes| !bytes.is_empty());
        let Some(bytes) = bytes.filter(|_| (0.0..=1.0).contains(&probability)) else { return Err(wrong()) };
        if probability <= reading.probability {
            continue;
        }
        let words = text.get(bytes).unwrap_or_default();
        let span = Span { start: hit.chunk.span.start + start, end: hit.chunk.span.start + end };
        let quote = Quote { number, text: words.split_whitespace().collect::<Vec<_>>().join(" "), span };
        reading = Reading { quote: Some(quote), probability };
    }
    reading.quote.take_if(|_| reading.probability < ABSTAIN_BELOW);
    Ok(reading)
}
