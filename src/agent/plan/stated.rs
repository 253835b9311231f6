//! Whether the question states a condition. A model that was asked for conditions likes to have some, and takes their
//! values from an example or from what is likely.

use super::condition::Condition;
use super::numbers::{is_date, number};
use crate::agent::claim::claimed_terms;
use crate::text::terms::{terms, words};
use serde_json::Value;
use std::collections::BTreeSet;

/// What a question says that a value may be compared with.
pub(super) struct Stated {
    low: String,
    words: BTreeSet<String>,
    numbers: Vec<f64>,
}

impl Stated {
    /// Reads a question.
    pub(super) fn new(question: &str) -> Self {
        let words = claimed_terms(question).union(&plain_words(question)).cloned().collect();
        let marks = |letter: char| !letter.is_alphanumeric() && !"$€£¥".contains(letter);
        let written: Vec<&str> = question.split_whitespace().map(|word| word.trim_matches(marks)).collect();
        // `2 million` is a number in two words.
        let pairs = written.iter().zip(written.iter().skip(1)).map(|(one, two)| format!("{one} {two}"));
        let single = written.iter().map(|word| (*word).to_owned());
        // Years within dates, and numbers as words.
        let parts = question.split(|letter: char| !letter.is_ascii_digit()).filter(|part| part.len() == 4);
        let claimed = claimed_terms(question);
        let all = single.chain(pairs).chain(parts.map(str::to_owned)).chain(claimed);
        Self { low: question.to_lowercase(), words, numbers: all.filter_map(|text| number(&text)).collect() }
    }

    /// Whether the question states a condition: its values, or, where that is yes or no, the field it is about.
    pub(super) fn states(&self, condition: &Condition) -> bool {
        match &condition.value {
            Value::Bool(_) => self.names(&condition.field),
            Value::Array(values) => values
                .iter()
                .all(|value| self.holds(value) || value.is_boolean() && self.names(&condition.field)),
            one => self.holds(one),
        }
    }

    /// `is_paid` is named by "unpaid", too.
    fn names(&self, field: &str) -> bool {
        let plain = field.replace(['-', '_', '.', '/'], " ");
        terms(&plain).iter().any(|term| term.text.chars().count() > 2 && self.low.contains(&term.text))
    }

    fn holds(&self, value: &Value) -> bool {
        let known =
            |wanted: f64| self.numbers.iter().any(|one| (one - wanted).abs() < 1e-9 * wanted.abs().max(1.0));
        match value {
            Value::Number(wanted) => wanted.as_f64().is_some_and(known),
            Value::String(text) => {
                let year = text.get(..4).filter(|_| is_date(text)).and_then(number);
                year.is_some_and(known) || !self.words.is_disjoint(&about(text))
            }
            _ => false,
        }
    }
}

/// The terms of a text; its words, where it has none but stop words.
fn about(text: &str) -> BTreeSet<String> {
    let terms = claimed_terms(text);
    if terms.is_empty() { plain_words(text) } else { terms }
}

fn plain_words(text: &str) -> BTreeSet<String> {
    words(text).map(|(_, word)| word.to_lowercase()).collect()
}
