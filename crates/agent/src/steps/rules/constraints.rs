//! Conditions on fields that a question states beyond doubt: "a total over $1k", "signed since 2021".
//!
//! A condition that was not meant hides documents, so the field must be named, or be the only one the words can mean,
//! and what stands behind a number must not be a unit of something else.

use super::words::stems;
use crate::plan::{Kind, Proposed, fields, is_date, number, year};
use crate::ports::CollectionView;
use serde_json::{Value, json};

/// Words before an amount, and before a time.
const AMOUNTS: [(&[&str], &str); 16] = [
    (&["more", "than"], ">"),
    (&["greater", "than"], ">"),
    (&["over"], ">"),
    (&["above"], ">"),
    (&["exceeding"], ">"),
    (&[">"], ">"),
    (&[">="], ">="),
    (&["at", "least"], ">="),
    (&["less", "than"], "<"),
    (&["fewer", "than"], "<"),
    (&["under"], "<"),
    (&["below"], "<"),
    (&["<"], "<"),
    (&["<="], "<="),
    (&["at", "most"], "<="),
    (&["up", "to"], "<="),
];
const TIMES: [(&[&str], &str); 13] = [
    (&["in", "the", "year"], "="),
    (&["of", "the", "year"], "="),
    (&["for", "the", "year"], "="),
    (&["of"], "="),
    (&["in"], "="),
    (&["during"], "="),
    (&["after"], ">"),
    (&["since"], ">="),
    (&["from"], ">="),
    (&["before"], "<"),
    (&["until"], "<="),
    (&["till"], "<="),
    (&["up", "to"], "<="),
];
/// What an amount of money is called.
const MONEY: [&str; 11] =
    ["amount", "total", "price", "cost", "sum", "value", "fee", "salary", "revenue", "budget", "payment"];
const CURRENCIES: [&str; 6] = ["usd", "eur", "gbp", "dollars", "euros", "pounds"];
const SCALES: [&str; 3] = ["thousand", "million", "billion"];

/// The conditions a question states on the fields of these collections.
pub(in super::super) fn conditions(question: &str, collections: &[CollectionView]) -> Vec<Proposed> {
    let tokens: Vec<&str> = question
        .split_whitespace()
        .map(|token| token.trim_matches(|letter: char| "?,;:()\"'!".contains(letter)).trim_end_matches('.'))
        .filter(|token| !token.is_empty())
        .collect();
    let low: Vec<String> = tokens.iter().map(|token| token.to_lowercase()).collect();
    let low: Vec<&str> = low.iter().map(String::as_str).collect();
    let views: Vec<&CollectionView> = collections.iter().collect();
    let asked =
        Asked { fields: fields(&views).into_iter().collect(), stems: stems(question).into_iter().collect() };
    let mut found = Vec::new();
    for at in 0..low.len() {
        let Some(rest) = low.get(at..) else { break };
        let hit = range(rest, &asked).or_else(|| moment(rest, &asked)).or_else(|| amount(rest, &asked));
        if let Some((field, operator, value, length)) = hit {
            let raw_text = tokens.get(at..at + length).map(|words| words.join(" "));
            found.push(Proposed { field: field.to_owned(), operator: operator.to_owned(), value, raw_text });
        }
    }
    found
}

/// Field, operator, value, and how many words it took.
type Hit<'a> = (&'a str, &'static str, Value, usize);

struct Asked<'a> {
    fields: Vec<(&'a str, Vec<Kind>)>,
    stems: Vec<String>,
}

fn amount<'a>(words: &[&str], asked: &Asked<'a>) -> Option<Hit<'a>> {
    let (phrase, operator) = AMOUNTS.iter().find(|(phrase, _)| words.starts_with(phrase))?;
    let (value, field, length) = asked.number(words.get(phrase.len()..)?)?;
    Some((field, operator, value, phrase.len() + length))
}

fn moment<'a>(words: &[&str], asked: &Asked<'a>) -> Option<Hit<'a>> {
    let (phrase, operator) = TIMES.iter().find(|(phrase, _)| words.starts_with(phrase))?;
    let (field, value) = asked.time(words.get(phrase.len())?)?;
    Some((field, operator, value, phrase.len() + 1))
}

/// "between 2021 and 2023", "from 2021 to 2023".
fn range<'a>(words: &[&str], asked: &Asked<'a>) -> Option<Hit<'a>> {
    let [lead, first, middle, last, ..] = words else { return None };
    if !matches!((*lead, *middle), ("between", "and") | ("from", "to" | "until" | "till")) {
        return None;
    }
    if let (Some((field, low)), Some((other, high))) = (asked.time(first), asked.time(last)) {
        return (field == other).then(|| (field, "between", json!([low, high]), 4));
    }
    let (high, field, length) = asked.number(words.get(3..)?)?;
    Some((field, "between", json!([number(first)?, high]), 3 + length))
}

impl<'a> Asked<'a> {
    /// The fields of a type that `fits`, with how many words of their names the question says.
    fn one(&self, kind: Kind, fits: impl Fn(&[String]) -> bool) -> Option<&'a str> {
        let mut found = self.fields.iter().filter(|(name, kinds)| {
            let words: Vec<String> = stems(&name.replace(['-', '.'], " ")).into_iter().collect();
            kinds.as_slice() == [kind] && fits(&words)
        });
        let (name, _) = found.next()?;
        found.next().is_none().then_some(*name)
    }

    fn says(&self, words: &[String]) -> bool {
        words.iter().any(|word| self.stems.contains(word))
    }

    /// A year goes with the one field that is a year; any time with the one date field that the question names.
    fn time(&self, word: &str) -> Option<(&'a str, Value)> {
        let is_year = |words: &[String]| words.iter().any(|word| word == "year");
        if let (Some(year), Some(field)) = (year(word), self.one(Kind::Number, is_year)) {
            return Some((field, json!(year)));
        }
        (year(word).is_some() || (is_date(word) && word.contains('-')))
            .then(|| Some((self.one(Kind::Date, |words| self.says(words))?, json!(word))))
            .flatten()
    }

    /// A number goes with the one number field that the question names, or, if it is money, that is money.
    fn number(&self, words: &[&str]) -> Option<(Value, &'a str, usize)> {
        let first = words.first()?;
        let scale = words.get(1).filter(|word| SCALES.contains(*word));
        let value = number(&format!("{first} {}", scale.unwrap_or(&"")))?;
        let length = 1 + usize::from(scale.is_some());
        let unit = words.get(length).copied().unwrap_or_default();
        let in_currency = CURRENCIES.contains(&unit);
        let is_money = in_currency || first.starts_with(['$', '€', '£', '¥']);
        let money = stems(&MONEY.join(" "));
        let not_year = |words: &[String]| !words.iter().any(|word| word == "year");
        let field = self.one(Kind::Number, |words| not_year(words) && self.says(words)).or_else(|| {
            let fits = |words: &[String]| not_year(words) && words.iter().any(|word| money.contains(word));
            is_money.then(|| self.one(Kind::Number, fits)).flatten()
        });
        // A bare number can only mean the one field that holds numbers.
        let field =
            field.or_else(|| stems(unit).is_empty().then(|| self.one(Kind::Number, not_year)).flatten())?;
        // "more than 30 days" says nothing of a price.
        let (unit, of_field) = (stems(unit), stems(field));
        let clear = in_currency || unit.is_empty() || unit.iter().any(|word| of_field.contains(word));
        let value = if value.fract() == 0.0 { json!(value as i64) } else { json!(value) };
        clear.then_some((value, field, length + usize::from(in_currency)))
    }
}
