//! Small tables: documents by number, documents by id, metadata by field, completions of short prefixes, names of parts.

use crate::bytes::Bytes;
use crate::name::{PartName, first};

/// Number of documents per block of [`Placed`] rows and of columns.
pub(crate) const DOCUMENTS_PER_BLOCK: u32 = 4096;

/// Number of keys per block of the cells of chunks.
pub(crate) const KEYS_PER_BLOCK: u32 = 4096;

/// A document: its collection and its chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placed {
    /// Index into the manifest's collections.
    pub(crate) collection: u32,
    pub(crate) first_key: u32,
    pub(crate) chunks: u32,
}

/// The key of a document's entry in the table of ids.
pub(crate) fn id_key(collection: &str, id: &str) -> [u8; 8] {
    first(format!("{}\u{0}{collection}{id}", collection.len()).as_bytes())
}

/// The key of a block of a field's values.
pub(crate) fn column_key(field: &str, block: u32) -> Vec<u8> {
    let mut key = field.as_bytes().to_vec();
    key.push(0);
    key.extend_from_slice(&block.to_be_bytes());
    key
}

/// The key of the sketches of a cell.
#[cfg(feature = "write")]
pub(crate) fn cell_key(cell: u32) -> Vec<u8> {
    cell.to_be_bytes().to_vec()
}

/// Decodes a block of the cells of chunks: per key from `start` on, 0 or one more than its cell.
pub(crate) fn decode_cells(block: &[u8], start: u32) -> Option<Vec<(u32, u32)>> {
    let mut bytes = Bytes(block);
    let mut cells = Vec::new();
    let mut key = start;
    while !bytes.is_empty() {
        if let Some(cell) = bytes.number()?.checked_sub(1) {
            cells.push((key, cell));
        }
        key = key.checked_add(1)?;
    }
    Some(cells)
}

/// Decodes a block of documents.
pub(crate) fn decode_documents(block: &[u8]) -> Option<Vec<Placed>> {
    let mut bytes = Bytes(block);
    let count = bytes.count()?;
    let mut documents: Vec<Placed> = Vec::new();
    let mut end = 0u32;
    for _ in 0..count {
        let first_key = end.checked_add(bytes.number()?)?;
        let chunks = bytes.number()?;
        end = first_key.checked_add(chunks)?;
        documents.push(Placed { collection: bytes.number()?, first_key, chunks });
    }
    bytes.is_empty().then_some(documents)
}

/// Decodes a block of ids: the keys of [`id_key`], each with the key of the document's first chunk.
pub(crate) fn decode_ids(block: &[u8]) -> Option<Vec<([u8; 8], u32)>> {
    let (rows, rest) = block.as_chunks::<12>();
    let row = |row: &[u8; 12]| {
        let mut bytes = Bytes(row);
        Some((bytes.array()?, u32::from_le_bytes(bytes.array()?)))
    };
    rest.is_empty().then(|| rows.iter().map(row).collect::<Option<_>>()).flatten()
}

/// Decodes a block of a field's values: distinct values as JSON, and per document 0 or one more than the number of its value.
pub(crate) fn decode_column(block: &[u8]) -> Option<(Vec<&str>, Vec<u32>)> {
    let mut bytes = Bytes(block);
    let values: Vec<&str> = (0..bytes.count()?).map(|_| bytes.text()).collect::<Option<_>>()?;
    let codes: Vec<u32> = (0..bytes.count()?).map(|_| bytes.number()).collect::<Option<_>>()?;
    let sound = bytes.is_empty() && codes.iter().all(|code| *code as usize <= values.len());
    sound.then_some((values, codes))
}

/// Completions: a prefix, with the terms that begin with it and their document frequencies, the most frequent first.
pub(crate) type Completions = (String, Vec<(String, u32)>);

/// Decodes a block of completions.
pub(crate) fn decode_completions(block: &[u8]) -> Option<Vec<Completions>> {
    let mut bytes = Bytes(block);
    let term = |bytes: &mut Bytes<'_>| Some((bytes.text()?.to_owned(), bytes.number()?));
    let one = |bytes: &mut Bytes<'_>| {
        let prefix = bytes.text()?.to_owned();
        let terms = (0..bytes.count()?).map(|_| term(bytes)).collect::<Option<_>>()?;
        Some((prefix, terms))
    };
    let all: Vec<Completions> = (0..bytes.count()?).map(|_| one(&mut bytes)).collect::<Option<_>>()?;
    bytes.is_empty().then_some(all)
}

/// Decodes a block of names of parts, with their lengths.
pub(crate) fn decode_parts(block: &[u8]) -> Option<Vec<(PartName, u32)>> {
    let (rows, rest) = block.as_chunks::<20>();
    let row = |row: &[u8; 20]| {
        let mut bytes = Bytes(row);
        Some((PartName(bytes.array()?), u32::from_le_bytes(bytes.array()?)))
    };
    rest.is_empty().then(|| rows.iter().map(row).collect::<Option<_>>()).flatten()
}

