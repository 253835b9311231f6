//! Extracts conditions on fields that a question states clearly: "a total over $1k", "signed since 2021".
//!
//! A wrong condition hides documents, so the field must be named or be the only possible one, and a unit after a number must
//! match it.

use super::tokens::{denied, low_tokens, tokens};
use super::words::stems;
use crate::plan::{Kind, Proposed, fields, is_date, number, year};
use crate::ports::CollectionView;
use serde_json::{Value, json};
use std::ops::Range;

/// Comparison phrases before an amount, with their operators.
const AMOUNTS: [(&[&str], &str); 36] = [
    (&["no", "more", "than"], "<="),
    (&["not", "more", "than"], "<="),
    (&["no", "less", "than"], ">="),
    (&["not", "less", "than"], ">="),
    (&["no", "fewer", "than"], ">="),
    (&["more", "than"], ">"),
    (&["greater", "than"], ">"),
    (&["larger", "than"], ">"),
    (&["bigger", "than"], ">"),
    (&["higher", "than"], ">"),
    (&["older", "than"], ">"),
    (&["longer", "than"], ">"),
    (&["heavier", "than"], ">"),
    (&["over"], ">"),
    (&["above"], ">"),
    (&["exceeding"], ">"),
    (&["exceed"], ">"),
    (&["exceeds"], ">"),
    (&[">"], ">"),
    (&[">="], ">="),
    (&["at", "least"], ">="),
    (&["less", "than"], "<"),
    (&["fewer", "than"], "<"),
    (&["smaller", "than"], "<"),
    (&["lower", "than"], "<"),
    (&["younger", "than"], "<"),
    (&["shorter", "than"], "<"),
    (&["lighter", "than"], "<"),
    (&["cheaper", "than"], "<"),
    (&["under"], "<"),
    (&["below"], "<"),
    (&["<"], "<"),
    (&["<="], "<="),
    (&["at", "most"], "<="),
    (&["up", "to"], "<="),
    (&["a", "maximum", "of"], "<="),
];
/// Words that imply a field without naming it, with words of such fields.
const MEANINGS: [(&[&str], &[&str]); 5] = [
    (&["older", "younger", "aged"], &["age"]),
    (&["heavier", "lighter", "weigh", "weighs", "weighing"], &["weight", "mass"]),
    (&["longer", "shorter", "take", "takes", "taking", "last", "lasts"], &TIME),
    (
        &["earn", "earns", "earning", "earned"],
        &["salary", "income", "wage", "pay", "earnings", "compensation"],
    ),
    (&["cheaper", "cost", "costs", "costing", "worth", "priced", "valued", "totaling", "totalling"], &MONEY),
];
const TIME: [&str; 9] =
    ["time", "duration", "length", "minutes", "hours", "days", "weeks", "months", "seconds"];
const TIMES: [(&[&str], &str); 13] = [
    (&["in", "the", "year"], "="),
    (&["of", "the", "year"], "="),
    (&["for", "the", "year"], "="),
    (&["of"], "="),
    (&["in"], "="),
    (&["during"], "="),
    (&["after"], ">"),
    (&["since"], ">="),
    (&["from"], "="),
    (&["before"], "<"),
    (&["until"], "<="),
    (&["till"], "<="),
    (&["up", "to"], "<="),
];
/// Words in the names of fields for amounts of money.
const MONEY: [&str; 11] =
    ["amount", "total", "price", "cost", "sum", "value", "fee", "salary", "revenue", "budget", "payment"];
const CURRENCIES: [&str; 6] = ["usd", "eur", "gbp", "dollars", "euros", "pounds"];
const SCALES: [&str; 3] = ["thousand", "million", "billion"];

/// Returns the field words that a lowercase word implies.
pub(in super::super) fn meant(low: &str) -> Option<&'static [&'static str]> {
    MEANINGS.iter().find(|(words, _)| words.contains(&low)).map(|(_, fields)| *fields)
}

/// Returns the conditions that a question states on fields of these collections.
pub(in super::super) fn conditions(question: &str, collections: &[CollectionView]) -> Vec<Proposed> {
    let tokens = tokens(question);
    let owned = low_tokens(question);
    let low: Vec<&str> = owned.iter().map(String::as_str).collect();
    let views: Vec<&CollectionView> = collections.iter().collect();
    let implied = low.iter().filter_map(|word| meant(word)).flat_map(|words| stems(&words.join(" ")));
    let asked = Asked {
        fields: fields(&views).into_iter().collect(),
        stems: stems(question).into_iter().chain(implied).collect(),
    };
    let text = |range: Range<usize>| tokens.get(range).map(|words| words.join(" "));
    let mut found: Vec<(Range<usize>, Proposed)> = Vec::new();
    let mut at = 0;
    while let Some(rest) = low.get(at..).filter(|rest| !rest.is_empty()) {
        let hit = range(rest, &asked).or_else(|| moment(rest, &asked)).or_else(|| amount(rest, &asked));
        let Some((field, operator, value, length)) = hit else {
            at += 1;
            continue;
        };
        let of_field: Vec<String> = stems(&plain(field)).into_iter().collect();
        let is_since = rest.first() == Some(&"from");
        let (start, operator) = match denied(&owned, at, &of_field) {
            Some(denial) => (denial, inverse(operator).filter(|_| !is_since)),
            None => (at, Some(operator)),
        };
        let place = start..at + length;
        at = place.end;
        if let Some(operator) = operator {
            let (field, operator) = (field.to_owned(), operator.to_owned());
            let proposed = Proposed { field, operator, value, raw_text: text(place.clone()), or: None };
            found.push((place, proposed));
        }
    }
    either(found, &low, text)
}

