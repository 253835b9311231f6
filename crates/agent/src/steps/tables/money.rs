//! Money in tables: the names of columns about it, and amounts with cents.

use serde_json::Value;

/// Stems of these names.
const MONEY: [&str; 22] = [
    "amount", "total", "price", "cost", "sum", "valu", "fee", "salari", "revenu", "budget", "payment",
    "rent", "incom", "wage", "fare", "spend", "expens", "profit", "pay", "balanc", "sale", "turnov",
];

/// Returns whether the stems of a column's name are about money.
pub(super) fn names_money(stems: &[String]) -> bool {
    stems.iter().any(|stem| MONEY.contains(&stem.as_str()))
}

/// Returns whether amounts have two decimals at most, and one of them just two.
pub(super) fn are_cents(values: &[Value]) -> bool {
    let mut decimals = values.iter().filter_map(|one| match one {
        Value::Number(number) => Some(decimals(&number.to_string())),
        Value::String(text) => Some(decimals(text)),
        _ => None,
    });
    decimals.clone().any(|count| count == 2) && decimals.all(|count| count <= 2)
}

/// Returns the number of decimals that an amount is written with.
fn decimals(text: &str) -> usize {
    let amount = text.trim_matches(|letter: char| !letter.is_ascii_digit());
    let rest = amount.rsplit_once(['.', ',']).map_or("", |(_, rest)| rest);
    if rest == "0" { 0 } else { rest.len() }
}

/// Writes an amount of money with two decimals.
pub(super) fn cents(amount: f64) -> String {
    format!("{amount:.2}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn amounts_have_cents_if_they_are_written_with_two_decimals() {
        let have = |values: Value| are_cents(values.as_array().unwrap());
        assert!(have(json!([79.7, 12.25, 3])) && have(json!(["€33.10", "n/a", "5,00 EUR"])));
        assert!(!have(json!([1.5, 2.5])) && !have(json!([1.125, 2.25])) && !have(json!(["1.240", "12.50"])));
        assert_eq!((cents(79.7), cents(2245.894)), ("79.70".to_owned(), "2245.89".to_owned()));
    }
}
