//! What all planners share: the parts of a question, reasons, and the intent and form that a plan names.

use crate::context::Context;
use crate::coverage::conditions;
use crate::plan::{Format, Intent};
use crate::reply::json::{field, text};
use serde_json::Value;
use std::collections::BTreeSet;
use vademecum_protocol::error::excerpt;
use vademecum_text::terms::is_blank;

/// Letters of a sub-question. What is longer is no simpler question.
const LONGEST: usize = 500;
/// Letters of a model's reasons.
const REASONING: usize = 500;

/// A thought with the reasons that a model gave for it.
pub(super) fn with_reasoning(text: String, reasoning: &str) -> String {
    if reasoning.is_empty() { text } else { format!("{text} Reasoning: {reasoning}") }
}

/// The reasons that a model gives beside what it was asked for.
pub(super) fn reasoning_of(value: &Value) -> String {
    let said = field(value, &["reasoning", "reason", "why"]).and_then(text);
    said.map(|said| excerpt(&said, REASONING)).unwrap_or_default()
}

/// The questions, each once; none where there are not at least two, because the question itself is then searched.
pub(super) fn distinct(questions: Vec<String>, asked: &str, max: usize) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let key = |question: &str| -> String {
        question.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let mut kept: Vec<String> = questions
        .iter()
        .map(|question| excerpt(&numberless(question), LONGEST))
        .filter(|question| !is_blank(question) && seen.insert(key(question)))
        .collect();
    // Beside its parts the whole adds nothing.
    if kept.len() > 2 {
        kept.retain(|question| key(question) != key(asked));
    }
    kept.truncate(max);
    if kept.len() < 2 { Vec::new() } else { kept }
}

/// Without the number that lists begin with: `1. What …`.
pub(super) fn numberless(question: &str) -> String {
    let rest = question.trim().trim_start_matches(|letter: char| letter.is_ascii_digit());
    match rest.strip_prefix(['.', ')', ':']) {
        Some(text) if rest.len() < question.trim().len() && text.starts_with(' ') => text.trim().to_owned(),
        _ => question.trim().trim_start_matches(['-', '*', '•']).trim().to_owned(),
    }
}

/// The intent that the plan names.
pub(super) fn intent(context: &Context) -> Intent {
    let said = context.plan.as_ref().and_then(|plan| plan.get("intent"));
    said.and_then(|said| serde_json::from_value(said.clone()).ok()).unwrap_or_default()
}

/// The form that the plan says the answer is wanted in.
pub fn format(context: &Context) -> Format {
    let said = context.plan.as_ref().and_then(|plan| plan.get("outputPreferences")?.get("format"));
    said.and_then(|said| serde_json::from_value(said.clone()).ok()).unwrap_or_default()
}

/// The conditions that words of the question stand for, as the plan holds them, and those that hold since.
pub(super) fn held(context: &Context) -> Vec<Value> {
    let planned = context.plan.as_ref().and_then(|plan| plan.get("filters")?.as_array().cloned());
    planned.into_iter().flatten().chain(stated(context)).collect()
}

/// The conditions that the question states, beside those that the caller demands.
pub(super) fn stated(context: &Context) -> Vec<Value> {
    let own = conditions(context.workspace.progress.own_filters.as_ref());
    conditions(context.filters.as_ref()).into_iter().filter(|one| !own.contains(one)).collect()
}
