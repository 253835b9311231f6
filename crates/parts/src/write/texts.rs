//! Writes the sections of texts, of documents by number and by id, and of columns.

use super::layout::Layout;
use super::parts::{Folder, Packer};
use super::sections::Sections;
use crate::block::{MAX_RAW, pack};
use crate::name::first;
use crate::page::Entry;
use crate::tables::{self, DOCUMENTS_PER_BLOCK, Placed, column_key, id_key};
use crate::texts::{self, Piece, Stretch};
use std::collections::{BTreeMap, BTreeSet};
use vademecum_index::export::ExportedChunk;
use vademecum_protocol::error::{Error, Result};

/// Writes everything of documents. `chunks` are all chunks in the order of keys; `names` are the collections of the manifest.
pub(crate) fn write(
    folder: &mut Folder,
    layout: &Layout,
    chunks: &[ExportedChunk<'_>],
    names: &[String],
    sections: &mut Sections,
) -> Result<()> {
    let documents: Vec<&[ExportedChunk<'_>]> = chunks.chunk_by(is_same_document).collect();
    write_texts(folder, layout, &documents, names, sections)?;
    let placed: Vec<Placed> = documents.iter().filter_map(|document| placed(document, names)).collect();
    let mut packer = Packer::new(folder, layout.tables);
    for some in placed.chunks(DOCUMENTS_PER_BLOCK as usize) {
        packer.push(&pack(&tables::encode::documents(some)))?;
    }
    let blocks = packer.finish()?;
    let entries =
        (0u32..).zip(blocks).map(|(at, block)| Entry { key: at.to_be_bytes().to_vec(), block }).collect();
    sections.add("documents", folder, entries, layout)?;
    write_ids(folder, layout, &documents, sections)?;
    write_columns(folder, layout, &documents, sections)
}

fn is_same_document(one: &ExportedChunk<'_>, other: &ExportedChunk<'_>) -> bool {
    let (a, b) = (&one.chunk.document, &other.chunk.document);
    a.id() == b.id() && a.collection() == b.collection()
}

fn collection_of(document: &[ExportedChunk<'_>], names: &[String]) -> Option<u32> {
    let name = document.first()?.chunk.document.collection();
    names.iter().position(|one| one == name).map(|at| at as u32)
}

fn placed(document: &[ExportedChunk<'_>], names: &[String]) -> Option<Placed> {
    let collection = collection_of(document, names)?;
    Some(Placed { collection, first_key: document.first()?.key, chunks: document.len() as u32 })
}

fn write_texts(
    folder: &mut Folder,
    layout: &Layout,
    documents: &[&[ExportedChunk<'_>]],
    names: &[String],
    sections: &mut Sections,
) -> Result<()> {
    let mut packer = Packer::new(folder, layout.texts);
    let mut keys: Vec<Vec<u8>> = Vec::new();
    let mut open: Vec<Stretch> = Vec::new();
    let mut weight = 0;
    let mut end = |open: &mut Vec<Stretch>| -> Result<()> {
        if let Some(one) = open.first() {
            keys.push(one.key().to_be_bytes().to_vec());
            packer.push(&pack(&texts::encode(open)))?;
            open.clear();
        }
        Ok(())
    };
    for document in documents {
        for stretch in stretches(document, names, layout.texts_raw) {
            let own = stretch.text.len() + stretch.metadata.len() + 40;
            if weight > 0 && weight + own > layout.texts_raw * 3 / 2 {
                end(&mut open)?;
                weight = 0;
            }
            // A block ends where the hash of a document says so: see `Packer`.
            let [drawn] = first(stretch.id.as_bytes());
            weight += own;
            open.push(stretch);
            if weight >= layout.texts_raw || (weight * 2 >= layout.texts_raw && drawn < 64) {
                end(&mut open)?;
                weight = 0;
            }
        }
    }
    end(&mut open)?;
    let blocks = packer.finish()?;
    let entries = keys.into_iter().zip(blocks).map(|(key, block)| Entry { key, block }).collect();
    sections.add("texts", folder, entries, layout)
}

/// Cuts a document between chunks into stretches of about `target` bytes.
fn stretches(document: &[ExportedChunk<'_>], names: &[String], target: usize) -> Vec<Stretch> {
    let Some((first, collection)) = document.first().zip(collection_of(document, names)) else {
        return Vec::new();
    };
    let stored = first.chunk.document;
    let text = stored.text();
    let metadata = stored.metadata();
    let json =
        if metadata.is_empty() { String::new() } else { serde_json::Value::Object(metadata).to_string() };
    let mut cuts: Vec<usize> = vec![0];
    let mut start = 0;
    for (at, one) in document.iter().enumerate().skip(1) {
        if one.chunk.bytes().end.saturating_sub(start) > target {
            cuts.push(at);
            start = one.chunk.bytes().start;
        }
    }
    let ends = cuts.iter().skip(1).copied().chain([document.len()]);
    let stretch = |(from, to): (usize, usize)| {
        let own = document.get(from..to)?;
        // The first stretch begins with the text, and each reaches to the next one's beginning.
        let begin = if from == 0 { 0 } else { own.first()?.chunk.bytes().start };
        let next = document.get(to).map_or(text.len(), |next| next.chunk.bytes().start);
        let end = own.iter().map(|one| one.chunk.bytes().end).fold(next, usize::max);
        let pieces = own.iter().map(|one| {
            let chunk = one.chunk.to_chunk();
            Piece {
                bytes: (chunk.bytes.start as u32, chunk.bytes.end as u32),
                utf16: (chunk.span.start as u32, chunk.span.end as u32),
                page: chunk.page,
                truncated: chunk.truncated,
                headings: chunk.headings,
            }
        });
        Some(Stretch {
            collection,
            id: stored.id().to_owned(),
            title: stored.title().map(str::to_owned),
            url: stored.url().map(str::to_owned),
            metadata: json.clone(),
            language: stored.language(),
            first_key: first.key,
            chunks_in_all: document.len() as u32,
            length_in_all: text.len() as u32,
            ordinal: from as u32,
            offset: begin as u32,
            text: text.get(begin..end)?.to_owned(),
            chunks: pieces.collect(),
        })
    };
    cuts.iter().copied().zip(ends).filter_map(stretch).collect()
}

fn write_ids(
    folder: &mut Folder,
    layout: &Layout,
    documents: &[&[ExportedChunk<'_>]],
    sections: &mut Sections,
) -> Result<()> {
    let row = |document: &&[ExportedChunk<'_>]| {
        let first = document.first()?;
        let stored = first.chunk.document;
        Some((id_key(stored.collection(), stored.id()), first.key))
    };
    let mut ids: Vec<([u8; 8], u32)> = documents.iter().filter_map(row).collect();
    ids.sort_unstable();
    let mut packer = Packer::new(folder, layout.tables);
    let mut keys = Vec::new();
    // Ids are cut by their first bits, so that another document changes one block.
    let bits = (ids.len() / 256).checked_ilog2().map_or(0, |bits| bits + 1);
    for some in ids.chunk_by(|one, other| {
        let head =
            |one: &([u8; 8], u32)| u64::from_be_bytes(one.0).checked_shr(64 - bits).unwrap_or_default();
        head(one) == head(other)
    }) {
        keys.extend(some.first().map(|one| one.0.to_vec()));
        packer.push(&pack(&tables::encode::ids(some)))?;
    }
    let blocks = packer.finish()?;
    let entries = keys.into_iter().zip(blocks).map(|(key, block)| Entry { key, block }).collect();
    sections.add("ids", folder, entries, layout)
}

fn write_columns(
    folder: &mut Folder,
    layout: &Layout,
    documents: &[&[ExportedChunk<'_>]],
    sections: &mut Sections,
) -> Result<()> {
    let mut blocks: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
    for (number, some) in documents.chunks(DOCUMENTS_PER_BLOCK as usize).enumerate() {
        let metadata: Vec<serde_json::Map<String, serde_json::Value>> =
            some.iter().filter_map(|document| Some(document.first()?.chunk.document.metadata())).collect();
        let fields: BTreeSet<&String> = metadata.iter().flat_map(|one| one.keys()).collect();
        for field in fields {
            let values: Vec<Option<String>> =
                metadata.iter().map(|one| one.get(field).map(serde_json::Value::to_string)).collect();
            let column = tables::encode::column(&values);
            if column.len() > MAX_RAW {
                let expected = format!(
                    "values that have at most {} MB together in {DOCUMENTS_PER_BLOCK} documents; put long ones into the text",
                    MAX_RAW >> 20
                );
                return Err(Error::invalid(
                    format!("metadata.{field}"),
                    expected,
                    format!("{} MB", column.len() >> 20),
                ));
            }
            blocks.insert(column_key(field, number as u32), pack(&column));
        }
    }
    let mut packer = Packer::new(folder, layout.tables);
    blocks.values().try_for_each(|block| packer.push(block))?;
    let placed = packer.finish()?;
    let entries = blocks.into_keys().zip(placed).map(|(key, block)| Entry { key, block }).collect();
    sections.add("columns", folder, entries, layout)
}
