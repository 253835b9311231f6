//! Blocks: what is read and verified at once. A part is a row of blocks.

use crate::bytes::Bytes;
use crate::errors::part_damaged;
use crate::name::{BlockHash, PartName, first};
use std::ops::Range;
use vademecum_protocol::error::Result;

/// Maximum length of a decompressed block: larger ones are refused before they are in memory.
pub(crate) const MAX_RAW: usize = 16 << 20;

/// Where a block lies, and the hash of its bytes there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockRef {
    pub(crate) part: PartName,
    /// The length of the part.
    pub(crate) size: u32,
    pub(crate) offset: u32,
    pub(crate) length: u32,
    pub(crate) hash: BlockHash,
}

impl BlockRef {
    /// Returns its bytes within the part.
    pub(crate) fn range(&self) -> Range<u32> {
        self.offset..self.offset.saturating_add(self.length)
    }

    /// Returns whether it lies within a part of acceptable size.
    pub(crate) fn is_sound(&self) -> bool {
        let end = self.offset.checked_add(self.length);
        self.length > 0 && self.size <= crate::manifest::MAX_PART && end.is_some_and(|end| end <= self.size)
    }

    /// Returns an error that says what is wrong with its contents.
    pub(crate) fn damaged(&self, reason: &str) -> vademecum_protocol::Error {
        part_damaged(&self.part.to_string(), reason)
    }

    /// Decompresses its bytes, which were verified.
    ///
    /// # Errors
    /// `part_damaged`.
    pub(crate) fn unpack(&self, bytes: &[u8]) -> Result<Vec<u8>> {
        match bytes.split_first() {
            Some((0, raw)) => Ok(raw.to_vec()),
            Some((1, packed)) => inflated(packed)
                .ok_or_else(|| self.damaged("a block cannot be decompressed, or is larger than 16 MB")),
            _ => Err(self.damaged("a block is compressed in an unknown way")),
        }
    }

    /// Returns whether these are its bytes.
    pub(crate) fn verifies(&self, bytes: &[u8]) -> bool {
        bytes.len() == self.length as usize && first::<8>(bytes) == self.hash
    }
}

/// Returns what Deflate has packed; `None` if it is damaged or longer than [`MAX_RAW`]. Takes more time, and 3 KB less of the module, than the other form.
#[cfg(feature = "small")]
fn inflated(packed: &[u8]) -> Option<Vec<u8>> {
    miniz_oxide::inflate::decompress_to_vec_with_limit(packed, MAX_RAW).ok()
}

/// Returns what Deflate has packed; `None` if it is damaged or longer than [`MAX_RAW`].
#[cfg(not(feature = "small"))]
fn inflated(packed: &[u8]) -> Option<Vec<u8>> {
    /// Least number of bytes that are decompressed at once.
    const LEAST_ROOM: usize = 512;
    /// What precedes Deflate in the format Zlib, which the decompressor reads.
    const ZLIB_HEADER: [u8; 2] = [0x78, 0x01];
    /// What follows Deflate there, and is not verified: each block has a hash.
    const ZLIB_CHECKSUM: [u8; 4] = [0; 4];
    let mut decompressor = fdeflate::Decompressor::new();
    decompressor.ignore_adler32();
    let mut raw = vec![0; (2 * packed.len()).clamp(LEAST_ROOM, MAX_RAW)];
    let mut count = 0;
    for mut rest in [&ZLIB_HEADER, packed, &ZLIB_CHECKSUM] {
        loop {
            let (read, written) = decompressor.read(rest, &mut raw, count, false).ok()?;
            (rest, count) = (rest.get(read..)?, count + written);
            if count < raw.len() {
                break;
            }
            if count > MAX_RAW {
                return None;
            }
            let room = (2 * count).min(MAX_RAW + 1);
            raw.reserve_exact(room - count);
            raw.resize(room, 0);
        }
        if !rest.is_empty() {
            return None; // it goes on behind its end
        }
    }
    raw.truncate(count);
    raw.shrink_to_fit(); // it may be kept for long
    decompressor.is_done().then_some(raw)
}

