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

/// Returns whether numbers have two decimals at most, and one of them just two.
pub(super) fn are_cents(values: &[Value]) -> bool {
    let mut decimals = values.iter().filter_map(|one| {
        let text = one.as_number()?.to_string();
        Some(text.split_once('.').filter(|(_, rest)| *rest != "0").map_or(0, |(_, rest)| rest.len()))
    });
    decimals.clone().any(|count| count == 2) && decimals.all(|count| count <= 2)
}

/// Writes an amount of money with two decimals.
pub(super) fn cents(amount: f64) -> String {
    format!("{amount:.2}")
}
