//! Formats rows of documents as an answer by rule, and makes them citable.

use crate::plan::Format;
use crate::run::Run;
use crate::table::Output;
use serde_json::{Value, json};
use vademecum_firewall::{Allowed, clean_answer};
use vademecum_grounding::citation::{Citation, CitationStyle};
use vademecum_protocol::document::{Hit, shown};

/// Maximum number of rows in an answer; `output` has all of them.
const MAX_ROWS: usize = 50;

/// Formats rows as an answer: a table if requested, else one line per document, cited if the document is in the evidence.
pub(super) fn listed(
    output: &Output,
    evidence: &[Hit],
    style: CitationStyle,
    allowed: &Allowed,
    caution: Option<String>,
) -> (String, Vec<Citation>) {
    // Titles and metadata are sanitised like any answer.
    let clean = |text: &str| clean_answer(text, allowed.clone()).text.trim().to_owned();
    let caution = caution.map(|caution| format!("{}\n\n", clean(&caution))).unwrap_or_default();
    let (mut answer, mut citations) = (caution, Vec::new());
    if output.format == Format::Table {
        let row = |row: &Vec<Value>| row.iter().map(|value| json!(clean(&shown(value)))).collect();
        let rows = output.rows.iter().take(MAX_ROWS).map(row).collect();
        let columns = output.columns.iter().map(|name| clean(name)).collect();
        answer.push_str(&Output { rows, columns, ..output.clone() }.markdown());
    } else {
        for (row, document) in output.rows.iter().zip(&output.documents).take(MAX_ROWS) {
            let named = output.columns.iter().zip(row).skip(1).filter(|(_, value)| !value.is_null());
            let fields: Vec<String> = named.map(|(name, value)| format!("{name} {}", shown(value))).collect();
            let title = row.first().map(shown).unwrap_or_default();
            let fields = if fields.is_empty() { String::new() } else { format!(" ({})", fields.join(", ")) };
            answer.push_str(&format!("- {}", clean(&format!("{title}{fields}"))));
            let hit = evidence
                .iter()
                .position(|hit| [&hit.chunk.collection, &hit.chunk.doc_id] == [&document[0], &document[1]]);
            if let Some((at, hit)) = hit.and_then(|at| Some((at, evidence.get(at)?))) {
                let marker = style.marker(at + 1, hit);
                answer.push(' ');
                let start = answer.encode_utf16().count();
                answer.push_str(&marker);
                citations.push(Citation::new(at + 1, hit, start, &marker, None));
            }
            answer.push('\n');
        }
    }
    if output.total > MAX_ROWS.min(output.rows.len()) {
        answer.push_str(&format!("and {} more\n", output.total - MAX_ROWS.min(output.rows.len())));
    }
    (answer.trim_end().to_owned(), citations)
}

/// Adds the first passage of each displayed row's document that has no passage yet, so that it can be cited.
pub(super) fn with_rows(run: &Run<'_>, output: &Output, evidence: &mut Vec<Hit>) {
    for [collection, id] in output.documents.iter().take(MAX_ROWS) {
        let is_known = |hit: &Hit| [&hit.chunk.collection, &hit.chunk.doc_id] == [collection, id];
        if evidence.iter().any(is_known) {
            continue;
        }
        let found = run.searcher.document(std::slice::from_ref(collection), id, None);
        evidence.extend(found.and_then(|(_, chunks)| chunks.into_iter().next()));
    }
}
