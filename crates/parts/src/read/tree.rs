//! Looks keys up in the directory of a section.

use super::blocks::{Blocks, Decoded};
use crate::block::BlockRef;
use crate::errors::{manifest_invalid, part_damaged};
use crate::manifest::Root;
use crate::name::PartName;
use crate::page::{self, Entry};
use std::rc::Rc;
use vademecum_protocol::error::Result;
use vademecum_util::within::Within;

/// The directory of a section.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    root: BlockRef,
    levels: u32,
}

/// A data block with its first key.
pub(crate) type Keyed<T = Vec<u8>> = (Vec<u8>, Rc<T>);

impl Decoded for Vec<Entry> {
    const UNSOUND: &str = "a page of its directory does not decode";

    fn decode(block: Vec<u8>) -> Option<Self> {
        page::decode(&block)
    }

    fn bytes(&self) -> usize {
        self.iter().map(|entry| size_of::<Entry>() + entry.key.len()).sum()
    }
}

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

    /// Returns whether its blocks are at hand, by its root.
    #[cfg(not(feature = "small"))]
    pub(crate) fn is_at_hand(&self, blocks: &Blocks) -> bool {
        blocks.is_at_hand(&self.root)
    }

    /// Returns the children that may contain keys of each range, in order. Pages are read level by level, those of all ranges at
    /// once.
    pub(crate) async fn find(&self, blocks: &Blocks, ranges: &[Keys]) -> Vec<Result<Vec<Entry>>> {
        let mut open: Vec<Result<Vec<Entry>>> =
            ranges.iter().map(|_| Ok(vec![Entry { key: Vec::new(), block: self.root }])).collect();
        for _ in 0..self.levels {
            let mut wanted: Vec<BlockRef> =
                open.iter().flatten().flatten().map(|entry| entry.block).collect();
            let place = |block: &BlockRef| (block.part, block.offset);
            wanted.sort_unstable_by_key(place);
            wanted.dedup();
            let pages: Vec<(&BlockRef, Result<Rc<Vec<Entry>>>)> =
                wanted.iter().zip(blocks.read(&wanted).await).collect();
            for (entries, range) in open.iter_mut().zip(ranges) {
                *entries = std::mem::replace(entries, Ok(Vec::new())).and_then(|entries| {
                    let mut below = Vec::new();
                    for entry in entries {
                        let first = pages.partition_point(|(block, _)| place(block) < place(&entry.block));
                        let page = pages.within(first..).iter().find(|(block, _)| **block == entry.block);
                        match page {
                            Some((_, Ok(page))) => below.extend_from_slice(overlapping(page, range)),
                            Some((_, Err(error))) => return Err(error.clone()),
                            None => {}
                        }
                    }
                    ascending(below)
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
            for page in blocks.read::<Vec<Entry>>(&open).await {
                below.extend_from_slice(&page?);
            }
            open = ascending(below)?.into_iter().map(|entry| entry.block).collect();
            parts.extend(open.iter().map(|block| (block.part, block.size)));
        }
        Ok(parts)
    }

    /// Reads the data blocks that may contain each key, with their first keys; `None` for a key before all others.
    pub(crate) async fn read<T: Decoded>(
        &self,
        blocks: &Blocks,
        keys: &[Vec<u8>],
    ) -> Vec<Result<Option<Keyed<T>>>> {
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
    pub(crate) async fn read_range<T: Decoded>(&self, blocks: &Blocks, range: Keys) -> Result<Vec<Keyed<T>>> {
        let entries = self.find(blocks, &[range]).await.pop().unwrap_or_else(|| Ok(Vec::new()))?;
        let wanted: Vec<BlockRef> = entries.iter().map(|entry| entry.block).collect();
        let read = blocks.read(&wanted).await;
        entries.into_iter().zip(read).map(|(entry, block)| Ok((entry.key, block?))).collect()
    }
}

/// Returns the entries of a level, if their keys ascend. Pages that refer to one page many times would have few bytes and any number of entries.
fn ascending(entries: Vec<Entry>) -> Result<Vec<Entry>> {
    let sound = entries.is_sorted_by(|one, other| one.key < other.key);
    sound.then_some(entries).ok_or_else(|| part_damaged("of a directory", "its pages are not in order"))
}

/// Returns the entries of a page that may contain keys of a range.
fn overlapping<'a>(page: &'a [Entry], (from, to): &Keys) -> &'a [Entry] {
    let behind = |key: &[u8]| page.partition_point(|entry| entry.key.as_slice() <= key);
    let end = behind(to);
    let start = if from == to { end } else { behind(from) }.saturating_sub(1);
    page.get(start.min(end)..end).unwrap_or_default()
}

#[cfg(all(test, not(feature = "small")))]
mod tests {
    use super::*;
    use crate::block::pack;
    use crate::name::first;
    use crate::source::{Fetch, Reply, Source};
    use futures_util::FutureExt;
    use futures_util::future::{LocalBoxFuture, ready};
    use std::rc::Rc;

    /// One part with these bytes.
    struct One(Vec<u8>);

    impl Source for One {
        fn read<'a>(&'a self, _: &'a Fetch) -> LocalBoxFuture<'a, Result<Reply>> {
            Box::pin(ready(Ok(Reply::Whole(self.0.clone()))))
        }
    }

    #[test]
    fn a_directory_that_refers_to_a_page_many_times_is_refused() {
        let mut part = pack(b"data");
        let mut open = |below: BlockRef, keys: u8| {
            let entries: Vec<Entry> = (0..keys).map(|key| Entry { key: vec![key], block: below }).collect();
            let (offset, page) = (part.len() as u32, pack(&page::encode(&entries)));
            part.extend_from_slice(&page);
            BlockRef { offset, length: page.len() as u32, hash: first(&page), ..below }
        };
        let length = pack(b"data").len() as u32;
        let data = BlockRef {
            part: PartName([7; 16]),
            size: 100_000,
            offset: 0,
            length,
            hash: first(&pack(b"data")),
        };
        let last = open(data, 1);
        let sound = Tree { root: open(last, 1), levels: 2 };
        let repeated = Tree { root: open(last, 9), levels: 2 };
        let blocks = Blocks::new(Rc::new(One(part)), 1 << 20);
        let all = || (Vec::new(), vec![0xff]);
        assert_eq!(sound.read_range::<Vec<u8>>(&blocks, all()).now_or_never().unwrap().unwrap().len(), 1);
        assert_eq!(
            repeated.read_range::<Vec<u8>>(&blocks, all()).now_or_never().unwrap().unwrap_err().code(),
            "part_damaged"
        );
        assert_eq!(repeated.parts(&blocks).now_or_never().unwrap().unwrap_err().code(), "part_damaged");
        assert_eq!(sound.parts(&blocks).now_or_never().unwrap().unwrap().len(), 3);
    }
}
