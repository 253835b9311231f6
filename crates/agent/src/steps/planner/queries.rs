//! The questions that a planner makes of one question.

use std::collections::BTreeSet;
use vademecum_protocol::error::excerpt;
use vademecum_text::terms::is_blank;

/// Maximum letters of a sub-question. A longer one is no simpler question.
const LONGEST: usize = 500;

/// Removes duplicates. Returns none where fewer than two are left, because the question itself is then searched.
pub(in crate::steps) fn distinct(questions: Vec<String>, asked: &str, max: usize) -> Vec<String> {
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

/// Removes the number that an item of a list begins with: `1. What …`.
pub(in crate::steps) fn numberless(question: &str) -> String {
    let rest = question.trim().trim_start_matches(|letter: char| letter.is_ascii_digit());
    match rest.strip_prefix(['.', ')', ':']) {
        Some(text) if rest.len() < question.trim().len() && text.starts_with(' ') => text.trim().to_owned(),
        _ => question.trim().trim_start_matches(['-', '*', '•']).trim().to_owned(),
    }
}
