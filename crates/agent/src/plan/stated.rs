//! Checks whether the question states a condition. Models asked for conditions tend to invent some, with values from the example
//! or from what is likely.

use super::condition::Condition;
use super::numbers::{is_date, number};
use serde_json::Value;
use std::collections::BTreeSet;
use vademecum_grounding::claim::claimed_terms;
use vademecum_text::months::MONTHS;
use vademecum_text::terms::{terms, words};

/// The parts of a question that values are compared with.
pub(super) struct Stated {
    low: String,
    words: BTreeSet<String>,
    numbers: Vec<f64>,
    /// Months and days: numbers of one or two digits, and months by name.
    days: BTreeSet<u32>,
    denies: bool,
}

/// Legal forms of companies, which people omit.
const COMPANY_FORMS: [&str; 20] = [
    "ab",
    "ag",
    "bv",
    "co",
    "company",
    "corp",
    "corporation",
    "gmbh",
    "group",
    "inc",
    "incorporated",
    "kg",
    "limited",
    "llc",
    "llp",
    "ltd",
    "nv",
    "plc",
    "sa",
    "srl",
];
/// Words of exclusion.
const DENIALS: [&str; 11] =
    ["not", "no", "except", "excluding", "exclude", "without", "but", "other", "besides", "outside", "never"];

impl Stated {
    /// Parses a question.
    pub(super) fn new(question: &str) -> Self {
        let words = claimed_terms(question).union(&plain_words(question)).cloned().collect();
        let marks = |letter: char| !letter.is_alphanumeric() && !"$€£¥".contains(letter);
        let written: Vec<&str> = question.split_whitespace().map(|word| word.trim_matches(marks)).collect();
        // `2 million` is one number in two words.
        let pairs = written.iter().zip(written.iter().skip(1)).map(|(one, two)| format!("{one} {two}"));
        let single = written.iter().map(|word| (*word).to_owned());
        // Years within dates, and numerals.
        let parts = question.split(|letter: char| !letter.is_ascii_digit()).filter(|part| part.len() == 4);
        let claimed = claimed_terms(question);
        let all = single.chain(pairs).chain(parts.map(str::to_owned)).chain(claimed);
        let plain = plain_words(question);
        let is_month = |word: &String, month: &str| {
            word == month || (matches!(word.len(), 3 | 4) && month.starts_with(word.as_str()))
        };
        let month =
            |word: &String| (1..).zip(MONTHS).find(|(_, month)| is_month(word, month)).map(|(at, _)| at);
        let digits = question.split(|letter: char| !letter.is_ascii_digit()).filter(|part| part.len() < 3);
        Self {
            low: question.to_lowercase(),
            words,
            numbers: all.filter_map(|text| number(&text)).collect(),
            days: plain.iter().filter_map(month).chain(digits.filter_map(|part| part.parse().ok())).collect(),
            denies: plain.iter().any(|word| DENIALS.contains(&word.as_str()) || word.ends_with("n't")),
        }
    }

    /// Returns whether the question states a condition: all its values or, for a boolean, the field.
    pub(super) fn states(&self, condition: &Condition) -> bool {
        let (values, operator) = (&condition.value, condition.operator);
        let yes_or_no = |value: &Value| value.is_boolean() && self.names(&condition.field);
        let stated = |value: &Value| self.holds(value, operator) || yes_or_no(value);
        let all = values.as_array().map_or_else(|| stated(values), |values| values.iter().all(stated));
        // An invented exclusion could hide exactly what is asked for.
        let denied = matches!(operator, "!=" | "not_in") && !values.is_boolean();
        all && (self.denies || !denied)
    }

    /// Returns whether the question names a field. "Unpaid" names `is_paid`.
    fn names(&self, field: &str) -> bool {
        let plain = field.replace(['-', '_', '.', '/'], " ");
        terms(&plain).iter().any(|term| term.text.chars().count() > 2 && self.low.contains(&term.text))
    }

    /// Returns whether the question states the month and day of a date, as far as it has them. "Of May 2023" also states the
    /// first and last day of May, and "of 2023" those of the year.
    fn holds_day(&self, date: &str, operator: &str) -> bool {
        let day = date.split('T').next().unwrap_or_default();
        let mut parts = day.split('-').skip(1).filter_map(|part| part.parse::<u32>().ok());
        let (month, day) = (parts.next(), parts.next());
        let stated = |part: Option<u32>| part.is_none_or(|part| self.days.contains(&part));
        let is_last = |day: u32| {
            let next = date.get(..7).map(|month| format!("{month}-{:02}", day + 1));
            next.is_some_and(|next| !is_date(&next))
        };
        let begins = matches!(operator, ">=" | "<" | "between") && day.is_none_or(|day| day == 1);
        let ends = matches!(operator, "<=" | ">" | "between") && day.is_none_or(is_last);
        (stated(month) && (stated(day) || begins || ends))
            || (begins && month == Some(1))
            || (ends && month == Some(12))
    }

    fn holds(&self, value: &Value, operator: &str) -> bool {
        let known =
            |wanted: f64| self.numbers.iter().any(|one| (one - wanted).abs() < 1e-9 * wanted.abs().max(1.0));
        match value {
            Value::Number(wanted) => wanted.as_f64().is_some_and(known),
            Value::String(text) => {
                let year = text.get(..4).filter(|_| is_date(text)).and_then(number);
                match year {
                    Some(year) => known(year) && self.holds_day(text, operator),
                    None => about(text).is_subset(&self.words),
                }
            }
            _ => false,
        }
    }
}

/// Returns the distinctive terms of a text, without legal forms; all its words if only stop words are left.
fn about(text: &str) -> BTreeSet<String> {
    let is_form = |term: &String| COMPANY_FORMS.iter().any(|form| claimed_terms(form).contains(term));
    let mut terms = claimed_terms(text);
    if !terms.iter().all(is_form) {
        terms.retain(|term| !is_form(term));
    }
    if terms.is_empty() { plain_words(text) } else { terms }
}

fn plain_words(text: &str) -> BTreeSet<String> {
    words(text).map(|(_, word)| word.to_lowercase()).collect()
}
