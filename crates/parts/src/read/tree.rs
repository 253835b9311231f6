//! Looks keys up in the directory of a section.

use super::blocks::{Block, Blocks};
use crate::block::BlockRef;
use crate::errors::manifest_invalid;
use crate::manifest::Root;
use crate::name::PartName;
use crate::page::{self, Entry};
use vademecum_protocol::error::Result;

/// The directory of a section.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    root: BlockRef,
    levels: u32,
}

/// A data block with its first key.
pub(crate) type Keyed = (Vec<u8>, Block);

/// Keys from the first to the second, both included.
pub(crate) type Keys = (Vec<u8>, Vec<u8>);

impl Tree {
    /// Reads a root of the manifest.
    ///
    /// # Errors
    /// `manifest_invalid`.
    pub(crate) fn of(root: &Root) -> Result<Self> {
        let hash = u64::from_str_radix(&root.hash, 16).map_err(|_| manifest_invalid("a hash is not one"))?;
        let part = PartName::parse(&root.part).ok_or_else(|| manifest_invalid("a part's name is not one"))?;
        let (size, offset, length) = (root.size, root.offset, root.length);
        let root_block = BlockRef { part, size, offset, length, hash: hash.to_be_bytes() };
        Ok(Self { root: root_block, levels: root.levels })
    }

    /// Returns the children that may contain keys of each range, in order. Pages are read level by level, those of all ranges at
    /// once.
    pub(crate) async fn find(&self, blocks: &Blocks, ranges: &[Keys]) -> Vec<Result<Vec<Entry>>> {
        let mut open: Vec<Result<Vec<Entry>>> =
            ranges.iter().map(|_| Ok(vec![Entry { key: Vec::new(), block: self.root }])).collect();
        for _ in 0..self.levels {
            let mut wanted: Vec<BlockRef> =
                open.iter().flatten().flatten().map(|entry| entry.block).collect();
            wanted.sort_unstable_by_key(|block| (block.part, block.offset));
            wanted.dedup();
            let pages: Vec<(BlockRef, Result<Vec<Entry>>)> = blocks
                .read(&wanted)
                .await
                .into_iter()
                .zip(&wanted)
                .map(|(read, block)| (*block, read.and_then(|read| decode(block, &read))))
                .collect();
            for (entries, range) in open.iter_mut().zip(ranges) {
                *entries = std::mem::replace(entries, Ok(Vec::new())).and_then(|entries| {
                    let mut below = Vec::new();
                    for entry in entries {
                        let page = pages.iter().find(|(block, _)| *block == entry.block);
                        let page = page.map_or(Ok(Vec::new()), |(_, page)| page.clone())?;
                        below.extend(overlapping(page, range));
                    }
                    Ok(below)
                });
            }
        }
        open
    }

    /// Returns the names and lengths of all parts of its pages and data blocks.
    pub(crate) async fn parts(&self, blocks: &Blocks) -> Result<Vec<(PartName, u32)>> {
        let mut parts = vec![(self.root.part, self.root.size)];
        let mut open = vec![self.root];
        for _ in 0..self.levels {
            let mut below = Vec::new();
            for (read, block) in blocks.read(&open).await.into_iter().zip(&open) {
                below.extend(decode(block, &read?)?.into_iter().map(|entry| entry.block));
            }
            parts.extend(below.iter().map(|block| (block.part, block.size)));
            open = below;
        }
        Ok(parts)
    }

    /// Reads the data blocks that may contain each key, with their first keys; `None` for a key before all others.
    pub(crate) async fn read(&self, blocks: &Blocks, keys: &[Vec<u8>]) -> Vec<Result<Option<Keyed>>> {
        let ranges: Vec<Keys> = keys.iter().map(|key| (key.clone(), key.clone())).collect();
        let entries: Vec<Result<Option<Entry>>> = self
            .find(blocks, &ranges)
            .await
            .into_iter()
            .map(|found| found.map(|mut found| found.pop()))
            .collect();
        let wanted: Vec<BlockRef> = entries.iter().flatten().flatten().map(|entry| entry.block).collect();
        let mut read = blocks.read(&wanted).await.into_iter();
        let block = |entry: Result<Option<Entry>>| match entry {
            Ok(Some(entry)) => match read.next() {
                Some(block) => block.map(|block| Some((entry.key, block))),
                None => Ok(None),
            },
            Ok(None) => Ok(None),
            Err(error) => Err(error),
        };
        entries.into_iter().map(block).collect()
    }

    /// Reads all data blocks that may contain keys of a range, with their first keys.
    pub(crate) async fn read_range(&self, blocks: &Blocks, range: Keys) -> Result<Vec<Keyed>> {
        let entries = self.find(blocks, &[range]).await.pop().unwrap_or_else(|| Ok(Vec::new()))?;
        let wanted: Vec<BlockRef> = entries.iter().map(|entry| entry.block).collect();
        let read = blocks.read(&wanted).await;
        entries.into_iter().zip(read).map(|(entry, block)| Ok((entry.key, block?))).collect()
    }
}

fn decode(block: &BlockRef, page: &[u8]) -> Result<Vec<Entry>> {
    page::decode(page).ok_or_else(|| block.damaged("a page of its directory does not decode"))
}

/// Returns the entries of a page that may contain keys of a range.
fn overlapping(mut page: Vec<Entry>, (from, to): &Keys) -> Vec<Entry> {
    let end = page.partition_point(|entry| entry.key.as_slice() <= to.as_slice());
    let start = page.partition_point(|entry| entry.key.as_slice() <= from.as_slice()).saturating_sub(1);
    page.truncate(end);
    page.split_off(start.min(end))
}
