//! Formats rows for a model's prompt.

use crate::table::{Numbers, decimal};
use vademecum_firewall::escape::label;
use vademecum_protocol::document::{DocumentSummary, NEVER_SEND, SUMMARY, shown};

/// Maximum length of a value, in characters.
const MAX_VALUE: usize = 120;

/// Formats a document as a line: its citation, its title and its fields.
pub(super) fn line(marker: &str, document: &DocumentSummary) -> String {
    let title = label(document.title.as_deref().unwrap_or(&document.id), MAX_VALUE);
    let fields = document
        .metadata
        .iter()
        .filter(|(name, value)| *name != NEVER_SEND && *name != SUMMARY && !value.is_null());
    let fields: Vec<String> =
        fields.map(|(name, value)| label(&format!("{name}: {}", shown(value)), MAX_VALUE)).collect();
    if fields.is_empty() {
        format!("{marker} {title}")
    } else {
        format!("{marker} {title} ({})", fields.join("; "))
    }
}

/// Formats the aggregates of a column.
pub(super) fn said_of(numbers: &Numbers) -> String {
    let name = label(&numbers.column, MAX_VALUE);
    let mean = numbers.sum / numbers.count.max(1) as f64;
    let [sum, mean, least, greatest] = [numbers.sum, mean, numbers.min, numbers.max].map(decimal);
    format!("{name}: sum {sum}, average {mean}, least {least}, greatest {greatest}")
}
