//! Reads blocks through a source: verified, several at once, and kept in memory up to a limit, as bytes or decoded.

use crate::block::BlockRef;
use crate::errors::part_damaged;
use crate::name::PartName;
use crate::source::{Fetch, Reply, Source};
use futures_util::future::join_all;
use rustc_hash::FxHashMap;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use vademecum_protocol::error::{Error, Result};

/// Blocks of a part that lie at most this far apart are read at once: a request costs more than these bytes.
const GAP: u32 = 1024;

/// A block with its bytes, decompressed.
type Unpacked = (BlockRef, Result<Vec<u8>>);

/// What is made of a decompressed block, and kept in its place: decoding takes longer than all else of a question whose blocks are in memory.
pub(crate) trait Decoded: Sized + 'static {
    /// What is wrong with a block that does not decode.
    const UNSOUND: &str;

    /// Decodes a block; `None` if it is not sound.
    fn decode(block: Vec<u8>) -> Option<Self>;

    /// Returns about how many bytes of memory it takes.
    fn bytes(&self) -> usize;
}

impl Decoded for Vec<u8> {
    const UNSOUND: &str = "";

    fn decode(block: Vec<u8>) -> Option<Self> {
        Some(block)
    }

    fn bytes(&self) -> usize {
        self.len()
    }
}

type Key = (PartName, u32);

/// A decoded block, whatever it is, and the bytes that it takes.
type Kept = (Rc<dyn Any>, usize);

/// Reads blocks.
pub(crate) struct Blocks {
    source: Rc<dyn Source>,
    cache: RefCell<Cache>,
    /// Whether the last blocks that were not in memory were at hand.
    is_near: Cell<bool>,
}

/// Bytes by which the memory of a module grows at once, if it may be so large. Page by page, growing took a quarter of the time of questions whose blocks
/// were not in memory.
#[cfg(not(feature = "small"))]
const GROWTH: usize = 4 << 20;

/// Decoded blocks, of which those used least recently are dropped beyond a limit.
struct Cache {
    most: usize,
    bytes: usize,
    /// The bytes of blocks for which memory has grown.
    #[cfg(not(feature = "small"))]
    grown: usize,
    now: u64,
    /// With when each was used.
    blocks: FxHashMap<Key, (Kept, u64)>,
}

impl Cache {
    fn get(&mut self, key: &Key) -> Option<&Rc<dyn Any>> {
        self.now += 1;
        let (kept, used) = self.blocks.get_mut(key)?;
        *used = self.now;
        Some(&kept.0)
    }

    fn put(&mut self, key: Key, kept: Kept) {
        if kept.1 > self.most {
            return;
        }
        self.now += 1;
        self.bytes += kept.1;
        #[cfg(not(feature = "small"))]
        self.grow();
        if let Some((before, _)) = self.blocks.insert(key, (kept, self.now)) {
            self.bytes = self.bytes.saturating_sub(before.1);
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
                if let Some((kept, _)) = self.blocks.remove(&key) {
                    self.bytes = self.bytes.saturating_sub(kept.1);
                }
            }
        }
    }
}

#[cfg(not(feature = "small"))]
impl Cache {
    /// Lets memory grow ahead of the blocks, by room that is freed again.
    fn grow(&mut self) {
        if self.bytes > self.grown {
            let growth = GROWTH.min(self.most);
            self.grown = self.bytes + growth;
            let mut room: Vec<u8> = Vec::new();
            // Reserves twice the growth, because a block is in memory both packed and decoded. Ignores a failure: blocks may fit without the reserve.
            if room.try_reserve_exact(2 * growth).is_ok() {
                std::hint::black_box(&room);
            }
        }
    }
}

impl Blocks {
    /// Creates a reader that keeps at most `most` bytes of blocks.
    pub(crate) fn new(source: Rc<dyn Source>, most: usize) -> Self {
        let cache = Cache {
            most,
            bytes: 0,
            #[cfg(not(feature = "small"))]
            grown: 0,
            now: 0,
            blocks: FxHashMap::default(),
        };
        Self { source, cache: RefCell::new(cache), is_near: Cell::new(false) }
    }

    /// Returns whether blocks are at hand, as far as was seen: then more of them cost little.
    pub(crate) fn is_near(&self) -> bool {
        self.is_near.get()
    }

    /// Reads a block to find out whether blocks are at hand.
    #[cfg(not(feature = "small"))]
    pub(crate) fn is_at_hand(&self, block: &BlockRef) -> bool {
        self.is_near.set(self.at_hand(std::slice::from_ref(block)).is_some());
        self.is_near.get()
    }

    /// Returns the bytes of blocks that may be in memory.
    #[cfg(not(feature = "small"))]
    pub(crate) fn most(&self) -> usize {
        self.cache.borrow().most
    }

    /// Returns the bytes of the blocks in memory.
    pub(crate) fn memory(&self) -> usize {
        self.cache.borrow().bytes
    }

    /// Reads blocks side by side, those that lie together at once, and decodes them. The result has one element per block, in order.
    pub(crate) async fn read<T: Decoded>(&self, wanted: &[BlockRef]) -> Vec<Result<Rc<T>>> {
        let decode = |block: Vec<u8>| {
            let decoded = T::decode(block).ok_or(T::UNSOUND)?;
            let bytes = decoded.bytes();
            Ok((Rc::new(decoded) as Rc<dyn Any>, bytes))
        };
        let read = self.each(wanted, &|kept| kept.is::<T>(), &decode).await;
        let typed = |(read, place): (Result<Rc<dyn Any>>, &BlockRef)| {
            read?.downcast::<T>().map_err(|_| place.damaged(T::UNSOUND))
        };
        read.into_iter().zip(wanted).map(typed).collect()
    }

