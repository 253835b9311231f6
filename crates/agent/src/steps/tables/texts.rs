//! The texts in which tables and fields are looked for: first those that a search has found. If these state fields that the question
//! names, all of the collection.

use super::documents::{flat, name_stems};
use super::lines::lines;
use super::records::{self, Text};
use super::table::{Table, stem};
use super::text_tables;
use crate::library::Library;
use crate::ports::CollectionView;
use serde_json::Value;
use vademecum_protocol::document::{DocumentSummary, Hit};
use vademecum_protocol::error::Result;

/// Maximum number of documents of a collection whose texts are all read for their tables.
const FEW: usize = 40;
/// Maximum number of documents of a collection whose texts are all read for their fields.
const MAX_DOCUMENTS: usize = 1_000;
/// Maximum number of their passages.
const MAX_PASSAGES: usize = 4_000;
/// Maximum number of documents of the evidence whose texts are read.
const MAX_FOUND: usize = 10;

/// The texts of a collection.
#[derive(Debug)]
pub(in crate::steps) struct Texts {
    collection: String,
    texts: Vec<Text>,
}

/// Reads the texts of the documents of the evidence, and all of a collection that has few.
///
/// # Errors
/// Those of the searcher.
pub(in crate::steps) fn near(
    searcher: &Library<'_>,
    views: &[CollectionView],
    filters: Option<&Value>,
    evidence: &[Hit],
) -> Result<Vec<Texts>> {
    let names: Vec<String> = searcher.collections().into_iter().map(|one| one.name).collect();
    let mut found = Vec::new();
    for view in views {
        let listing = searcher.listing(&view.name, filters, &names, FEW)?;
        let mut ids: Vec<String> = Vec::new();
        if listing.total <= FEW {
            ids.extend(listing.documents.into_iter().map(|one| one.id));
        } else {
            let hits = evidence.iter().filter(|hit| hit.chunk.collection == view.name);
            for id in hits.map(|hit| &hit.chunk.doc_id) {
                if !ids.contains(id) && ids.len() < MAX_FOUND {
                    ids.push(id.clone());
                }
            }
        }
        found.push(Texts { collection: view.name.clone(), texts: read(searcher, &view.name, ids, filters) });
    }
    Ok(found)
}

fn read(searcher: &Library<'_>, collection: &String, ids: Vec<String>, filters: Option<&Value>) -> Vec<Text> {
    let text = |id: String| {
        let (document, chunks) = searcher.document(std::slice::from_ref(collection), &id, filters)?;
        Some(Text { document, lines: lines(chunks) })
    };
    ids.into_iter().filter_map(text).collect()
}

impl Texts {
    /// Returns the tables in the texts.
    pub(in crate::steps) fn tables(&self) -> Vec<Table> {
        self.texts.iter().flat_map(|text| text_tables::tables(&text.lines)).collect()
    }

    /// Returns whether a text states a field whose name has a stem that fits.
    pub(in crate::steps) fn states(&self, fits: &dyn Fn(&str) -> bool) -> bool {
        let names = self.texts.iter().flat_map(records::names);
        names.flat_map(|name| name.split_whitespace().map(stem).collect::<Vec<_>>()).any(|stem| fits(&stem))
    }

    /// Returns whether a title has a stem that fits.
    pub(in crate::steps) fn are_titled(&self, fits: &dyn Fn(&str) -> bool) -> bool {
        let titles = self.texts.iter().filter_map(|text| text.document.title.as_deref());
        titles.flat_map(name_stems).any(|stem| fits(&stem))
    }

    /// Reads all documents of the collection as rows with the fields that their texts state; none if they are too many.
    ///
    /// # Errors
    /// Those of the searcher.
    pub(in crate::steps) fn records(
        &self,
        searcher: &Library<'_>,
        filters: Option<&Value>,
    ) -> Result<Vec<Table>> {
        let names: Vec<String> = searcher.collections().into_iter().map(|one| one.name).collect();
        let listing = searcher.listing(&self.collection, filters, &names, MAX_DOCUMENTS)?;
        let passages: usize = listing.documents.iter().map(|one| one.chunks).sum();
        if listing.total > listing.documents.len() || passages > MAX_PASSAGES {
            return Ok(Vec::new());
        }
        let ids = listing.documents.into_iter().map(|one| one.id).collect();
        let texts = read(searcher, &self.collection, ids, filters);
        let metadata = |document: &DocumentSummary| flat(&document.metadata).into_iter().collect();
        Ok(records::tables(&self.collection, texts, &metadata))
    }
}
