//! Packs blocks into parts, and writes parts into a folder.

use super::failed::storage_failed;
use crate::block::BlockRef;
use crate::name::{BlockHash, PartName, first};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use vademecum_protocol::error::Result;

/// A folder of parts.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// All parts of the library that is being written, with their lengths.
    pub(crate) parts: BTreeMap<PartName, u32>,
    /// Number of parts that were not there before.
    pub(crate) new_parts: usize,
    /// Summed length of these.
    pub(crate) new_bytes: u64,
}

impl Folder {
    /// Opens a folder, creating it where it is absent.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let parts = path.join("parts");
        fs::create_dir_all(&parts).map_err(|error| storage_failed(&parts, &error))?;
        Ok(Self { path: path.to_owned(), parts: BTreeMap::new(), new_parts: 0, new_bytes: 0 })
    }

    /// Writes a part, unless it is there.
    fn add(&mut self, contents: &[u8]) -> Result<PartName> {
        let name = PartName::of(contents);
        if self.parts.insert(name, contents.len() as u32).is_none() {
            let path = self.path.join(name.path());
            if fs::read(&path).ok().is_none_or(|there| there != contents) {
                write(&path, contents)?;
                self.new_parts += 1;
                self.new_bytes += contents.len() as u64;
            }
        }
        Ok(name)
    }
}

/// Writes a file by way of another name, so that nobody reads half of it.
pub(crate) fn write(path: &Path, contents: &[u8]) -> Result<()> {
    let beside = path.with_extension("writing");
    let written = fs::write(&beside, contents).and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| storage_failed(path, &error))
}

/// Packs blocks into parts of about the same size. A part ends where the hash of a block says so, not where a count is full: a block
/// that is inserted changes its own part and leaves the ones behind it as they were.
#[derive(Debug)]
pub(crate) struct Packer<'a> {
    folder: &'a mut Folder,
    target: usize,
    part: Vec<u8>,
    /// The blocks of the part that is being filled: their offsets, lengths and hashes.
    open: Vec<(u32, u32, BlockHash)>,
    done: Vec<BlockRef>,
}

impl<'a> Packer<'a> {
    /// Creates a packer whose parts have about `target` bytes.
    pub(crate) fn new(folder: &'a mut Folder, target: usize) -> Self {
        Self { folder, target, part: Vec::new(), open: Vec::new(), done: Vec::new() }
    }

    /// Appends a block as it is stored. Blocks are numbered from 0.
    pub(crate) fn push(&mut self, block: &[u8]) -> Result<()> {
        let hash: BlockHash = first(block);
        self.open.push((self.part.len() as u32, block.len() as u32, hash));
        self.part.extend_from_slice(block);
        let [a, b, ..] = hash;
        let chance = (block.len() * 0x10000 / self.target.max(1)) as u64;
        let drawn = u64::from(u16::from_le_bytes([a, b]));
        let is_end = self.part.len() * 2 >= self.target && drawn < chance;
        if is_end || self.part.len() * 2 >= self.target * 3 {
            self.end_part()?;
        }
        Ok(())
    }

    fn end_part(&mut self) -> Result<()> {
        if self.open.is_empty() {
            return Ok(());
        }
        let size = self.part.len() as u32;
        let part = self.folder.add(&self.part)?;
        let blocks = self.open.drain(..);
        self.done.extend(blocks.map(|(offset, length, hash)| BlockRef { part, size, offset, length, hash }));
        self.part.clear();
        Ok(())
    }

    /// Ends the last part. Returns where each block lies.
    pub(crate) fn finish(mut self) -> Result<Vec<BlockRef>> {
        self.end_part()?;
        Ok(self.done)
    }
}