#[cfg(any(feature = "write", test))]
pub(crate) mod encode {
    use super::{Completions, Placed};
    use crate::bytes::Put;
    use crate::name::PartName;
    use std::collections::HashMap;

    /// Encodes a block of documents, ascending by key.
    pub(crate) fn documents(documents: &[Placed]) -> Vec<u8> {
        let mut block = Vec::new();
        block.number(documents.len() as u32);
        let mut end = 0;
        for one in documents {
            [one.first_key - end, one.chunks, one.collection]
                .into_iter()
                .for_each(|number| block.number(number));
            end = one.first_key + one.chunks;
        }
        block
    }

    /// Encodes the cells of chunks, ascending by key, none below `start`.
    pub(crate) fn cells(start: u32, cells: &[(u32, u32)]) -> Vec<u8> {
        let mut block = Vec::new();
        let mut next = start;
        for (key, cell) in cells {
            (next..*key).for_each(|_| block.number(0));
            block.number(cell + 1);
            next = key + 1;
        }
        block
    }

    /// Encodes a block of ids.
    pub(crate) fn ids(ids: &[([u8; 8], u32)]) -> Vec<u8> {
        ids.iter().flat_map(|(hash, key)| hash.iter().copied().chain(key.to_le_bytes())).collect()
    }

    /// Encodes a block of a field's values, `None` where a document has none.
    pub(crate) fn column(values: &[Option<String>]) -> Vec<u8> {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut distinct: Vec<&str> = Vec::new();
        let mut codes = Vec::new();
        for value in values {
            let code = value.as_deref().map_or(0, |value| {
                *numbers.entry(value).or_insert_with(|| {
                    distinct.push(value);
                    distinct.len() as u32
                })
            });
            codes.push(code);
        }
        let mut block = Vec::new();
        block.number(distinct.len() as u32);
        distinct.iter().for_each(|value| block.part(value.as_bytes()));
        block.number(codes.len() as u32);
        codes.into_iter().for_each(|code| block.number(code));
        block
    }

    /// Encodes a block of completions.
    pub(crate) fn completions(all: &[Completions]) -> Vec<u8> {
        let mut block = Vec::new();
        block.number(all.len() as u32);
        for (prefix, terms) in all {
            block.part(prefix.as_bytes());
            block.number(terms.len() as u32);
            for (term, count) in terms {
                block.part(term.as_bytes());
                block.number(*count);
            }
        }
        block
    }

    /// Encodes a block of names of parts.
    pub(crate) fn parts(parts: &[(PartName, u32)]) -> Vec<u8> {
        parts.iter().flat_map(|(name, size)| name.0.into_iter().chain(size.to_le_bytes())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn tables_are_read_as_they_were_written(
            rows in prop::collection::vec((0u32..9, 0u32..9, 0u32..3), 0..40),
            values in prop::collection::vec(prop::option::of("[a-c]{0,2}"), 0..40),
            ids in prop::collection::vec((any::<[u8; 8]>(), any::<u32>()), 0..20),
            completions in prop::collection::vec(("[a-c]{1,2}", prop::collection::vec(("[a-z]{1,4}", any::<u32>()), 0..4)), 0..5),
        ) {
            let mut end = 0;
            let documents: Vec<Placed> = rows.into_iter().map(|(gap, chunks, collection)| {
                let first_key = end + gap;
                end = first_key + chunks;
                Placed { collection, first_key, chunks }
            }).collect();
            let cells: Vec<(u32, u32)> = documents.iter().filter(|one| one.chunks > 0).map(|one| (one.first_key + 5, one.collection)).collect();
            prop_assert_eq!(decode_cells(&encode::cells(5, &cells), 5), Some(cells));
            prop_assert_eq!(decode_documents(&encode::documents(&documents)), Some(documents));
            prop_assert_eq!(decode_ids(&encode::ids(&ids)), Some(ids));
            prop_assert_eq!(decode_completions(&encode::completions(&completions)), Some(completions));
            let block = encode::column(&values);
            let (distinct, codes) = decode_column(&block).unwrap();
            let read: Vec<Option<String>> = codes.iter().map(|code| code.checked_sub(1).map(|at| distinct[at as usize].to_owned())).collect();
            prop_assert_eq!(read, values);
        }

        #[test]
        fn any_bytes_are_a_table_or_none(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let _ = (decode_documents(&bytes), decode_ids(&bytes), decode_column(&bytes), decode_completions(&bytes), decode_parts(&bytes), decode_cells(&bytes, 7));
        }
    }
}
