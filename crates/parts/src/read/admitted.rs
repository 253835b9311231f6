//! The chunks that a search may return: by collection, by the ids of documents, by a filter.

use super::blocks::Blocks;
use super::tree::Tree;
use crate::errors::part_damaged;
use crate::manifest::CollectionInfo;
use crate::tables::{self, Placed, column_key, id_key};
use std::collections::HashMap;
use vademecum_index::filter::{Columns, Filter, Schema};
use vademecum_protocol::error::Result;
use vademecum_util::vec_map;

/// Chunks, as ranges of keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Admitted {
    /// First keys and ends, ascending.
    ranges: Vec<(u32, u32)>,
}

impl Admitted {
    /// Returns the chunks of documents, which ascend by key.
    fn of(documents: impl Iterator<Item = Placed>) -> Self {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for one in documents {
            let end = one.first_key.saturating_add(one.chunks);
            match ranges.last_mut().filter(|last| last.1 == one.first_key) {
                Some(last) => last.1 = end,
                None => ranges.push((one.first_key, end)),
            }
        }
        Self { ranges }
    }

    /// Returns the chunks with these keys, sorted.
    pub(crate) fn of_keys(keys: &[u32]) -> Self {
        Self::of(keys.iter().map(|key| Placed { collection: 0, first_key: *key, chunks: 1 }))
    }

    /// Returns whether a chunk is admitted.
    pub(crate) fn contains(&self, key: u32) -> bool {
        let after = self.ranges.partition_point(|range| range.0 <= key);
        after.checked_sub(1).and_then(|at| self.ranges.get(at)).is_some_and(|range| key < range.1)
    }

    /// Returns the number of chunks.
    pub(crate) fn count(&self) -> usize {
        self.ranges.iter().map(|(start, end)| (end - start) as usize).sum()
    }

    /// Returns the keys, ascending.
    pub(crate) fn keys(&self) -> impl Iterator<Item = u32> {
        self.ranges.iter().flat_map(|(start, end)| *start..*end)
    }
}

/// The sections that say what is admitted.
#[derive(Debug, Clone)]
pub(crate) struct Tables {
    pub(crate) documents: Option<Tree>,
    pub(crate) columns: Option<Tree>,
    pub(crate) ids: Option<Tree>,
}

/// What a search is restricted to.
pub(crate) struct Restriction<'a> {
    /// Per collection of the manifest: whether it is searched.
    pub(crate) collections: Vec<bool>,
    pub(crate) filter: Option<&'a Filter>,
    pub(crate) ids: Option<&'a [String]>,
}

impl Tables {
    /// Returns the chunks that a restriction admits; `None` if it admits all.
    pub(crate) async fn admitted(
        &self,
        blocks: &Blocks,
        infos: &[CollectionInfo],
        wanted: &Restriction<'_>,
    ) -> Result<Option<Admitted>> {
        let all = wanted.collections.iter().zip(infos).all(|(wanted, info)| *wanted || info.chunks == 0);
        if all && wanted.filter.is_none() && wanted.ids.is_none() {
            return Ok(None);
        }
        let documents = self.documents(blocks).await?;
        let mut admitted: Vec<bool> = documents
            .iter()
            .map(|one| wanted.collections.get(one.collection as usize).copied().unwrap_or_default())
            .collect();
        if let Some(ids) = wanted.ids {
            let mut keys = Vec::new();
            for info in infos {
                keys.extend(self.keys_of(blocks, &info.name, ids).await?);
            }
            let keys = vec_map::set(keys);
            let named = documents.iter().map(|one| keys.binary_search(&one.first_key).is_ok());
            admitted.iter_mut().zip(named).for_each(|(admitted, named)| *admitted &= named);
        }
        if let Some(filter) = wanted.filter {
            let matching = self.matching(blocks, infos, &documents, filter).await?;
            admitted.iter_mut().zip(matching).for_each(|(admitted, matching)| *admitted &= matching);
        }
        let rest = documents.into_iter().zip(admitted).filter(|(_, admitted)| *admitted).map(|(one, _)| one);
        Ok(Some(Admitted::of(rest)))
    }

    async fn documents(&self, blocks: &Blocks) -> Result<Vec<Placed>> {
        let Some(tree) = &self.documents else { return Ok(Vec::new()) };
        let mut documents: Vec<Placed> = Vec::new();
        for (_, block) in tree.read_range::<Vec<u8>>(blocks, (Vec::new(), vec![0xff; 5])).await? {
            documents.extend(tables::decode_documents(&block).ok_or_else(unsound)?);
        }
        if !documents.is_sorted_by(|one, other| one.first_key < other.first_key) {
            return Err(unsound());
        }
        Ok(documents)
    }

