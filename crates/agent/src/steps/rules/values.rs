//! Extracts conditions that a question states only by a value: "invoices from Acme", if a vendor has that name.

use super::tokens::{denied, low_tokens};
use super::words::words_of;
use crate::library::Library;
use crate::plan::{Kind, Proposed, fields, number};
use crate::ports::CollectionView;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use vademecum_protocol::document::shown;
use vademecum_text::terms::words;

/// Minimum number of characters of a value: "A" is in every question.
const MIN_VALUE: usize = 3;

/// Returns the conditions whose values the question names. Only for questions for documents: in others a name is the topic, and
/// documents that merely mention it would be hidden.
pub(in super::super) fn conditions(
    question: &str,
    collections: &[CollectionView],
    searcher: &Library<'_>,
) -> Vec<Proposed> {
    let low = question.to_lowercase();
    let words = words_of(question);
    let asked: Vec<&str> = words.iter().map(|word| word.text).filter(|word| is_name(word)).collect();
    let mut found: BTreeMap<String, Vec<(String, Value)>> = BTreeMap::new();
    let mut others: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for view in collections {
        for (field, _) in fields(&[view]).iter().filter(|(_, kinds)| kinds.as_slice() == [Kind::String]) {
            for (value, _) in searcher.values(&view.name, field, None) {
                let Some(written) = named(&shown(&value), &low, &asked) else {
                    others.entry((*field).to_owned()).or_default().push(shown(&value).to_lowercase());
                    continue;
                };
                let of_field = found.entry((*field).to_owned()).or_default();
                if of_field.iter().all(|(_, known)| *known != value) {
                    of_field.push((written, value));
                }
            }
        }
    }
    let holding = |name: &str| {
        found.values().filter(|values| values.iter().any(|(written, _)| written == name)).count()
    };
    let mut kept = Vec::new();
    for (field, values) in &found {
        // A name that is a value of two fields is ambiguous.
        if values.iter().any(|(written, _)| holding(written) > 1) {
            continue;
        }
        let names: BTreeSet<&str> = values.iter().map(|(written, _)| written.as_str()).collect();
        let all: Value = values.iter().map(|(_, value)| value.clone()).collect();
        let denials: Vec<Option<String>> = names.iter().map(|name| denial(question, name, field)).collect();
        let is_part = |name: &str| {
            let low = name.to_lowercase();
            others.get(field).is_some_and(|others| others.iter().any(|other| other.contains(&low)))
        };
        let (operator, value, raw_text) = match (names.first(), denials.iter().flatten().next()) {
            // Negated for only some of the values is ambiguous.
            (_, Some(_)) if denials.iter().any(Option::is_none) => continue,
            (_, Some(said)) => ("not_in", all, Some(said.clone())),
            (Some(one), None) if names.len() == 1 && !is_part(one) => ("contains", json!(one), None),
            _ => ("in", all, None),
        };
        kept.push(Proposed { field: field.clone(), operator: operator.into(), raw_text, value, or: None });
    }
    kept
}

/// Returns the words from a negation to the name that it negates, if there is one.
fn denial(question: &str, name: &str, field: &str) -> Option<String> {
    let low = low_tokens(question);
    let first = low_tokens(name).into_iter().next()?;
    let at = low.iter().position(|token| words(token).any(|(_, word)| word == first))?;
    let start = denied(&low, at, &low_tokens(&plain(field)))?;
    Some(low.get(start..at)?.join(" "))
}

/// Returns the conditions for values that occur in a question as common words: "open" if a field has that value. The caller must
/// check that they leave no word of the question uninterpreted. `taken` are the fields that already have a condition.
pub(in super::super) fn common(
    question: &str,
    collections: &[CollectionView],
    searcher: &Library<'_>,
    taken: &[&str],
    known: &dyn Fn(&str) -> bool,
) -> Vec<Proposed> {
    let low = low_tokens(question);
    // Position, field and value of each match.
    let mut found: Vec<(Range<usize>, String, Value)> = Vec::new();
    for view in collections {
        for (field, kinds) in fields(&[view]) {
            let values: Vec<(Value, Vec<String>)> = match kinds.as_slice() {
                _ if taken.contains(&field) => continue,
                [Kind::String] => {
                    let values = searcher.values(&view.name, field, None).into_iter();
                    values.map(|(value, _)| (value.clone(), low_tokens(&shown(&value)))).collect()
                }
                [Kind::Number] => numbers(&low, field),
                _ => continue,
            };
            for (value, written) in values.iter().filter(|(_, written)| !written.is_empty()) {
                for at in places(&low, written) {
                    let one = (at, field.to_owned(), value.clone());
                    if !found.contains(&one) {
                        found.push(one);
                    }
                }
            }
        }
    }
    // A match within another is part of it, and a word known otherwise is no value: "tickets" in tickets.
    let is_new =
        |at: &Range<usize>| low.get(at.clone()).is_some_and(|all| all.iter().any(|word| !known(word)));
    let whole: Vec<Range<usize>> = found.iter().map(|(at, ..)| at.clone()).collect();
    let is_within = |at: &Range<usize>| {
        whole.iter().any(|other| other != at && other.start <= at.start && at.end <= other.end)
    };
    found.retain(|(at, ..)| is_new(at) && !is_within(at));
    let fields_at = |at: &Range<usize>| -> BTreeSet<&String> {
        found.iter().filter(|(other, ..)| other == at).map(|(_, field, _)| field).collect()
    };
    // A value of two fields is ambiguous, unless the name of one field is next to it.
    let sure: Vec<(Range<usize>, String, Value)> = found
        .iter()
        .filter(|(at, field, _)| fields_at(at).len() == 1 || is_beside(&low, at, field))
        .cloned()
        .collect();
    let names: BTreeSet<&String> = sure.iter().map(|(_, field, _)| field).collect();
    names.into_iter().filter_map(|field| of_field(&low, field, &sure)).collect()
}

