//! Names of months.

/// The English names of the months, in lower case.
pub const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The German names that differ from the English ones, in lower case.
const GERMAN: [&str; 9] =
    ["januar", "jänner", "februar", "märz", "mai", "juni", "juli", "oktober", "dezember"];

/// Returns whether a word in lower case is the name of a month, in English or German.
pub fn is_month(word: &str) -> bool {
    MONTHS.contains(&word) || GERMAN.contains(&word)
}
