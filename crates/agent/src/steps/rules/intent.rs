//! Recognises the intent of a question by its words.

use super::words::{after, words_of};
use crate::plan::{Format, Intent};

/// Returns the intent of a question; `Qa` by default.
pub(in super::super) fn intent(question: &str) -> Intent {
    let low = question.trim().to_lowercase();
    let words = words_of(&low);
    let holds = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.low.as_str()));
    let begins = |phrases: &[&str]| phrases.iter().any(|phrase| after(&low, phrase).is_some());
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| low.contains(phrase));
    if holds(&["compare", "comparison", "versus", "vs", "differ", "difference", "differences"]) {
        Intent::Compare
    } else if begins(&["summarize", "summarise", "sum up", "recap"])
        || says(&["summary of", "overview of", "tl;dr", "main points", "key points"])
    {
        Intent::Summarize
    } else if begins(&["how many", "count", "calculate", "compute"])
        || holds(&["average", "sum"])
        || says(&["in total", "total number", "total amount of", "add up"])
    {
        Intent::Compute
    } else if begins(&[
        "list",
        "show all",
        "show me all",
        "find all",
        "name all",
        "give me all",
        "find",
        "enumerate",
    ]) || says(&["list of", "list all", "what are all", "which of the"])
    {
        Intent::List
    } else {
        Intent::Qa
    }
}

/// Returns the form that a question requests explicitly.
pub(in super::super) fn format(question: &str) -> Option<Format> {
    let words = words_of(question);
    // "Table of parties", "Show a table of …": the table is requested, not asked about.
    let starts = ["table", "make", "show", "give", "draw", "create", "build"];
    let asked_for = words.first().is_some_and(|first| starts.contains(&first.low.as_str()));
    if asked_for && words.iter().take(4).any(|word| word.low == "table") {
        return Some(Format::Table);
    }
    let after_in_a = words.windows(3).find_map(|three| match three {
        [lead, article, form] if matches!(lead.low.as_str(), "in" | "as") && article.low == "a" => {
            Some(form.low.clone())
        }
        _ => None,
    })?;
    match after_in_a.as_str() {
        "table" => Some(Format::Table),
        "list" => Some(Format::List),
        _ => None,
    }
}
