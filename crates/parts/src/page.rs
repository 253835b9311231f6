//! Pages of a directory: the first key of each child, and where it lies. Children are pages of the next level, or data blocks.

use crate::block::{BlockRef, MAX_RAW};
use crate::bytes::Bytes;
use crate::name::PartName;

/// A child: everything from its key up to the next child's is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) key: Vec<u8>,
    pub(crate) block: BlockRef,
}

/// Decodes a page; `None` if it is not sound: keys must ascend, and blocks lie within their parts.
pub(crate) fn decode(page: &[u8]) -> Option<Vec<Entry>> {
    let mut bytes = Bytes(page);
    let count = bytes.count()?;
    let parts = bytes.count()?;
    let (mut names, mut sizes) = (Vec::new(), Vec::new());
    for _ in 0..parts {
        names.push(PartName(bytes.array()?));
        sizes.push(bytes.number()?);
    }
    let mut keys = Bytes(bytes.part()?);
    let mut places = Bytes(bytes.part()?);
    let mut entries: Vec<Entry> = Vec::new();
    let (mut part, mut end) = (0usize, 0u32);
    // Keys share what they begin with, so a small page could have large ones.
    let mut unpacked = 0;
    for at in 0..count {
        let before = entries.last().map_or(&[][..], |entry| entry.key.as_slice());
        let mut key = before.get(..keys.number()? as usize)?.to_vec();
        key.extend_from_slice(keys.part()?);
        unpacked += key.len();
        if unpacked > MAX_RAW {
            return None;
        }
        if at > 0 && key.as_slice() <= before {
            return None;
        }
        let step = places.number()? as usize;
        if step > 0 {
            (part, end) = (part.checked_add(step)?, 0);
        }
        let offset = end.checked_add(places.number()?)?;
        let length = places.number()?;
        let block = BlockRef {
            part: *names.get(part)?,
            size: *sizes.get(part)?,
            offset,
            length,
            hash: bytes.array()?,
        };
        if !block.is_sound() {
            return None;
        }
        end = offset.checked_add(length)?;
        entries.push(Entry { key, block });
    }
    (bytes.is_empty() && keys.is_empty() && places.is_empty()).then_some(entries)
}

/// Encodes a page. Blocks must be in the order in which they lie in their parts.
#[cfg(any(feature = "write", test))]
pub(crate) fn encode(entries: &[Entry]) -> Vec<u8> {
    use crate::bytes::Put;
    let mut parts: Vec<(PartName, u32)> = Vec::new();
    let (mut keys, mut places, mut hashes) = (Vec::new(), Vec::new(), Vec::new());
    let (mut before, mut end): (&[u8], u32) = (&[], 0);
    for Entry { key, block } in entries {
        let shared = before.iter().zip(key).take_while(|(one, other)| one == other).count();
        keys.number(shared as u32);
        keys.part(key.get(shared..).unwrap_or_default());
        before = key;
        let is_same = parts.last().is_some_and(|last| last.0 == block.part) && block.offset >= end;
        if !is_same {
            places.number(u32::from(!parts.is_empty()));
            parts.push((block.part, block.size));
            end = 0;
        } else {
            places.number(0);
        }
        places.number(block.offset.saturating_sub(end));
        places.number(block.length);
        end = block.offset.saturating_add(block.length);
        hashes.extend_from_slice(&block.hash);
    }
    let mut page = Vec::new();
    page.number(entries.len() as u32);
    page.number(parts.len() as u32);
    for (name, size) in parts {
        page.extend_from_slice(&name.0);
        page.number(size);
    }
    page.part(&keys);
    page.part(&places);
    page.extend_from_slice(&hashes);
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn a_page_is_read_as_it_was_written(
            children in prop::collection::btree_map(prop::collection::vec(any::<u8>(), 0..6), (0u8..4, 1u32..900, any::<[u8; 8]>()), 0..40),
        ) {
            let children: BTreeMap<Vec<u8>, (u8, u32, [u8; 8])> = children;
            let mut end = 0;
            let entries: Vec<Entry> = children.into_iter().map(|(key, (part, length, hash))| {
                let offset = if part == 0 { 0 } else { end };
                end = offset + length;
                Entry { key, block: BlockRef { part: PartName([part; 16]), size: 100_000, offset, length, hash } }
            }).collect();
            prop_assert_eq!(decode(&encode(&entries)), Some(entries));
        }

        #[test]
        fn any_bytes_are_a_page_or_none(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Some(entries) = decode(&bytes) {
                prop_assert!(entries.iter().all(|entry| entry.block.is_sound()));
            }
        }
    }
}
