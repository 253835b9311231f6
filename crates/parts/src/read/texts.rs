//! Reads texts and documents by key.

use super::blocks::{Blocks, Decoded};
use super::tree::{Keyed, Tree};
use crate::errors::part_damaged;
use crate::texts::{self, Piece, Stretch};
use std::rc::Rc;
use vademecum_index::partial::Fields;
use vademecum_protocol::document::Chunk;
use vademecum_protocol::error::Result;

/// A chunk that was read.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    key: u32,
    block: Rc<Vec<Stretch>>,
    at: usize,
}

impl Text {
    fn stretch(&self) -> Option<&Stretch> {
        self.block.get(self.at)
    }

    /// Returns the chunk's key.
    pub(crate) fn key(&self) -> u32 {
        self.key
    }

    /// Returns the number of the chunk's collection.
    pub(crate) fn collection(&self) -> u32 {
        self.stretch().map_or(0, |stretch| stretch.collection)
    }

    /// Returns what rescoring reads.
    pub(crate) fn fields(&self) -> Option<Fields<'_>> {
        let stretch = self.stretch()?;
        let text = stretch.text_of(stretch.piece(self.key)?)?;
        Some(Fields { language: stretch.language, title: stretch.title.as_deref().unwrap_or_default(), text })
    }

    /// Returns the headings above the chunk.
    pub(crate) fn headings(&self) -> &[String] {
        self.stretch().and_then(|stretch| stretch.piece(self.key)).map_or(&[], |piece| &piece.headings)
    }

    /// Copies the chunk into the public type.
    pub(crate) fn chunk(&self, collection: &str) -> Option<Chunk> {
        self.stretch()?.chunk(self.key, collection)
    }
}

impl Decoded for Vec<Stretch> {
    const UNSOUND: &str = "a block of texts does not decode";

    fn decode(block: Vec<u8>) -> Option<Self> {
        texts::decode(&block)
    }

    fn bytes(&self) -> usize {
        let own = |one: &Stretch| {
            size_of::<Stretch>() + one.text.len() + one.metadata.len() + one.chunks.len() * size_of::<Piece>()
        };
        self.iter().map(own).sum()
    }
}

/// Reads chunks, side by side. The result has one element per key, in order.
pub(crate) async fn read(tree: &Tree, blocks: &Blocks, keys: &[u32]) -> Vec<Result<Text>> {
    let looked_up: Vec<Vec<u8>> = keys.iter().map(|key| key.to_be_bytes().to_vec()).collect();
    let text = |(found, key): (Result<Option<Keyed<Vec<Stretch>>>>, &u32)| {
        let unsound = || part_damaged("of texts", "a directory leads to a block without the chunk");
        let (_, block) = found?.ok_or_else(unsound)?;
        let at = block.iter().position(|one| one.piece(*key).is_some()).ok_or_else(unsound)?;
        Ok(Text { key: *key, block, at })
    };
    tree.read(blocks, &looked_up).await.into_iter().zip(keys).map(text).collect()
}

/// Reads all stretches of the document whose first chunk has this key.
pub(crate) async fn document(tree: &Tree, blocks: &Blocks, first_key: u32) -> Result<Vec<Stretch>> {
    let unsound = || part_damaged("of texts", "a directory leads to a block without the document");
    let first = read(tree, blocks, &[first_key]).await.pop().ok_or_else(unsound)??;
    let chunks = first.stretch().map_or(0, |stretch| stretch.chunks_in_all);
    let last = first_key.saturating_add(chunks.saturating_sub(1));
    let range = (first_key.to_be_bytes().to_vec(), last.to_be_bytes().to_vec());
    let mut found = Vec::new();
    for (_, block) in tree.read_range::<Vec<Stretch>>(blocks, range).await? {
        found.extend(block.iter().filter(|one| one.first_key == first_key).cloned());
    }
    Ok(found)
}
