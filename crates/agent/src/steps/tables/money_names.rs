//! Names of columns that are about money.

/// Stems of these names.
const MONEY: [&str; 22] = [
    "amount", "total", "price", "cost", "sum", "valu", "fee", "salari", "revenu", "budget", "payment",
    "rent", "incom", "wage", "fare", "spend", "expens", "profit", "pay", "balanc", "sale", "turnov",
];

/// Returns whether the stems of a column's name are about money.
pub(super) fn names_money(stems: &[String]) -> bool {
    stems.iter().any(|stem| MONEY.contains(&stem.as_str()))
}
