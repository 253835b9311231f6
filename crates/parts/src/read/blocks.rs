//! Reads blocks through a source: verified, several at once, and kept in memory up to a limit.

use crate::block::BlockRef;
use crate::errors::part_damaged;
use crate::name::PartName;
use crate::source::{Fetch, Reply, Source};
use futures_util::future::join_all;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use vademecum_protocol::error::{Error, Result};

/// Blocks of a part that lie at most this far apart are read at once: a request costs more than these bytes.
const GAP: u32 = 1024;

/// A decompressed block.
pub(crate) type Block = Rc<Vec<u8>>;

type Key = (PartName, u32);

/// Reads blocks.
pub(crate) struct Blocks {
    source: Rc<dyn Source>,
    cache: RefCell<Cache>,
}

/// Decompressed blocks, of which those used least recently are dropped beyond a limit.
struct Cache {
    most: usize,
    bytes: usize,
    now: u64,
    blocks: FxHashMap<Key, (Block, u64)>,
}

impl Cache {
    fn get(&mut self, key: &Key) -> Option<Block> {
        self.now += 1;
        let (block, used) = self.blocks.get_mut(key)?;
        *used = self.now;
        Some(block.clone())
    }

    fn put(&mut self, key: Key, block: Block) {
        if block.len() > self.most {
            return;
        }
        self.now += 1;
        self.bytes += block.len();
        if let Some((before, _)) = self.blocks.insert(key, (block, self.now)) {
            self.bytes = self.bytes.saturating_sub(before.len());
        }
        if self.bytes > self.most {
            // A quarter is freed, so that the sort is paid rarely.
            let mut order: Vec<(u64, Key)> =
                self.blocks.iter().map(|(key, (_, used))| (*used, *key)).collect();
            order.sort_unstable_by_key(|one| one.0);
            for (_, key) in order {
                if self.bytes <= self.most / 4 * 3 {
                    break;
                }
                if let Some((block, _)) = self.blocks.remove(&key) {
                    self.bytes = self.bytes.saturating_sub(block.len());
                }
            }
        }
    }
}

impl Blocks {
    /// Creates a reader that keeps at most `most` bytes of blocks.
    pub(crate) fn new(source: Rc<dyn Source>, most: usize) -> Self {
        Self { source, cache: RefCell::new(Cache { most, bytes: 0, now: 0, blocks: FxHashMap::default() }) }
    }

    /// Returns the bytes of the blocks in memory.
    pub(crate) fn memory(&self) -> usize {
        self.cache.borrow().bytes
    }

    /// Reads blocks side by side, those that lie together at once. The result has one element per block, in order.
    pub(crate) async fn read(&self, wanted: &[BlockRef]) -> Vec<Result<Block>> {
        let mut found: FxHashMap<Key, Result<Block>> = FxHashMap::default();
        let mut absent: Vec<BlockRef> = Vec::new();
        {
            let mut cache = self.cache.borrow_mut();
            for block in wanted {
                match cache.get(&key(block)) {
                    Some(kept) => {
                        found.insert(key(block), Ok(kept));
                    }
                    None => absent.push(*block),
                }
            }
        }
        absent.sort_unstable_by_key(|block| (block.part, block.offset));
        absent.dedup();
        let mut groups: Vec<Vec<BlockRef>> = Vec::new();
        for block in absent {
            let joins = groups.last().and_then(|group| group.last()).is_some_and(|last| {
                last.part == block.part && block.offset <= last.range().end.saturating_add(GAP)
            });
            match groups.last_mut().filter(|_| joins) {
                Some(group) => group.push(block),
                None => groups.push(vec![block]),
            }
        }
        for group in join_all(groups.iter().map(|group| self.read_group(group))).await {
            for (block, result) in group {
                if let Ok(read) = &result {
                    self.cache.borrow_mut().put(key(&block), read.clone());
                }
                found.insert(key(&block), result);
            }
        }
        let unread = |block: &BlockRef| {
            Err(part_damaged(&block.part.to_string(), "two directories disagree about it"))
        };
        wanted.iter().map(|block| found.get(&key(block)).cloned().unwrap_or_else(|| unread(block))).collect()
    }

    /// Reads blocks of one part at once; once more, past all caches, where a hash is wrong.
    async fn read_group(&self, group: &[BlockRef]) -> Vec<(BlockRef, Result<Block>)> {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { return Vec::new() };
        let end = group.iter().map(|block| block.range().end).fold(last.range().end, u32::max);
        let mut fetch = Fetch { part: first.part, size: first.size, range: first.offset..end, fresh: false };
        let before = self.attempt(&fetch, group).await;
        if before.iter().all(|(_, result)| !is_damaged(result)) {
            return before;
        }
        fetch.fresh = true;
        let again = self.attempt(&fetch, group).await;
        let better = |(one, other): ((BlockRef, Result<Block>), (BlockRef, Result<Block>))| match one.1 {
            Ok(_) => one,
            // What is damaged stays so, also if it cannot be had again.
            Err(_) if other.1.is_err() => one,
            Err(_) => other,
        };
        before.into_iter().zip(again).map(better).collect()
    }

    async fn attempt(&self, fetch: &Fetch, group: &[BlockRef]) -> Vec<(BlockRef, Result<Block>)> {
        let reply = self.source.read(fetch).await;
        let (bytes, start) = match &reply {
            Ok(Reply::Range(bytes)) => (bytes.as_slice(), fetch.range.start),
            Ok(Reply::Whole(bytes)) => (bytes.as_slice(), 0),
            Err(error) => return group.iter().map(|block| (*block, Err(error.clone()))).collect(),
        };
        let read = |block: &BlockRef| -> Result<Block> {
            let own = within(bytes, block.range(), start)
                .ok_or_else(|| block.damaged("it is shorter than it was written"))?;
            if !block.verifies(own) {
                return Err(block.damaged("the hash of its bytes is not the one that it was written with"));
            }
            block.unpack(own).map(Rc::new)
        };
        group.iter().map(|block| (*block, read(block))).collect()
    }
}

fn key(block: &BlockRef) -> Key {
    (block.part, block.offset)
}

fn within(bytes: &[u8], range: Range<u32>, start: u32) -> Option<&[u8]> {
    bytes.get(range.start.checked_sub(start)? as usize..range.end.checked_sub(start)? as usize)
}

fn is_damaged(result: &Result<Block>) -> bool {
    matches!(result, Err(Error::Relayed { code: "part_damaged", .. }))
}
