//! The answer as rows and columns, if a list or a table is requested.

use super::plan::Format;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use vademecum_protocol::document::{DocumentSummary, SUMMARY, shown};

/// The answer as rows, one per document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Output {
    /// The requested format.
    pub format: Format,
    /// The number of rows there would be without truncation.
    pub total: usize,
    /// The column names: `title`, then metadata fields.
    pub columns: Vec<String>,
    /// The rows in the order of `columns`; null where a document lacks the field.
    pub rows: Vec<Vec<Value>>,
    /// Collection and id of each row's document.
    pub documents: Vec<[String; 2]>,
    /// Statistics of each numeric column over all rows; absent if rows were truncated or no column is numeric.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<Numbers>,
    /// Whether a row belongs to a document that must never be sent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub withheld: bool,
    /// The number of further rows, of documents that must never be sent: in a run that may call an LLM, `rows`, `total`,
    /// `numbers` and the answer are without them. Counted after the last LLM call, for the user alone; absent if there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// The same as CSV (RFC 4180); values that a spreadsheet would take for a formula are marked as text.
    pub csv: String,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Statistics of a numeric column.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Numbers {
    /// The column name.
    pub column: String,
    /// The number of rows with a value.
    pub count: usize,
    /// Their sum.
    pub sum: f64,
    /// The minimum.
    pub min: f64,
    /// The maximum.
    pub max: f64,
}

impl Numbers {
    /// Returns the statistics of a column whose values are all numbers or null.
    fn of(column: &str, values: &[&Value]) -> Option<Self> {
        let there: Vec<&&Value> = values.iter().filter(|value| !value.is_null()).collect();
        let numbers: Vec<f64> = there.iter().filter_map(|value| value.as_f64()).collect();
        let first = numbers.first().filter(|_| numbers.len() == there.len())?;
        let (min, max) =
            numbers.iter().fold((*first, *first), |(min, max), one| (min.min(*one), max.max(*one)));
        Some(Self { column: column.to_owned(), count: numbers.len(), sum: numbers.iter().sum(), min, max })
    }
}

/// Formats a number with at most two decimals and no trailing zeros.
pub fn decimal(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Output {
    /// Creates a table of documents with all fields that any of them has.
    pub fn of(format: Format, documents: &[DocumentSummary], total: usize) -> Self {
        let fields: BTreeSet<&str> = documents
            .iter()
            .flat_map(|one| one.metadata.keys())
            .map(String::as_str)
            .filter(|field| *field != SUMMARY)
            .collect();
        let columns: Vec<String> =
            std::iter::once("title").chain(fields.iter().copied()).map(str::to_owned).collect();
        let row = |one: &DocumentSummary| {
            let title = Value::String(one.title.clone().unwrap_or_else(|| one.id.clone()));
            let values = fields.iter().map(|field| one.metadata.get(*field).cloned().unwrap_or_default());
            std::iter::once(title).chain(values).collect::<Vec<Value>>()
        };
        let rows: Vec<Vec<Value>> = documents.iter().map(row).collect();
        let csv = csv(&columns, &rows);
        let column = |(at, name): (usize, &String)| {
            Numbers::of(name, &rows.iter().filter_map(|row| row.get(at)).collect::<Vec<_>>())
        };
        let is_whole = total == rows.len();
        let numbers = columns.iter().enumerate().filter(|_| is_whole).filter_map(column).collect();
        let withheld = documents.iter().any(DocumentSummary::never_sent);
        let documents = documents.iter().map(|one| [one.collection.clone(), one.id.clone()]).collect();
        Self { format, total, columns, rows, documents, numbers, withheld, left_out: 0, csv }
    }

    /// Returns the rows as a Markdown table.
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut table = line(self.columns.iter().map(|name| cell(name)).collect());
        table.push_str(&line(self.columns.iter().map(|_| "---".to_owned()).collect()));
        for row in &self.rows {
            table.push_str(&line(row.iter().map(|value| cell(&shown(value))).collect()));
        }
        table
    }
}

fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

fn csv(columns: &[String], rows: &[Vec<Value>]) -> String {
    let line =
        |cells: Vec<String>| cells.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(",") + "\r\n";
    let head = line(columns.iter().cloned().map(harmless).collect());
    let value = |value: &Value| match value {
        // A number cannot be a formula.
        Value::Number(number) => number.to_string(),
        other => harmless(shown(other)),
    };
    rows.iter().map(|row| line(row.iter().map(value).collect())).fold(head, |csv, row| csv + &row)
}

/// Marks a text that a spreadsheet would interpret as a formula, so that no document can run code where its list is opened.
fn harmless(text: String) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text }
}

fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn document(id: &str, metadata: Value) -> DocumentSummary {
        DocumentSummary {
            id: id.into(),
            collection: "invoices".into(),
            title: None,
            url: None,
            metadata: metadata.as_object().unwrap().clone(),
            chunks: 1,
        }
    }

    #[test]
    fn every_field_is_a_column_and_missing_values_are_empty() {
        let documents = [
            document("a", json!({ "total": 1200, "vendor": "Acme, Inc." })),
            document("b", json!({ "=paid": true, "vendor": "=1+1" })),
        ];
        let output = Output::of(Format::Table, &documents, 2);
        assert_eq!(output.columns, ["title", "=paid", "total", "vendor"]);
        assert_eq!(output.csv, "title,'=paid,total,vendor\r\na,,1200,\"Acme, Inc.\"\r\nb,true,,'=1+1\r\n");
        assert!(output.markdown().starts_with("| title | =paid | total | vendor |\n| --- |"));
    }

    proptest! {
        #[test]
        fn no_text_splits_a_row(texts in prop::collection::vec("[a-z\",\n\r|=]{0,8}", 1..5)) {
            let documents: Vec<_> = texts.iter().map(|text| document("a", json!({ "note": text }))).collect();
            let output = Output::of(Format::List, &documents, texts.len());
            let mut inside = false;
            let ends = output.csv.replace("\r\n", "\n").chars().filter(|letter| {
                inside ^= *letter == '"';
                *letter == '\n' && !inside
            }).count();
            prop_assert_eq!(ends, texts.len() + 1);
            prop_assert_eq!(output.markdown().lines().count(), texts.len() + 2);
        }
    }
}
