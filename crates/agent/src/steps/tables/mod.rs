//! Questions over tables, answered by rule: "Which employees in Berlin earn more than 50000?", "average salary by department".
//!
//! `documents` reads tables: documents with metadata are rows. `table` determines the types of columns, `quantity` and `dates` parse
//! values. `tags`, `literals`, `fillers` and `deeds` find names, values, amounts and words that add nothing in a question, `conditions`, `reading`, `counting`, `comparing` and `extremes` make a `query` of it, which
//! `compute` answers over all rows and `found` says. A question is read only if every word of it is accounted for: a word that
//! is ignored may select other rows.

pub(super) mod amounts;
pub(super) mod cited_text;
pub(super) mod comparing;
pub(super) mod compute;
pub(super) mod conditions;
pub(super) mod counting;
pub(super) mod currencies;
pub(super) mod dates;
pub(super) mod deeds;
pub(super) mod documents;
pub(super) mod extremes;
pub(super) mod fillers;
pub(super) mod filter;
pub(super) mod form;
pub(super) mod found;
pub(super) mod found_lists;
pub(super) mod lines;
pub(super) mod literals;
pub(super) mod log_lines;
pub(super) mod moments;
pub(super) mod money;
pub(super) mod objects;
pub(super) mod quantity;
pub(super) mod query;
pub(super) mod reader;
pub(super) mod reading;
pub(super) mod records;
pub(super) mod table;
pub(super) mod tags;
pub(super) mod text_tables;
pub(super) mod texts;
pub(super) mod tokens;
pub(super) mod whether;
pub(super) mod whole;
pub(super) mod words;

use super::rules::words::stems;
use crate::library::Library;
use crate::ports::CollectionView;
use compute::compute;
use found::Found;
use reading::read;
use serde_json::Value;
use std::rc::Rc;
use std::sync::LazyLock;
use table::{Cell, Column, Kind, Source, Table, stem};
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::Result;
use whole::Reading;
use words::Meanings;

/// The words for columns, prepared once.
static MEANINGS: LazyLock<Meanings> = LazyLock::new(Meanings::new);

/// Returns whether a noun of a question, as a term, may stand for the name of a column, such as "salary" for "wage".
pub(super) fn may_stand_for(said: &str, own: &str) -> bool {
    MEANINGS.is_noun_for(said, own)
}

/// Answers a question from the only table that accounts for all of it; `None` if there is none.
///
/// # Errors
/// Those of the searcher.
pub(super) fn answer(
    question: &str,
    searcher: &Library<'_>,
    views: impl FnOnce() -> Vec<CollectionView>,
    filters: Option<&Value>,
    evidence: &[Hit],
) -> Result<Option<Found>> {
    if !words::may_ask(question) {
        return Ok(None);
    }
    let meanings = &*MEANINGS;
    let related = |said: &str, own: &str| meanings.is_noun_for(said, own) || meanings.is_about(said, own);
    let views = views();
    let concerned: Vec<CollectionView> = views
        .iter()
        .filter(|view| documents::may_concern(question, searcher, view, &related))
        .cloned()
        .collect();
    let of_metadata = documents::tables(searcher, &concerned, filters)?;
    if let Some(found) = best(question, of_metadata, meanings, evidence) {
        return Ok(Some(found));
    }
    // What no row of a text fulfils may stand elsewhere in it.
    let has_rows = |found: &Found| !found.computed.rows.is_empty();
    let texts = texts::near(searcher, &views, filters, evidence)?;
    let of_texts = texts.iter().flat_map(|one| one.tables()).collect();
    if let Some(found) = best(question, of_texts, meanings, evidence).filter(has_rows) {
        return Ok(Some(found));
    }
    let said = stems(question);
    let is_said = |own: &str| said.iter().any(|said| said == own || related(said, own));
    let sizes = words::asks_for_sizes(question);
    let concerns = |texts: &texts::Texts| texts.states(&is_said) || (sizes && texts.are_titled(&is_said));
    let mut records = Vec::new();
    for texts in texts.iter().filter(|texts| concerns(texts)) {
        records.extend(texts.records(searcher, filters)?);
    }
    Ok(best(question, records, meanings, evidence).filter(has_rows))
}

/// Answers from the table that explains most of the question.
fn best(question: &str, mut tables: Vec<Table>, meanings: &Meanings, evidence: &[Hit]) -> Option<Found> {
    let read_one = |(at, table): (usize, &Table)| Some((read(question, table, meanings)?, at));
    let mut read: Vec<(Reading, usize)> = tables.iter().enumerate().filter_map(read_one).collect();
    let worth = |one: &(Reading, usize)| (one.0.is_named, one.0.noun.is_none(), one.0.score);
    let most = read.iter().map(worth).max()?;
    read.retain(|one| worth(one) == most);
    let (reading, at) = read.pop()?;
    // Two tables that answer equally well may answer differently, and the rows of one are not called like another.
    let is_other = |noun: &String| tables.iter().any(|table| table.stems.contains(&stem(noun)));
    let names = |noun: &String| {
        !is_other(noun) && tables.get(at).is_some_and(|table| names_rows(noun, table, evidence))
    };
    if !read.is_empty() || !reading.noun.as_ref().is_none_or(names) {
        return None;
    }
    let table = tables.swap_remove(at);
    let computed = compute(&table, &reading.query);
    // That there are none is only known of rows that the question names.
    let is_known = (reading.noun.is_none() || !computed.rows.is_empty())
        // Of two values one may have no row.
        && (!reading.query.compares() || computed.groups.len() == 2);
    is_known.then(|| Found { table: Rc::new(table), query: reading.query, computed, narrowed: Vec::new() })
}

/// Returns whether a word may be what the rows are called: a word of a text or a value would select some of them, and so may a word
/// for values of which there are several rows.
fn names_rows(noun: &str, table: &Table, evidence: &[Hit]) -> bool {
    let repeats = |column: &Column| column.kind == Kind::Text && !column.is_unique;
    let stems_of = table.columns.iter().flat_map(|column| &column.stems).collect();
    let is_usual = words::may_be_called(noun, &stems_of);
    if table.columns.iter().any(repeats) && !is_usual {
        return false;
    }
    let wanted = stems(noun);
    let holds = |text: &str| !stems(text).is_disjoint(&wanted);
    let is_value = table
        .columns
        .iter()
        .flat_map(|column| &column.cells)
        .any(|cell| matches!(cell, Cell::Text(texts) if texts.iter().any(|text| holds(text))));
    // A table in a text has its own document around it.
    let is_own = |hit: &Hit| {
        table.sources.iter().any(|source| {
            matches!(source, Source::Passage(own, _) if own.chunk.doc_id == hit.chunk.doc_id && own.chunk.collection == hit.chunk.collection)
        })
    };
    !is_value && (is_usual || !evidence.iter().any(|hit| !is_own(hit) && holds(&hit.chunk.text)))
}
