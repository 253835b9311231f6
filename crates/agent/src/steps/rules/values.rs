//! Conditions that a question states by a value alone: "invoices from Acme" where some vendor goes by that name.

use super::words::words_of;
use crate::library::Library;
use crate::plan::{Kind, Proposed, fields};
use crate::ports::CollectionView;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use vademecum_protocol::document::shown;
use vademecum_text::terms::words;

/// Letters that a value has at least: "A" is in every question.
const SHORTEST: usize = 3;

/// The conditions whose values the question names. For questions that want documents: of any other, a name says what it is
/// about, and documents that only tell of it would be hidden.
pub(in super::super) fn conditions(
    question: &str,
    collections: &[CollectionView],
    searcher: &Library<'_>,
) -> Vec<Proposed> {
    let low = question.to_lowercase();
    let words = words_of(question);
    let asked: Vec<&str> = words.iter().map(|word| word.text).filter(|word| is_name(word)).collect();
    let mut found: BTreeMap<String, Vec<(String, Value)>> = BTreeMap::new();
    for view in collections {
        for (field, _) in fields(&[view]).iter().filter(|(_, kinds)| kinds.as_slice() == [Kind::String]) {
            for (value, _) in searcher.values(&view.name, field, None) {
                if let Some(written) = named(&shown(&value), &low, &asked) {
                    let of_field = found.entry((*field).to_owned()).or_default();
                    if of_field.iter().all(|(_, known)| *known != value) {
                        of_field.push((written, value));
                    }
                }
            }
        }
    }
    let holding = |name: &str| {
        found.values().filter(|values| values.iter().any(|(written, _)| written == name)).count()
    };
    let mut kept = Vec::new();
    for (field, values) in &found {
        // The same name as a value of two fields: only one of them can be meant, and which is in doubt.
        if values.iter().any(|(written, _)| holding(written) > 1) {
            continue;
        }
        let names: BTreeSet<&str> = values.iter().map(|(written, _)| written.as_str()).collect();
        let (operator, value) = match names.first() {
            Some(one) if names.len() == 1 => ("contains", json!(one)),
            _ => ("in", values.iter().map(|(_, value)| value.clone()).collect()),
        };
        kept.push(Proposed { field: field.clone(), operator: operator.into(), raw_text: None, value });
    }
    kept
}

/// What a value is looked for by, if the question names it: the whole value, or the name that it begins with.
fn named(value: &str, low: &str, asked: &[&str]) -> Option<String> {
    let plain = value.trim().to_lowercase();
    let is_whole = plain.chars().count() >= SHORTEST && holds(low, &plain);
    // A whole value that is a common word is no name: "open" in "which file should I open".
    if is_whole && (plain.contains(' ') || asked.iter().any(|word| word.to_lowercase() == plain)) {
        return Some(value.trim().to_owned());
    }
    let first = words(value).next().map(|(_, word)| word)?;
    let name = asked
        .iter()
        .find(|word| word.chars().count() >= SHORTEST && word.to_lowercase() == first.to_lowercase())?;
    is_name(first).then(|| (*name).to_owned())
}

/// Whether a text stands in another as whole words.
fn holds(text: &str, part: &str) -> bool {
    let is_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    text.match_indices(part).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + part.len()..).and_then(|behind| behind.chars().next());
        !is_word(before) && !is_word(behind)
    })
}

/// A word with a capital letter or a digit.
fn is_name(word: &str) -> bool {
    word.chars().any(|letter| letter.is_uppercase() || letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_named_as_a_whole_or_by_the_name_it_begins_with() {
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