/// Takes blocks behind their number; those of one part lie one behind the other.
pub(crate) fn take_refs(bytes: &mut Bytes<'_>) -> Option<Vec<BlockRef>> {
    let mut blocks: Vec<BlockRef> = Vec::new();
    for _ in 0..bytes.count()? {
        let (part, size, offset) = match (bytes.byte()?, blocks.last()) {
            (0, _) => (PartName(bytes.array()?), bytes.number()?, bytes.number()?),
            (1, Some(before)) => (before.part, before.size, before.range().end),
            _ => return None,
        };
        let block = BlockRef { part, size, offset, length: bytes.number()?, hash: bytes.array()? };
        blocks.push(Some(block).filter(BlockRef::is_sound)?);
    }
    Some(blocks)
}

/// Writes what [`take_refs`] takes.
#[cfg(any(feature = "write", test))]
pub(crate) fn put_refs(blocks: &[BlockRef], bytes: &mut Vec<u8>) {
    use crate::bytes::Put;
    bytes.number(blocks.len() as u32);
    let mut before: Option<&BlockRef> = None;
    for block in blocks {
        let follows =
            before.is_some_and(|before| before.part == block.part && before.range().end == block.offset);
        bytes.push(u8::from(follows));
        if !follows {
            bytes.extend_from_slice(&block.part.0);
            bytes.number(block.size);
            bytes.number(block.offset);
        }
        bytes.number(block.length);
        bytes.extend_from_slice(&block.hash);
        before = Some(block);
    }
}

/// Marks a block as one that is not compressed: of noise, such as signs and rows of vectors, and of Rice codes, nothing is gained, and each reader would pay for it.
#[cfg(any(feature = "write", test))]
pub(crate) fn plain(raw: &[u8]) -> Vec<u8> {
    [&[0], raw].concat()
}

/// Compresses a block, unless that would make it longer.
#[cfg(any(feature = "write", test))]
pub(crate) fn pack(raw: &[u8]) -> Vec<u8> {
    let packed = miniz_oxide::deflate::compress_to_vec(raw, 9);
    if packed.len() < raw.len() { [&[1], packed.as_slice()].concat() } else { plain(raw) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::Index;

    fn unpacked(bytes: &[u8]) -> Option<Vec<u8>> {
        let block = BlockRef { part: PartName([7; 16]), size: 900, offset: 5, length: 80, hash: [9; 8] };
        block.unpack(bytes).ok()
    }

    /// Bytes that are compressed in all ways: noise, runs, and words that occur again.
    fn contents() -> impl Strategy<Value = Vec<u8>> {
        let noise = prop::collection::vec(any::<u8>(), 0..400);
        let run = (any::<u8>(), 0usize..3000).prop_map(|(byte, count)| vec![byte; count]);
        let words = "([a-e]{1,4} ){0,200}".prop_map(String::into_bytes);
        prop::collection::vec(prop_oneof![noise, run, words], 0..6).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn blocks_are_unpacked_as_they_were_packed(raw in contents()) {
            prop_assert_eq!(unpacked(&pack(&raw)), Some(raw.clone()));
            prop_assert_eq!(unpacked(&plain(&raw)), Some(raw));
        }

        #[test]
        fn damaged_blocks_are_unpacked_or_refused(raw in contents(), changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..4), left in any::<Index>()) {
            let mut packed = [&[1], miniz_oxide::deflate::compress_to_vec(&raw, 9).as_slice()].concat();
            for (at, byte) in changes {
                let at = at.index(packed.len());
                packed[at] = byte;
            }
            let cut = &packed[..left.index(packed.len())];
            for damaged in [&packed, cut] {
                if let Some(raw) = unpacked(damaged) {
                    prop_assert!(raw.len() <= MAX_RAW);
                }
            }
        }
    }

    #[test]
    #[cfg(not(feature = "small"))]
    fn what_follows_the_end_of_a_block_is_refused() {
        let packed = pack(&[7; 500]);
        // Fewer bytes are taken for the first ones of the checksum.
        for more in [&[0; 4][..], &[0; 5], &[0xff; 9]] {
            assert_eq!(unpacked(&[&packed, more].concat()), None);
        }
    }

    #[test]
    fn a_block_that_is_longer_than_the_limit_is_refused() {
        let longest = vec![0; MAX_RAW];
        assert_eq!(unpacked(&pack(&longest)).map(|raw| raw.len()), Some(MAX_RAW));
        assert_eq!(unpacked(&pack(&[longest, vec![0]].concat())), None);
    }
}
