//! `eval`: measures search in a library on a labelled set.

use crate::arguments::Eval;
use crate::exit::Exit;
use crate::output::Output;
use crate::passages::open;
use futures_executor::block_on;
use serde::Serialize;
use std::collections::HashMap;
use vademecum::engine::{KnowledgeBase, ListRequest};
use vademecum::error::Result;
use vademecum::eval::beir::Dataset;
use vademecum::eval::errors::dataset_invalid;
use vademecum::eval::{ARMS, Row, measure, table};

/// Ways to search that are measured: by words, by meaning, by both.
const MEASURED: usize = 3;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Measured {
    set: String,
    questions: usize,
    rows: Vec<Row>,
}

/// Measures a library.
///
/// # Errors
/// `dataset_invalid`, and those of the library and the model.
pub(crate) fn eval(arguments: &Eval, output: Output) -> Result<Exit> {
    let mut dataset = Dataset::read(&arguments.beir)?;
    let opened = open(&arguments.library, &arguments.model, output)?;
    rename(&mut dataset, &opened.kb)?;
    let arms = ARMS.iter().take(if opened.has_meaning { MEASURED } else { 1 });
    let mut rows = Vec::new();
    for arm in arms {
        rows.extend(block_on(measure(&opened.kb, &dataset.queries, *arm, 0.0, &opened.host.cancel()))?);
    }
    let measured = Measured { set: dataset.name, questions: dataset.queries.len(), rows };
    output.result(&measured, || table(&measured.rows).trim_end().to_owned())?;
    Ok(Exit::Done)
}

/// Names relevant documents as the library does: records of a file have the file's name before their own id.
fn rename(dataset: &mut Dataset, kb: &KnowledgeBase) -> Result<()> {
    let listing = kb.documents(&ListRequest { limit: usize::MAX, ..ListRequest::default() })?;
    let ids = listing.documents.into_iter().map(|document| document.id);
    let own = |id: String| (id.rsplit_once('#').map_or(id.as_str(), |(_, own)| own).to_owned(), id);
    let names: HashMap<String, String> = ids.map(own).collect();
    let mut found = 0;
    for query in &mut dataset.queries {
        let relevant = std::mem::take(&mut query.relevant);
        query.relevant = relevant
            .into_iter()
            .map(|(id, grade)| match names.get(&id) {
                Some(name) => {
                    found += 1;
                    (name.clone(), grade)
                }
                None => (id, grade),
            })
            .collect();
    }
    if found == 0 {
        return Err(dataset_invalid(
            "qrels/test.tsv",
            "ids of documents that the library has",
            "none of them; build the library from the set's corpus.jsonl",
        ));
    }
    Ok(())
}