/// Returns the condition for all named values of a field.
fn of_field(low: &[String], field: &str, found: &[(Range<usize>, String, Value)]) -> Option<Proposed> {
    let of_it: Vec<&(Range<usize>, String, Value)> = found.iter().filter(|(_, of, _)| of == field).collect();
    let names = low_tokens(&plain(field));
    let denials: Vec<Option<usize>> = of_it.iter().map(|(at, ..)| denied(low, at.start, &names)).collect();
    let mut values: Vec<Value> = Vec::new();
    for (_, _, value) in &of_it {
        if !values.contains(value) {
            values.push(value.clone());
        }
    }
    let denied = denials.first()?.is_some();
    if denials.iter().any(|one| one.is_some() != denied) {
        return None;
    }
    let start = of_it.iter().zip(&denials).map(|((at, ..), denial)| denial.unwrap_or(at.start)).min()?;
    let raw_text = if denied || of_it.len() == 1 {
        let end = of_it.iter().map(|(at, ..)| at.end).max()?;
        low.get(start..end).map(|words| words.join(" "))
    } else {
        None
    };
    let operator = if denied { "not_in" } else { "in" };
    let value = Value::Array(values);
    Some(Proposed { field: field.to_owned(), operator: operator.into(), value, raw_text, or: None })
}

/// Returns the numbers directly after the name of a numeric field: "priority 2".
fn numbers(low: &[String], field: &str) -> Vec<(Value, Vec<String>)> {
    let Some(last) = low_tokens(&plain(field)).pop() else { return Vec::new() };
    let mut found = Vec::new();
    for (at, _) in low.iter().enumerate().filter(|(_, word)| **word == last) {
        let between = low.get(at + 1).filter(|word| matches!(word.as_str(), "is" | "of" | "=" | "equals"));
        let value = low.get(at + 1 + usize::from(between.is_some()));
        if let Some((word, value)) = value.and_then(|word| Some((word, number(word)?))) {
            let value = if value.fract() == 0.0 { json!(value as i64) } else { json!(value) };
            found.push((value, vec![word.clone()]));
        }
    }
    found
}

/// Returns where a value occurs, in singular or plural: "nurses" for "nurse".
fn places(low: &[String], written: &[String]) -> Vec<Range<usize>> {
    let is = |said: &[String]| match (said, written) {
        ([said], [value]) => {
            said == value || said.strip_suffix('s') == Some(value) || {
                said.strip_suffix("es") == Some(value)
            }
        }
        _ => said == written,
    };
    let all = low.windows(written.len()).enumerate();
    all.filter(|(_, said)| is(said)).map(|(at, said)| at..at + said.len()).collect()
}

/// Returns whether the name of a field is directly before or after.
fn is_beside(low: &[String], at: &Range<usize>, field: &str) -> bool {
    let names = low_tokens(&plain(field));
    let before = at.start.checked_sub(1).and_then(|before| low.get(before));
    let before = match before.map(String::as_str) {
        Some("is" | "of" | "=" | "the") => at.start.checked_sub(2).and_then(|before| low.get(before)),
        _ => before,
    };
    before.is_some_and(|word| names.contains(word))
        || low.get(at.end).is_some_and(|word| names.contains(word))
}

fn plain(field: &str) -> String {
    field.replace(['-', '_', '.'], " ")
}

/// Returns the part of a value that the question names: all of it, or the name at its beginning.
fn named(value: &str, low: &str, asked: &[&str]) -> Option<String> {
    let plain = value.trim().to_lowercase();
    let is_whole = plain.chars().count() >= MIN_VALUE && holds(low, &plain);
    // A value that is a common word is no name: "open" in "which file should I open".
    if is_whole && (plain.contains(' ') || asked.iter().any(|word| word.to_lowercase() == plain)) {
        return Some(value.trim().to_owned());
    }
    let first = words(value).next().map(|(_, word)| word)?;
    let name = asked
        .iter()
        .find(|word| word.chars().count() >= MIN_VALUE && word.to_lowercase() == first.to_lowercase())?;
    is_name(first).then(|| (*name).to_owned())
}

/// Returns whether a text contains another as whole words.
fn holds(text: &str, part: &str) -> bool {
    let is_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    text.match_indices(part).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + part.len()..).and_then(|behind| behind.chars().next());
        !is_word(before) && !is_word(behind)
    })
}

/// Returns whether a word has a capital letter or a digit.
fn is_name(word: &str) -> bool {
    word.chars().any(|letter| letter.is_uppercase() || letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_named_as_a_whole_or_by_its_first_word() {
        let is = |value: &str, question: &str| {
            let asked: Vec<&str> =
                words_of(question).iter().map(|word| word.text).filter(|word| is_name(word)).collect();
            named(value, &question.to_lowercase(), &asked)
        };
        assert_eq!(is("ACME Corp", "Find ACME contracts").as_deref(), Some("ACME"));
        assert_eq!(is("Acme", "Find invoices over $1k from Acme").as_deref(), Some("Acme"));
        assert_eq!(is("NPN", "List NPN transistors").as_deref(), Some("NPN"));
        assert_eq!(is("open", "Which file should I open?"), None);
        assert_eq!(is("Find", "Finding nothing"), None);
        assert_eq!(is("Globex", "Find ACME contracts"), None);
    }
}
