//! Measures answers that are rows: the documents that fulfil the conditions of a question, all of them and no others.

use super::LabelledQuery;
use super::answering::asked;
use super::metrics::Relevance;
use serde::Serialize;
use std::collections::BTreeSet;
use vademecum_engine::KnowledgeBase;
use vademecum_protocol::error::Result;
use vademecum_protocol::platform::Platform;

/// Rows of the answers to the questions of a set.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RowsRow {
    /// Name of the set.
    pub set: String,
    /// Number of questions whose answer is rows.
    pub queries: usize,
    /// Share of answers with exactly the right rows.
    pub exact: f64,
    /// Number of rows that are not relevant, over all questions.
    pub wrong: usize,
    /// Number of relevant documents that are not among the rows, over all questions.
    pub missing: usize,
    /// The questions whose rows are not exact.
    pub inexact: Vec<String>,
}

/// Asks the questions whose answer is the list of all relevant documents. An answer without rows lacks all of them.
///
/// # Errors
/// The error that ended a run.
pub async fn measure_rows(
    kb: &KnowledgeBase,
    set: &str,
    queries: &[LabelledQuery],
    platform: &dyn Platform,
) -> Result<RowsRow> {
    let mut row = RowsRow { set: set.to_owned(), ..RowsRow::default() };
    for query in queries.iter().filter(|query| query.rows) {
        let context = asked(kb, &query.text, platform).await?;
        let output = context.output.unwrap_or_default();
        let found = output.documents.iter().map(|[_, id]| id.as_str());
        let [wrong, missing] = wrong_and_missing(found, &query.relevant);
        row.queries += 1;
        (row.wrong, row.missing) = (row.wrong + wrong, row.missing + missing);
        row.inexact.extend((wrong + missing > 0).then(|| query.text.clone()));
    }
    row.exact = (row.queries - row.inexact.len()) as f64 / row.queries.max(1) as f64;
    Ok(row)
}

/// Returns the number of rows that are not relevant, and of relevant documents that are not among the rows.
pub(crate) fn wrong_and_missing<'a>(rows: impl Iterator<Item = &'a str>, relevant: &Relevance) -> [usize; 2] {
    let found: BTreeSet<&str> = rows.collect();
    let right: BTreeSet<&str> = relevant.keys().map(String::as_str).collect();
    [found.difference(&right).count(), right.difference(&found).count()]
}
