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
            Some((1, packed)) => miniz_oxide::inflate::decompress_to_vec_with_limit(packed, MAX_RAW)
                .map_err(|_| self.damaged("a block cannot be decompressed, or is larger than 16 MB")),
            _ => Err(self.damaged("a block is compressed in an unknown way")),
        }
    }

    /// Returns whether these are its bytes.
    pub(crate) fn verifies(&self, bytes: &[u8]) -> bool {
        bytes.len() == self.length as usize && first::<8>(bytes) == self.hash
    }
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

/// Marks a block as one that is not compressed: of noise, such as signs and rows of vectors, nothing is gained, and each reader would pay for it.
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
