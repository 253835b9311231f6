//! Tells whether a text has a time of day, a number to call or an amount of money.

use std::collections::BTreeSet;
use vademecum_text::terms::words;

/// Words of sentences about money, besides [`AMOUNTS`].
const OF_MONEY: [&str; 15] = [
    "pay", "pays", "paid", "spend", "spent", "earn", "earns", "total", "sum", "amount", "rent", "budget",
    "premium", "kostet", "miete",
];

/// Words that say that nothing is paid.
const FREE: [&str; 4] = ["free", "gratis", "frei", "kostenlos"];

pub(super) fn names_money(sentence: &str) -> bool {
    // A column may be named `unit_price`.
    let is_money = |word: &str| AMOUNTS.contains(&word) || OF_MONEY.contains(&word);
    has_word(sentence, |word| word.split('_').any(is_money))
}

pub(super) fn is_free(sentence: &str) -> bool {
    has_word(sentence, |word| FREE.contains(&word))
}

/// Minimum number of digits of a number to call.
const PHONE_DIGITS: usize = 6;
/// The same where a text names it as one: emergency numbers and extensions are short.
const NAMED_PHONE_DIGITS: usize = 3;
/// Words that name one.
const PHONES: [&str; 9] =
    ["call", "calls", "dial", "phone", "telephone", "tel", "extension", "telefon", "anrufen"];

/// Returns whether a text has an address for e-mail.
pub(super) fn has_mail_address(text: &str) -> bool {
    text.split_whitespace()
        .any(|word| word.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.')))
}

/// Number of digits of a date.
const DATE_DIGITS: usize = 8;

/// Returns whether a text has as many digits in a row, between signs that numbers to call have, as these.
pub(super) fn has_phone_number(text: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_digit() || " \u{a0}+-()/.".contains(letter);
    let is_date = |word: &str| word.split(['-', '/', '.']).filter(|part| !part.is_empty()).count() == 3;
    let least = if has_word(text, |word| PHONES.contains(&word)) { NAMED_PHONE_DIGITS } else { PHONE_DIGITS };
    text.split(|letter: char| !is_part(letter)).any(|run| {
        let digits = |word: &str| word.chars().filter(char::is_ascii_digit).count();
        let told = run.split_whitespace().filter(|word| !(is_date(word) && digits(word) <= DATE_DIGITS));
        told.map(digits).sum::<usize>() >= least
    })
}

/// Returns whether a text has a time of day that the question does not name: "22:14", "7 pm", "six o'clock".
pub(super) fn has_time(text: &str, asked: &BTreeSet<String>) -> bool {
    let said: Vec<(usize, &str)> = words(text).collect();
    let is_number = |word: &str| word.len() <= 2 && word.bytes().all(|letter| letter.is_ascii_digit());
    let is_clock = |(start, word): &(usize, &str)| {
        let parts = word.split_once([':', '.']);
        let behind = text.get(start + word.len()..).unwrap_or_default();
        let next = || words(behind).next().map(|(_, word)| word.to_lowercase());
        let is_split = is_number(word)
            && behind
                .strip_prefix(':')
                .is_some_and(|rest| rest.bytes().take_while(u8::is_ascii_digit).count() == 2);
        let is_joined =
            word.contains(':') && parts.is_some_and(|(hour, minute)| is_number(hour) && is_number(minute));
        let is_hour = || next().is_some_and(|word| HOURS.contains(&word.as_str()));
        let is_counted = is_number(word) || is_numeral(word);
        !asked.contains(*word) && (is_split || is_joined || is_counted && is_hour())
    };
    said.iter().any(is_clock)
}

/// Words after the number of an hour.
const HOURS: [&str; 7] = ["o'clock", "o’clock", "am", "pm", "a.m", "p.m", "uhr"];

pub(super) fn has_word(text: &str, is: impl Fn(&str) -> bool) -> bool {
    words(text).any(|(_, word)| is(&word.to_lowercase()))
}

/// Numbers as words.
pub(super) const OF_NUMBERS: [&str; 42] = [
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
    "quarter",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "hundred",
    "thousand",
    "million",
    "billion",
    "dozen",
    "half",
    "once",
    "twice",
    "none",
    "zwei",
    "drei",
    "vier",
    "fünf",
    "hundert",
];

/// Returns whether a word is a number written in letters.
pub(super) fn is_numeral(word: &str) -> bool {
    OF_NUMBERS.contains(&word.to_lowercase().as_str())
}

/// Attributes that are amounts of money, as in "What is the price of …?".
pub(super) const AMOUNTS: [&str; 14] = [
    "price", "prices", "cost", "costs", "fee", "fees", "charge", "charges", "salary", "wage", "preis",
    "gebühr", "prix", "precio",
];
