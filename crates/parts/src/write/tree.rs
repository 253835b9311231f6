//! Builds the directory of a section.

use super::parts::{Folder, Packer};
use crate::block::pack;
use crate::manifest::Root;
use crate::page::{self, Entry};
use vademecum_protocol::error::Result;

/// A page has at least this many children, unless it is the last,
const LEAST: usize = 24;
/// on average this many more,
const MORE: usize = 40;
/// and at most this many.
const MOST: usize = 160;

/// Writes the directory of blocks with ascending first keys; `None` if there are none.
pub(crate) fn build(folder: &mut Folder, mut entries: Vec<Entry>, target: usize) -> Result<Option<Root>> {
    let blocks = entries.len() as u64;
    let mut bytes: u64 = entries.iter().map(|entry| u64::from(entry.block.length)).sum();
    let mut levels = 0;
    if entries.is_empty() {
        return Ok(None);
    }
    while levels == 0 || entries.len() > 1 {
        let mut packer = Packer::new(folder, target);
        let mut keys = Vec::new();
        for page in pages(&entries) {
            keys.extend(page.first().map(|entry| entry.key.clone()));
            let block = pack(&page::encode(page));
            bytes += block.len() as u64;
            packer.push(&block)?;
        }
        entries = keys.into_iter().zip(packer.finish()?).map(|(key, block)| Entry { key, block }).collect();
        levels += 1;
    }
    Ok(entries.first().map(|entry| Root {
        part: entry.block.part.to_string(),
        size: entry.block.size,
        offset: entry.block.offset,
        length: entry.block.length,
        hash: format!("{:016x}", u64::from_be_bytes(entry.block.hash)),
        levels,
        blocks,
        bytes,
    }))
}

/// Cuts entries into pages, where the hash of a block says so: see [`Packer`].
fn pages(entries: &[Entry]) -> impl Iterator<Item = &[Entry]> {
    let mut length = 0;
    entries.chunk_by(move |entry, _| {
        length += 1;
        let [.., last] = entry.block.hash;
        let is_end = length >= MOST || (length >= LEAST && usize::from(last) * MORE < 256);
        if is_end {
            length = 0;
        }
        !is_end
    })
}
