//! Numbers as answers from tables write them.

use serde_json::{Value, json};

/// Writes a number with two decimals at most.
pub(super) fn number(value: &Value) -> String {
    let text = format!("{:.2}", value.as_f64().unwrap());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// An answer whose amounts are without zeros at their end.
pub(super) fn without_zeros(answer: &str) -> String {
    let plain = |word: &str| {
        let bare = word.trim_end_matches([',', ')', ']']);
        let is_amount =
            bare.split_once('.').is_some_and(|(_, cents)| cents.len() == 2) && bare.parse::<f64>().is_ok();
        if is_amount {
            number(&json!(bare.parse::<f64>().unwrap())) + &word[bare.len()..]
        } else {
            word.to_owned()
        }
    };
    let line = |line: &str| line.split(' ').map(plain).collect::<Vec<_>>().join(" ");
    answer.lines().map(line).collect::<Vec<_>>().join("\n")
}