    /// Reads blocks of one kind: those in memory that are of it, and the others by `decode`.
    async fn each(
        &self,
        wanted: &[BlockRef],
        is_own: &dyn Fn(&Rc<dyn Any>) -> bool,
        decode: &dyn Fn(Vec<u8>) -> std::result::Result<Kept, &'static str>,
    ) -> Vec<Result<Rc<dyn Any>>> {
        let mut found: FxHashMap<Key, Result<Rc<dyn Any>>> = FxHashMap::default();
        let mut absent: Vec<BlockRef> = Vec::new();
        {
            let mut cache = self.cache.borrow_mut();
            for block in wanted {
                match cache.get(&key(block)).filter(|kept| is_own(kept)) {
                    Some(kept) => {
                        found.insert(key(block), Ok(kept.clone()));
                    }
                    None => absent.push(*block),
                }
            }
        }
        for (block, result) in self.fetched(absent).await {
            let result = result.and_then(|read| {
                let kept = decode(read).map_err(|unsound| block.damaged(unsound))?;
                self.cache.borrow_mut().put(key(&block), kept.clone());
                Ok(kept.0)
            });
            found.insert(key(&block), result);
        }
        let unread = |block: &BlockRef| {
            Err(part_damaged(&block.part.to_string(), "two directories disagree about it"))
        };
        wanted.iter().map(|block| found.get(&key(block)).cloned().unwrap_or_else(|| unread(block))).collect()
    }

    /// Reads blocks that are not in memory, each once.
    async fn fetched(&self, mut absent: Vec<BlockRef>) -> Vec<Unpacked> {
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
        // What can be had at once is: a promise for each of hundreds of blocks would cost more than reading them.
        let mut read = Vec::new();
        let mut awaited: Vec<&[BlockRef]> = Vec::new();
        for group in &groups {
            match self.at_hand(group) {
                Some(own) => read.extend(own),
                None => awaited.push(group),
            }
        }
        if !groups.is_empty() {
            self.is_near.set(awaited.is_empty());
        }
        if !awaited.is_empty() {
            read.extend(
                join_all(awaited.iter().map(|group| self.read_group(group))).await.into_iter().flatten(),
            );
        }
        read
    }

    /// Returns the blocks of a group if they are at hand and sound.
    fn at_hand(&self, group: &[BlockRef]) -> Option<Vec<Unpacked>> {
        let fetch = fetch_of(group)?;
        let bytes = self.source.at_hand(&fetch)?;
        let read = unpacked(group, &bytes, fetch.range.start);
        read.iter().all(|(_, result)| result.is_ok()).then_some(read)
    }

    /// Reads blocks of one part at once; once more, past all caches, where a hash is wrong.
    async fn read_group(&self, group: &[BlockRef]) -> Vec<Unpacked> {
        let Some(mut fetch) = fetch_of(group) else { return Vec::new() };
        let before = self.attempt(&fetch, group).await;
        if before.iter().all(|(_, result)| !is_damaged(result)) {
            return before;
        }
        fetch.fresh = true;
        let again = self.attempt(&fetch, group).await;
        let better = |(one, other): (Unpacked, Unpacked)| match one.1 {
            Ok(_) => one,
            // What is damaged stays so, also if it cannot be had again.
            Err(_) if other.1.is_err() => one,
            Err(_) => other,
        };
        before.into_iter().zip(again).map(better).collect()
    }

    async fn attempt(&self, fetch: &Fetch, group: &[BlockRef]) -> Vec<Unpacked> {
        let reply = self.source.read(fetch).await;
        let (bytes, start) = match &reply {
            Ok(Reply::Range(bytes)) => (bytes.as_slice(), fetch.range.start),
            Ok(Reply::Whole(bytes)) => (bytes.as_slice(), 0),
            Err(error) => return group.iter().map(|block| (*block, Err(error.clone()))).collect(),
        };
        unpacked(group, bytes, start)
    }
}

/// Returns the request for blocks of one part.
fn fetch_of(group: &[BlockRef]) -> Option<Fetch> {
    let first = group.first()?;
    let end = group.iter().map(|block| block.range().end).max()?;
    Some(Fetch { part: first.part, size: first.size, range: first.offset..end, fresh: false })
}

/// Verifies and decompresses blocks out of the bytes of their part from `start` on.
fn unpacked(group: &[BlockRef], bytes: &[u8], start: u32) -> Vec<Unpacked> {
    let read = |block: &BlockRef| -> Result<Vec<u8>> {
        let own = within(bytes, block.range(), start)
            .ok_or_else(|| block.damaged("it is shorter than it was written"))?;
        if !block.verifies(own) {
            return Err(block.damaged("the hash of its bytes is not the one that it was written with"));
        }
        block.unpack(own)
    };
    group.iter().map(|block| (*block, read(block))).collect()
}

fn key(block: &BlockRef) -> Key {
    (block.part, block.offset)
}

fn within(bytes: &[u8], range: Range<u32>, start: u32) -> Option<&[u8]> {
    bytes.get(range.start.checked_sub(start)? as usize..range.end.checked_sub(start)? as usize)
}

fn is_damaged(result: &Result<Vec<u8>>) -> bool {
    matches!(result, Err(Error::Relayed { code: "part_damaged", .. }))
}