/// Combines conditions joined by "or": into one if they are on the same field. Otherwise drops them, because both together would
/// hide what only one of them excludes.
fn either(
    found: Vec<(Range<usize>, Proposed)>,
    low: &[&str],
    text: impl Fn(Range<usize>) -> Option<String>,
) -> Vec<Proposed> {
    let mut kept: Vec<(Range<usize>, Proposed)> = Vec::new();
    let mut dropped: Vec<Range<usize>> = Vec::new();
    for (place, one) in found {
        let last_end = kept.iter().map(|(place, _)| place.end).chain(dropped.iter().map(|one| one.end));
        let from = last_end.max().unwrap_or(place.start).min(place.start);
        let is_either = low.get(from..place.start).is_some_and(|between| between.contains(&"or"));
        match kept.last_mut() {
            Some((before, first)) if is_either && first.field == one.field => {
                *before = before.start..place.end;
                first.raw_text = text(before.clone());
                let before = first.or.take();
                first.or = Some(Box::new(Proposed { raw_text: None, or: before, ..one }));
            }
            _ if is_either => {
                dropped.extend(kept.pop().map(|(place, _)| place));
                dropped.push(place);
            }
            _ => kept.push((place, one)),
        }
    }
    kept.into_iter().map(|(_, one)| one).collect()
}

/// Returns the negation of a comparison; `None` if it is not a single condition.
fn inverse(operator: &str) -> Option<&'static str> {
    Some(match operator {
        ">" => "<=",
        ">=" => "<",
        "<" => ">=",
        "<=" => ">",
        _ => return None,
    })
}

fn plain(field: &str) -> String {
    field.replace(['-', '_', '.'], " ")
}

/// Field, operator, value, and number of words.
type Hit<'a> = (&'a str, &'static str, Value, usize);

struct Asked<'a> {
    fields: Vec<(&'a str, Vec<Kind>)>,
    stems: Vec<String>,
}

fn amount<'a>(words: &[&str], asked: &Asked<'a>) -> Option<Hit<'a>> {
    let (phrase, operator) = AMOUNTS.iter().find(|(phrase, _)| words.starts_with(phrase))?;
    let (value, field, length) = asked.number(words.get(phrase.len()..)?)?;
    // "Older than" refers to an age, whatever other numeric field there is.
    let about = phrase.iter().find_map(|word| meant(word));
    let of_field = stems(&plain(field));
    let fits = about.is_none_or(|words| !stems(&words.join(" ")).is_disjoint(&of_field));
    fits.then_some((field, operator, value, phrase.len() + length))
}

fn moment<'a>(words: &[&str], asked: &Asked<'a>) -> Option<Hit<'a>> {
    let (phrase, operator) = TIMES.iter().find(|(phrase, _)| words.starts_with(phrase))?;
    let (field, value) = asked.time(words.get(phrase.len())?)?;
    let length = phrase.len() + 1;
    // "From 2023" is of that year, "from 2023 on" is since.
    if *phrase == ["from"] && words.get(length).is_some_and(|next| ["on", "onward", "onwards"].contains(next))
    {
        return Some((field, ">=", value, length + 1));
    }
    Some((field, operator, value, length))
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
    /// Returns the only field of a type that `fits` accepts.
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

    /// Assigns a year to the only year field, and any date to the only date field that the question names.
    fn time(&self, word: &str) -> Option<(&'a str, Value)> {
        let is_year = |words: &[String]| words.iter().any(|word| word == "year");
        if let (Some(year), Some(field)) = (year(word), self.one(Kind::Number, is_year)) {
            return Some((field, json!(year)));
        }
        (year(word).is_some() || (is_date(word) && word.contains('-')))
            .then(|| Some((self.one(Kind::Date, |words| self.says(words))?, json!(word))))
            .flatten()
    }

    /// Assigns a number to the only numeric field that the question names or, for money, to the only money field.
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
        // A bare number can only belong to the only numeric field.
        let field =
            field.or_else(|| stems(unit).is_empty().then(|| self.one(Kind::Number, not_year)).flatten())?;
        // "More than 30 days" does not refer to a price.
        let (unit, of_field) = (stems(unit), stems(field));
        let of_age = of_field.contains("age") && unit.contains("year");
        let is_unit = in_currency || of_age;
        let clear = is_unit || unit.is_empty() || unit.iter().any(|word| of_field.contains(word));
        let value = if value.fract() == 0.0 { json!(value as i64) } else { json!(value) };
        clear.then_some((value, field, length + usize::from(is_unit)))
    }
}