    /// Returns the keys of the first chunks of documents that may have these ids in a collection: the ids' hashes are compared.
    pub(crate) async fn keys_of(
        &self,
        blocks: &Blocks,
        collection: &str,
        ids: &[String],
    ) -> Result<Vec<u32>> {
        let Some(tree) = &self.ids else { return Ok(Vec::new()) };
        let keys: Vec<Vec<u8>> = ids.iter().map(|id| id_key(collection, id).to_vec()).collect();
        let mut found = Vec::new();
        for (read, key) in tree.read::<Vec<u8>>(blocks, &keys).await.into_iter().zip(&keys) {
            if let Some((_, block)) = read? {
                let ids = tables::decode_ids(&block).ok_or_else(unsound)?;
                found.extend(
                    ids.into_iter().filter(|(hash, _)| hash.as_slice() == key.as_slice()).map(|one| one.1),
                );
            }
        }
        Ok(found)
    }

    /// Returns per document whether a filter matches. Reads the columns of the fields that it names. Documents with the same
    /// values in them are judged once.
    async fn matching(
        &self,
        blocks: &Blocks,
        infos: &[CollectionInfo],
        documents: &[Placed],
        filter: &Filter,
    ) -> Result<Vec<bool>> {
        // Metadata may have a field `a.b` as well as a field `a` with `b` in it.
        let named = filter.fields().into_iter().flat_map(|field| {
            let ends = field.match_indices('.').map(|(at, _)| at).chain([field.len()]);
            ends.filter_map(|end| field.get(..end)).collect::<Vec<&str>>()
        });
        let fields: Vec<&str> = vec_map::set(named);
        let mut columns: Vec<Vec<Option<String>>> = Vec::new();
        for field in &fields {
            columns.push(self.column(blocks, field, documents.len()).await?);
        }
        let none = Schema::default();
        let mut numbers: HashMap<(u32, Vec<Option<&str>>), usize> = HashMap::new();
        let mut distinct = Columns::default();
        let mut number_of = Vec::new();
        for (at, document) in documents.iter().enumerate() {
            let values: Vec<Option<&str>> =
                columns.iter().map(|column| column.get(at).and_then(|value| value.as_deref())).collect();
            let number =
                *numbers.entry((document.collection, values)).or_insert_with_key(|(collection, values)| {
                    let given = fields.iter().zip(values).filter_map(|(field, value)| {
                        Some(((*field).to_owned(), serde_json::from_str((*value)?).ok()?))
                    });
                    let schema = infos.get(*collection as usize).map_or(&none, |info| &info.schema);
                    distinct.push(&given.collect(), schema);
                    distinct.len() - 1
                });
            number_of.push(number);
        }
        let matching = distinct.select(filter);
        Ok(number_of.into_iter().map(|number| matching.contains(number)).collect())
    }

    async fn column(&self, blocks: &Blocks, field: &str, documents: usize) -> Result<Vec<Option<String>>> {
        let mut values: Vec<Option<String>> = vec![None; documents];
        let Some(tree) = &self.columns else { return Ok(values) };
        let range = (column_key(field, 0), column_key(field, u32::MAX));
        for (key, block) in tree.read_range::<Vec<u8>>(blocks, range).await? {
            // The first block of a range may be another field's.
            let own = key.strip_prefix(field.as_bytes()).and_then(|rest| rest.strip_prefix(&[0]));
            let Some(number) = own.and_then(|rest| rest.try_into().ok()).map(u32::from_be_bytes) else {
                continue;
            };
            let number = number as usize;
            let start = number.checked_mul(tables::DOCUMENTS_PER_BLOCK as usize).ok_or_else(unsound)?;
            let (distinct, codes) = tables::decode_column(&block).ok_or_else(unsound)?;
            for (at, code) in codes.into_iter().enumerate() {
                let value = code.checked_sub(1).and_then(|code| distinct.get(code as usize));
                if let Some(slot) = values.get_mut(start.saturating_add(at)) {
                    *slot = value.map(|value| (*value).to_owned());
                }
            }
        }
        Ok(values)
    }
}

fn unsound() -> vademecum_protocol::Error {
    part_damaged("of documents", "a table of documents does not decode")
}
