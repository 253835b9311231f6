//! Compares the rules by which text becomes terms, by keyword search alone.

use super::beir::Dataset;
use super::measure::{Row, mean_rows};
use std::collections::BTreeMap;
use vademecum_index::{Index, Prepared, Query};
use vademecum_protocol::document::{Document, Format};
use vademecum_protocol::error::Result;
use vademecum_text::chunk::{Budget, chunk};
use vademecum_text::structure;
use vademecum_text::terms::{Language, Rule};

/// The rules, with the names used in tables.
pub const RULES: [(&str, Rule); 2] = [("characters", Rule::Words), ("characters and pairs", Rule::Bigrams)];

/// Number of tokens of a chunk.
const CHUNK_TOKENS: usize = 128;
/// Number of chunks per question.
const CHUNKS: usize = 100;

/// Asks every question of a set, of an index made by a rule. Returns one row per part of the set, ordered by name.
///
/// # Errors
/// Those of [`structure::read`] and [`vademecum_index::Searcher::search`].
pub fn measure_rule(dataset: &Dataset, name: &'static str, rule: Rule) -> Result<Vec<Row>> {
    let mut index = Index::default();
    index.set_rule(rule);
    index.insert(dataset.documents.iter().map(prepared).collect::<Result<_>>()?);
    let searcher = index.searcher();
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for question in &dataset.queries {
        let query = Query { keywords: Some(&question.text), limit: CHUNKS, ..Query::default() };
        let found = searcher.search(&query)?;
        let chunks = found.best.iter().filter_map(|one| searcher.chunk(one.key));
        rows.entry(&question.set)
            .or_default()
            .add(chunks.map(|chunk| chunk.document.id()), &question.relevant);
    }
    Ok(mean_rows(rows, name))
}

fn prepared(document: &Document) -> Result<Prepared> {
    let text = structure::read(document.text.clone(), Format::Text)?;
    let language = Language::detect(&text.text);
    Ok(Prepared {
        id: document.id.clone(),
        collection: "default".into(),
        title: document.title.clone(),
        url: None,
        pieces: chunk(&text, &Budget::estimated(CHUNK_TOKENS)),
        text: text.text,
        links: Vec::new(),
        metadata: serde_json::Map::new(),
        language,
    })
}
