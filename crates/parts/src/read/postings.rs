//! The postings of a query's terms. Keys and frequencies are read whole, since any chunk may be among the best; lengths, which are half of the
//! bytes, only of those that may be.

use super::blocks::Blocks;
use crate::block::BlockRef;
use crate::errors::part_damaged;
use crate::postings::{List, Piece, TermEntry, decode_lengths, decode_list, decode_piece};
use vademecum_index::partial::{Lists, Occurrence, Statistics, Words};
use vademecum_protocol::error::{Error, Result};
use vademecum_util::small_sort::sort_by_key;

/// The postings of terms.
pub(crate) struct Postings {
    pub(crate) lists: Lists,
    /// Lists whose lengths lie apart, the shortest first.
    split: Vec<Vec<Part>>,
}

/// A block of a list, with the block of its lengths.
struct Part {
    piece: Piece,
    lengths: BlockRef,
}

impl Postings {
    /// Reads the lists of terms, side by side.
    ///
    /// # Errors
    /// Those of a block that cannot be read.
    pub(crate) async fn read(blocks: &Blocks, entries: Vec<TermEntry>, all: Statistics) -> Result<Self> {
        let wanted: Vec<BlockRef> = entries.iter().flat_map(own_blocks).collect();
        let mut read = blocks.read(&wanted).await.into_iter();
        let mut next = |place: BlockRef| -> Result<_> {
            Ok((read.next().ok_or_else(|| place.damaged("it was not read"))??, place))
        };
        let undecoded = |place: BlockRef| place.damaged("a list of postings does not decode");
        let (mut terms, mut split) = (Vec::new(), Vec::new());
        for entry in entries {
            let mut list = Vec::new();
            match entry.list {
                List::Inline(inline) => list = inline,
                List::Whole(place) => {
                    let (block, place) = next(place)?;
                    list = decode_list(&block).ok_or_else(|| undecoded(place))?;
                }
                List::Split(places) => {
                    let mut parts = Vec::new();
                    for (place, lengths) in places {
                        let (block, place) = next(place)?;
                        let piece = decode_piece(&block).ok_or_else(|| undecoded(place))?;
                        // At once: a list that names a block many times would fill the memory before its end.
                        let is_next = piece.postings.first().is_some_and(|first| {
                            list.last().is_none_or(|last: &Occurrence| last.key < first.0)
                        });
                        if !is_next || list.len() + piece.postings.len() > entry.count {
                            return Err(unsound());
                        }
                        let of = |(key, frequency): &(u32, u32)| Occurrence {
                            key: *key,
                            frequency: *frequency,
                            length: piece.shortest,
                            is_exact: false,
                        };
                        list.extend(piece.postings.iter().map(of));
                        parts.push(Part { piece, lengths });
                    }
                    split.push(parts);
                }
            }
            if list.len() != entry.count || !list.is_sorted_by(|one, other| one.key < other.key) {
                return Err(unsound());
            }
            terms.push((entry.term, list));
        }
        sort_by_key(&mut split, Vec::len);
        Ok(Self { lists: Lists::new(&terms, all), split })
    }

    /// Reads the lengths that decide which of the admitted chunks are the best `limit`.
    ///
    /// # Errors
    /// Those of a block that cannot be read.
    pub(crate) async fn decide(
        &mut self,
        blocks: &Blocks,
        words: &Words,
        admitted: Option<&dyn Fn(u32) -> bool>,
        limit: usize,
    ) -> Result<()> {
        if self.split.is_empty() {
            return Ok(());
        }
        let likely = self.lists.likely(words, admitted, limit);
        self.know(blocks, &likely).await?;
        let undecided = self.lists.undecided(words, admitted, limit);
        self.know(blocks, &undecided).await
    }

    /// Reads all lengths.
    ///
    /// # Errors
    /// Those of a block that cannot be read.
    pub(crate) async fn decide_all(&mut self, blocks: &Blocks) -> Result<()> {
        let unknown = self.lists.unknown();
        self.know(blocks, &unknown).await
    }

    /// Reads the lengths of chunks, each from the shortest list that has it: several are in one block there.
    async fn know(&mut self, blocks: &Blocks, keys: &[u32]) -> Result<()> {
        let mut wanted: Vec<(usize, usize)> = Vec::new();
        for key in keys {
            let mut lists = self.split.iter().enumerate();
            let found = lists.find_map(|(list, parts)| Some((list, part_with(parts, *key)?)));
            wanted.push(found.ok_or_else(unsound)?);
        }
        wanted.sort_unstable();
        wanted.dedup();
        let of = |(list, part): &(usize, usize)| self.split.get(*list).and_then(|parts| parts.get(*part));
        let wanted: Vec<&Part> = wanted.iter().filter_map(of).collect();
        let places: Vec<BlockRef> = wanted.iter().map(|part| part.lengths).collect();
        for (read, part) in blocks.read(&places).await.into_iter().zip(wanted) {
            let lengths = decode_lengths(&read?, &part.piece)
                .ok_or_else(|| part.lengths.damaged("the lengths of its postings do not decode"))?;
            for ((key, _), length) in part.piece.postings.iter().zip(lengths) {
                self.lists.know(*key, length);
            }
        }
        Ok(())
    }
}

/// Returns the blocks of a list without those of its lengths.
fn own_blocks(entry: &TermEntry) -> Vec<BlockRef> {
    match &entry.list {
        List::Inline(_) => Vec::new(),
        List::Whole(block) => vec![*block],
        List::Split(blocks) => blocks.iter().map(|(keys, _)| *keys).collect(),
    }
}

/// Returns which part of a list has a chunk.
fn part_with(parts: &[Part], key: u32) -> Option<usize> {
    let begins = |part: &Part| part.piece.postings.first().is_some_and(|first| first.0 <= key);
    let at = parts.partition_point(begins).checked_sub(1)?;
    parts.get(at)?.piece.postings.binary_search_by_key(&key, |one| one.0).ok().map(|_| at)
}

/// Returns the keys of the first chunks with a term.
pub(crate) async fn first_keys(blocks: &Blocks, entry: &TermEntry, count: usize) -> Result<Vec<u32>> {
    if let List::Inline(list) = &entry.list {
        return Ok(list.iter().take(count).map(|one| one.key).collect());
    }
    let Some(place) = own_blocks(entry).first().copied() else { return Ok(Vec::new()) };
    let block = blocks.read(&[place]).await.pop().ok_or_else(unsound)??;
    let keys: Option<Vec<u32>> = match &entry.list {
        List::Split(_) => decode_piece(&block).map(|piece| piece.postings.iter().map(|one| one.0).collect()),
        _ => decode_list(&block).map(|list| list.iter().map(|one| one.key).collect()),
    };
    let mut keys = keys.ok_or_else(|| place.damaged("a list of postings does not decode"))?;
    keys.truncate(count);
    Ok(keys)
}

fn unsound() -> Error {
    part_damaged("of terms", "its lists of postings do not fit together")
}
